import type { Format } from '../domain/items/codecs.ts';
import type { Json } from '../domain/json.ts';
import type { SyncedHistory } from '../domain/session/sync-history.ts';
import type { Expected } from './append.ts';
import type { Idempotency } from './ports/event-store.ts';
import type { Ports } from './ports/ports.ts';
import type { Telling } from './telling.ts';
import type { TellingStart } from './told-chain.ts';

export type Sync = {
  /** The client's whole history, unchecked; at least one item. */
  items: readonly Json[];
  /** What the history has before these items, where that is known; without, they are all of it. */
  start?: TellingStart;
  /** What the items are written in; by default what the session is. */
  format: Format | undefined;
  on_divergence: 'fork' | 'reject';
  /**
   * Whether a history that ends before the log does takes nothing back: the client has left its newest
   * round out on purpose. The answer then has the version that the history stands at.
   */
  is_excerpt?: boolean;
  /** Whether the caller reads the context afterwards (default), which may be too much for this thread. */
  reads_context?: boolean;
  /**
   * From how many characters of the model on the instructions that a history begins with may go on otherwise
   * each time: for callers who give the model those that it tells, whichever the log has.
   */
  vary_after?: number;
  /** The same items as they were taken in already, if somebody has. */
  telling?: Telling;
  expected: Expected | null;
  idempotency: Idempotency | null;
};

/** Where a history with another past goes on; `index` is the first item that the parent does not have. */
export type Divergence = {
  session_id: string;
  parent_session_id: string;
  parent_version: number;
  index: number;
};

/** `matched` and `appended` together are the items of the client, but for a compaction trigger. */
export type Synced = {
  session_id: string;
  version: number;
  matched: number;
  appended: number;
  /** Items of the log that the client does not have: they stand in the context no more. */
  superseded: number[];
  /** The client has compacted its history since the last time. */
  is_compacted_by_client: boolean;
  divergence: Divergence | null;
} & Pick<NonNullable<SyncedHistory['appended']>, 'compaction' | 'advice' | 'note'>;

export type SyncPorts = Pick<
  Ports,
  'store' | 'largestHere' | 'world' | 'dispatch' | 'cancelJob' | 'clock' | 'newId' | 'loadTokenizer'
>;

export type Done = { synced: Synced; replayed: boolean };
export type Step =
  | ({ kind: 'done' } & Done)
  /** Somebody else has written to the session in between. */
  | { kind: 'again' }
  /** There is a fork already that the history may go on in. */
  | { kind: 'forked'; divergence: Divergence };
