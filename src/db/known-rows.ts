import { LRUCache } from 'lru-cache';
import type { SessionRef } from '../app/ports/event-store.ts';
import { sessionKey } from '../app/session-key.ts';
import type { StoredRow } from './event-codec.ts';
import { TYPES_WITH_LEDGER } from './unread-ledger.ts';

/** What all sessions together may take, in bytes. */
const MOST_BYTES = 8_000_000;
/** What takes less is read as fast as it is looked for, in bytes. */
const LEAST_BYTES = 8_000;
/** What another process has erased stays no longer, in milliseconds. */
const KEPT_MS = 10 * 60_000;

/** A row, known by its hash, which no other event has. */
export type Known<Row extends StoredRow> = { row: Row; bytes: number };

/** The hash of a row, or one that no event has, for a statement that is to leave the row's data out. */
export function knownHash(known: Known<StoredRow> | undefined): string {
  return known?.row.hash ?? '';
}

/**
 * Of each session that was read lately the newest event that may end in a ledger. Every read of a context
 * begins with it, and its data grows with the history, while the events after it do not.
 */
export class KnownRows<Row extends StoredRow> {
  readonly #newest = new LRUCache<string, Known<Row>>({
    maxSize: MOST_BYTES,
    sizeCalculation: ({ bytes }) => bytes,
    ttl: KEPT_MS,
    ttlAutopurge: true,
  });

  of(ref: SessionRef): Known<Row> | undefined {
    return this.#newest.get(sessionKey(ref));
  }

  /** Keeps what was read, oldest or newest first. */
  keep(ref: SessionRef, rows: readonly Row[]): void {
    let row: Row | undefined;
    for (const one of rows) {
      if (!TYPES_WITH_LEDGER.includes(one.type)) continue;
      if (row === undefined || one.version > row.version) row = one;
    }
    const known = this.of(ref)?.row;
    if (row === undefined || known?.hash === row.hash) return;
    // What is searched or listed may be older.
    if (known !== undefined && known.version > row.version) return;
    const bytes = Buffer.byteLength(row.data);
    if (bytes >= LEAST_BYTES) this.#newest.set(sessionKey(ref), { row, bytes });
  }

  forget(ref: SessionRef): void {
    this.#newest.delete(sessionKey(ref));
  }
}
