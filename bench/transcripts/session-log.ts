import { z } from 'zod';
import { jsonOf, type Target } from '../../src/cli/target.ts';
import type { Format } from '../../src/domain/items/codecs.ts';
import type { Item } from '../../src/domain/items/item.ts';
import { EVENT_TYPES, type SessionEvent } from '../../src/domain/session/events.ts';

const PAGE = 500;

export type LoggedItem = { seq: number; item: Item; tokens: number };
/** An event that says what compaction did; items are read as items. */
export type CompactionEvent = Exclude<SessionEvent, { type: 'item.appended' }>;

const item = z.custom<Item>((value) => typeof value === 'object' && value !== null);
/** What a page is continued with: one can be shorter than asked, when its entries are large. */
const next_cursor = z.string().nullable();
const itemsPage = z.object({
  next_cursor,
  data: z.array(z.object({ seq: z.number(), item, tokens: z.number() })),
});
const eventsPage = z.object({
  next_cursor,
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
  readonly #target: Target;
  readonly #path: string;

  constructor(target: Target, id: string) {
    this.#target = target;
    this.#path = `/sessions/${encodeURIComponent(id)}`;
  }

  /** The whole raw log, oldest first. */
  items(): Promise<LoggedItem[]> {
    return this.#all('/items?', (body) => itemsPage.parse(body));
  }

  /** Every event that is no item, oldest first. */
  events(): Promise<CompactionEvent[]> {
    const types = EVENT_TYPES.filter((type) => type !== 'item.appended').join(',');
    return this.#all(`/events?types=${types}&`, (body) => {
      const page = eventsPage.parse(body);
      // Only the envelope is checked here: `verify` checks the shape of every event's data.
      return { ...page, data: page.data as CompactionEvent[] };
    });
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
    parse: (body: unknown) => { data: T[]; next_cursor: string | null },
  ): Promise<T[]> {
    const rows: T[] = [];
    for (let cursor: string | null = '0'; cursor !== null; ) {
      const path = `${this.#path}${query}limit=${PAGE}&cursor=${cursor}`;
      const page = parse(await jsonOf(await this.#target.request(path)));
      rows.push(...page.data);
      cursor = page.next_cursor;
    }
    return rows;
  }
}
