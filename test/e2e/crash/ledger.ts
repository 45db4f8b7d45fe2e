import { expect } from 'vitest';
import { codecFor } from '../../../src/domain/items/codecs.ts';
import type { Format, Item } from '../../../src/domain/items/item.ts';
import { isTerminal, type LoggedEvent, type SessionClient } from '../api-client.ts';
import type { Batch, Writer } from './writer.ts';

/** What is known of one session from outside, held against its log after every restart. */
export class Ledger {
  readonly session: SessionClient;
  readonly writers: readonly Writer[];
  readonly #format: Format;
  readonly #log: LoggedEvent[] = [];
  readonly #checked = new Map<Writer, number>();

  constructor(session: SessionClient, format: Format, writers: readonly Writer[]) {
    this.session = session;
    this.#format = format;
    this.writers = writers;
  }

  /** Reads what is new in the log and checks it against what was acknowledged since. */
  async check(): Promise<void> {
    this.#log.push(...(await this.session.events(this.#log.length)));
    expect(this.#log.map(({ version }) => version)).toEqual(this.#log.map((_, index) => index + 1));
    for (const writer of this.writers) this.#checkAcknowledged(writer);
    const { items } = await this.session.context();
    expect(codecFor(this.#format).violations(items)).toEqual([]);
  }

  /**
   * Waits for the end of every compaction; then the log holds exactly what was sent, once, each
   * compaction has ended once, and nothing of the log has changed since it was first read.
   */
  async settle(): Promise<void> {
    for (const writer of this.writers) await writer.settle();
    await this.check();
    const requested = this.#log.filter(({ type }) => type === 'compaction.requested');
    const ids = requested.map(({ data }) => String(data.compaction_id));
    // One at a time: only the last of them can be under way.
    for (const id of ids.slice(-1)) await this.session.ended(id);
    await this.check();
    const ends = this.#log.filter(isTerminal).map(({ data }) => String(data.compaction_id));
    expect(ends).toEqual(ids);
    for (const { compactions } of this.writers) {
      for (const id of compactions) expect(ids).toContain(id);
    }
    this.#checkNothingElse();
    expect(await this.session.events()).toEqual(this.#log);
  }

  /** How often an event of this type is in the log. */
  count(type: string): number {
    return this.#log.filter((event) => event.type === type).length;
  }

  /** Every acknowledged item stands where the answer said, in the order of the answers. */
  #checkAcknowledged(writer: Writer): void {
    const from = this.#checked.get(writer) ?? 0;
    for (const { items, answer } of writer.acknowledged.slice(from)) {
      const stored = this.#log.slice(answer.first_seq - 1, answer.last_seq);
      expect(stored.map(({ data }) => data.item)).toEqual(items);
    }
    this.#checked.set(writer, writer.acknowledged.length);
    const seqs = writer.acknowledged.map(({ answer }) => answer.first_seq);
    expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
  }

  /** All batches of all writers are in the log once, cut-off ones without a key at most once. */
  #checkNothingElse(): void {
    const appended = this.#log.filter(({ type }) => type === 'item.appended');
    const places = new Map<string, number[]>();
    for (const { version, data } of appended) {
      const text = JSON.stringify(data.item);
      places.set(text, [...(places.get(text) ?? []), version]);
    }
    const take = ({ items }: Batch): number[] => items.flatMap((item) => taken(places, item));
    for (const { acknowledged, uncertain } of this.writers) {
      for (const batch of acknowledged) expect(take(batch)).toHaveLength(batch.items.length);
      for (const batch of uncertain) expect([0, batch.items.length]).toContain(take(batch).length);
    }
    expect([...places.keys()]).toEqual([]);
  }
}

function taken(places: Map<string, number[]>, item: Item): number[] {
  const text = JSON.stringify(item);
  const found = places.get(text) ?? [];
  places.delete(text);
  return found;
}
