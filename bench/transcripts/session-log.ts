import { z } from 'zod';
import { type ImportTarget, jsonOf } from '../../src/cli/import-target.ts';
import type { Format, Item } from '../../src/domain/items/item.ts';
import { EVENT_TYPES, type SessionEvent } from '../../src/domain/session/events.ts';

const PAGE = 500;

export type LoggedItem = { seq: number; item: Item; tokens: number };
/** An event that says what compaction did; items are read as items. */
export type CompactionEvent = Exclude<SessionEvent, { type: 'item.appended' }>;

const item = z.custom<Item>((value) => typeof value === 'object' && value !== null);
const itemsPage = z.object({
  data: z.array(z.object({ seq: z.number(), item, tokens: z.number() })),
});
const eventsPage = z.object({
  data: z.array(
    z.object({
      version: z.number(),
      at: z.string(),
      type: z.enum(EVENT_TYPES),
      data: z.unknown(),
    }),
  ),
});
const contextBody = z.object({ version: z.number(), tokens: z.number(), items: z.array(item) });
export type ContextBody = z.infer<typeof contextBody>;

/** Reads one session over REST, as any client could. */
export class SessionReader {
  readonly #target: ImportTarget;
  readonly #path: string;

  constructor(target: ImportTarget, id: string) {
    this.#target = target;
    this.#path = `/sessions/${encodeURIComponent(id)}`;
  }

  /** The whole raw log, oldest first. */
  items(): Promise<LoggedItem[]> {
    return this.#all(
      '/items?',
      (body) => itemsPage.parse(body).data,
      ({ seq }) => seq,
    );
  }

  /** Every event that is no item, oldest first. */
  events(): Promise<CompactionEvent[]> {
    const types = EVENT_TYPES.filter((type) => type !== 'item.appended').join(',');
    return this.#all(
      `/events?types=${types}&`,
      // Only the envelope is checked here: `verify` checks the shape of every event's data.
      (body) => eventsPage.parse(body).data as CompactionEvent[],
      ({ version }) => version,
    );
  }

  /** The context in the session's own format or in another, now or at a version. */
  async context(at?: number, format?: Format): Promise<ContextBody> {
    const query = new URLSearchParams({
      ...(at !== undefined && { at: String(at) }),
      ...(format !== undefined && { format }),
    });
    return contextBody.parse(
      await jsonOf(await this.#target.request(`${this.#path}/context?${query}`)),
    );
  }

  async #all<T>(
    query: string,
    parse: (body: unknown) => T[],
    position: (row: T) => number,
  ): Promise<T[]> {
    const rows: T[] = [];
    for (;;) {
      const last = rows.at(-1);
      const after = last === undefined ? 0 : position(last);
      const path = `${this.#path}${query}limit=${PAGE}&after=${after}`;
      const page = parse(await jsonOf(await this.#target.request(path)));
      rows.push(...page);
      if (page.length < PAGE) return rows;
    }
  }
}
