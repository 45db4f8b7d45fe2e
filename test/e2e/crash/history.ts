import { isDeepStrictEqual } from 'node:util';
import type { Item } from '../../../src/domain/items/item.ts';
import { type Appended, isTerminal, type LoggedEvent } from '../api-client.ts';

/** Items that were sent in one request; `key` is their `Idempotency-Key`. */
export type Batch = { items: Item[]; key: string | null };
export type Acknowledged = Batch & { answer: Appended };

/** What one client knows of one session. */
export type ClientRecord = {
  /** Name of the client, for messages. */
  readonly name: string;
  /** In the order of the answers. */
  readonly acknowledged: readonly Acknowledged[];
  /** Sent without a key and not answered: nobody can know whether they were carried out. */
  readonly uncertain: readonly Batch[];
  /** Answered with a refusal: must not be in the log. */
  readonly refused: readonly Batch[];
  /** Compactions that the service said it would run. */
  readonly compactions: ReadonlySet<string>;
};

/** `lost` and `duplicated` count items; every finding has a sentence in `problems`. */
export type Findings = { lost: number; duplicated: number; problems: string[] };

/**
 * Holds what the clients of a session know against its log: every acknowledged item is there once,
 * where the answer said and in the order of the answers; nothing else is there but what was sent and
 * may have been carried out; each requested compaction has at most one end, and exactly one once the
 * session is `settled` (no compaction under way, no request open).
 */
export function checkHistory(
  log: readonly LoggedEvent[],
  records: readonly ClientRecord[],
  settled: boolean,
): Findings {
  const found = new Finder();
  const gap = log.findIndex(({ version }, index) => version !== index + 1);
  if (gap >= 0) found.add(`version ${log[gap]?.version} stands at place ${gap + 1} of the log`);
  const places = placesOf(log);
  for (const record of records) checkAcknowledged(log, places, record, found);
  for (const record of records) checkUnacknowledged(places, record, found);
  if (settled) {
    for (const [item, versions] of places) {
      found.add(`nobody sent what stands at ${versions.join(', ')}: ${item.slice(0, 80)}`);
    }
  }
  checkCompactions(log, records, settled, found);
  return found.findings();
}

/** Versions of the appended items by their text. Every item that a client sends is different. */
type Places = Map<string, number[]>;

function placesOf(log: readonly LoggedEvent[]): Places {
  const places: Places = new Map();
  for (const { type, version, data } of log) {
    if (type !== 'item.appended') continue;
    const text = JSON.stringify(data.item);
    places.set(text, [...(places.get(text) ?? []), version]);
  }
  return places;
}

function checkAcknowledged(
  log: readonly LoggedEvent[],
  places: Places,
  { name, acknowledged }: ClientRecord,
  found: Finder,
): void {
  let last = 0;
  for (const { items, answer } of acknowledged) {
    const { first_seq, last_seq } = answer;
    const what = `${name}: items ${first_seq} to ${last_seq}`;
    if (first_seq <= last) found.add(`${what} were answered after item ${last}`);
    last = last_seq;
    const stored = log.slice(first_seq - 1, last_seq).map(({ data }) => data.item);
    if (!isDeepStrictEqual(stored, items)) found.add(`${what} are not what was acknowledged`);
    for (const item of items) {
      const versions = take(places, item);
      if (versions.length === 0) found.lost(`${what}: acknowledged and not in the log`);
      if (versions.length > 1) found.duplicated(`${what}: in the log at ${versions.join(', ')}`);
    }
  }
}

function checkUnacknowledged(
  places: Places,
  { name, uncertain, refused }: ClientRecord,
  found: Finder,
): void {
  for (const { items } of uncertain) {
    const versions = items.map((item) => take(places, item));
    const present = versions.filter(({ length }) => length > 0).length;
    if (present !== 0 && present !== items.length) {
      found.add(`${name}: ${present} of ${items.length} items of one request are in the log`);
    }
    for (const several of versions.filter(({ length }) => length > 1)) {
      found.duplicated(`${name}: sent once, in the log at ${several.join(', ')}`);
    }
  }
  for (const { items } of refused) {
    const versions = items.flatMap((item) => take(places, item));
    if (versions.length > 0)
      found.add(`${name}: refused, but in the log at ${versions.join(', ')}`);
  }
}

function checkCompactions(
  log: readonly LoggedEvent[],
  records: readonly ClientRecord[],
  settled: boolean,
  found: Finder,
): void {
  const ends = new Map<string, number[]>();
  for (const event of log) {
    if (event.type === 'compaction.requested') ends.set(String(event.data.compaction_id), []);
    if (!isTerminal(event)) continue;
    const id = String(event.data.compaction_id);
    const known = ends.get(id);
    if (known === undefined) found.add(`${id} ended at ${event.version} without a request`);
    else known.push(event.version);
  }
  for (const [id, versions] of ends) {
    if (versions.length > 1) found.add(`compaction ${id} ended at ${versions.join(' and ')}`);
    if (settled && versions.length === 0) found.add(`compaction ${id} has not ended`);
  }
  for (const { name, compactions } of records) {
    for (const id of compactions) {
      if (!ends.has(id)) found.add(`${name}: compaction ${id} was promised and is not in the log`);
    }
  }
}

function take(places: Places, item: Item): number[] {
  const text = JSON.stringify(item);
  const found = places.get(text) ?? [];
  places.delete(text);
  return found;
}

class Finder {
  #lost = 0;
  #duplicated = 0;
  readonly #problems: string[] = [];

  lost(problem: string): void {
    this.#lost += 1;
    this.add(problem);
  }

  duplicated(problem: string): void {
    this.#duplicated += 1;
    this.add(problem);
  }

  add(problem: string): void {
    this.#problems.push(problem);
  }

  findings(): Findings {
    return { lost: this.#lost, duplicated: this.#duplicated, problems: this.#problems };
  }
}
