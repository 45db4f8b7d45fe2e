import { z } from 'zod';
import type { Decide } from '../../domain/session/decision.ts';
import type { Outcome } from '../../domain/session/errors.ts';
import {
  type EventType,
  modeSchema,
  type SessionEvent,
  triggerSchema,
} from '../../domain/session/events.ts';
import type { Head } from '../../domain/session/head.ts';

/** A session of a tenant. A tenant sees only its own sessions (SPEC section 19). */
export type SessionRef = { tenant: string; session_id: string };

const OUTCOMES = [
  'skipped',
  'not_needed',
  'micro_compacted',
  'full_compacted',
  'remote_compacted',
  'proposed',
  'discarded',
  'failed',
  'cancelled',
] as const;
export type CompactionOutcome = (typeof OUTCOMES)[number];

/** Why a proposal was discarded: somebody asked for that, or another compaction came before it. */
export type DiscardReason = 'requested' | 'superseded';

const tokens = z.int().min(0).nullable();

/**
 * One compaction as the projection keeps it, each field in a column of its name: what lists and checks
 * need. Everything else is read from its events.
 */
export const compactionRowSchema = z.object({
  id: z.string(),
  status: z.enum(['queued', 'running', 'ended']),
  outcome: z.enum(OUTCOMES).nullable(),
  mode: modeSchema,
  trigger: triggerSchema,
  reason: z.string(),
  /** Why an ended one was skipped, has failed or was discarded. */
  outcome_reason: z.string().nullable(),
  attempts: z.int(),
  tokens_before: tokens,
  tokens_after: tokens,
  requested_at: z.string(),
  ended_at: z.string().nullable(),
  reverted_at: z.string().nullable(),
  requested_version: z.int(),
  ended_version: z.int().nullable(),
  /** `RecordedCost` as JSON. */
  cost: z.string(),
});
export type CompactionRow = z.infer<typeof compactionRowSchema>;

export type StoredEvent = SessionEvent & { hash: string };

/** An event as a store keeps it: `data` is JSON text, exactly as it was hashed. */
export const eventRowSchema = z.strictObject({
  version: z.int(),
  type: z.string(),
  at: z.string(),
  schema_version: z.int(),
  data: z.string(),
  hash: z.string(),
});
export type EventRow = z.infer<typeof eventRowSchema>;

/** A client's `Idempotency-Key` and a fingerprint (SHA-256) of the request body. */
export type Idempotency = { key: string; fingerprint: string };

export type CommitOptions = {
  /** Time of the events, ISO 8601; the domain has no clock. */
  at: string;
  idempotency?: Idempotency;
};

/** `replayed`: the value is the one stored under the same idempotency key; nothing was appended. */
export type Committed<T> = { value: T; replayed: boolean };

export type EventQuery = {
  /** Only events with a greater version. */
  after?: number;
  /** Only events up to this version. */
  up_to?: number;
  types?: readonly EventType[];
  limit?: number;
  /** Ends with the event with which the data reaches so many bytes. */
  max_bytes?: number;
  /** Bytes of data: rejects with `ElsewhereError` rather than to parse an event that has more. */
  largest?: number;
  /** Rejects with `ElsewhereError` rather than to parse events that have more JSON values in all. */
  most_values?: number;
  /** Default: oldest first. */
  newest_first?: boolean;
};

/** A whole session as it was read from an export: its rows, and what follows from them. */
export type RestoredSession = {
  rows: readonly EventRow[];
  head: Head;
  hash: string;
  compactions: readonly CompactionRow[];
};

/** `is_archived`: its events are in the archive. */
export type SessionPage = { ref: SessionRef; head: Head; is_archived: boolean };

/** `cursor` is the opaque `next_cursor` of the page before. */
export type PageQuery = { limit: number; cursor?: string | undefined };

/** `next_cursor` is null when there is nothing more. */
export type Page<T> = { data: T[]; next_cursor: string | null };

/** A compaction that has no terminal event yet; `requested_at` in ISO 8601. */
export type PendingCompaction = { ref: SessionRef; compaction_id: string; requested_at: string };

export type VerifyReport = {
  sessions: number;
  events: number;
  /** One sentence per difference found; empty when everything matches. */
  problems: string[];
};

/**
 * The event store (SPEC section 3). Contract: events of a session are contiguous from version 1 and
 * never change; head and projections are written with them in one transaction; an answered commit
 * survives a crash. Every method rejects with `StoreUnavailableError` while the database cannot be
 * reached, `commit` and `erase` with `StoreBusyError` when another writer holds on for too long, and with
 * `ArchiveError` when it needs the events of an archived session and cannot bring them back. Not in the
 * contract: the order of events across sessions.
 */
export interface EventStore {
  /** Runs a command on one session and appends its events atomically. Values must be JSON. */
  commit<T>(
    ref: SessionRef,
    decide: Decide<T>,
    options: CommitOptions,
  ): Promise<Outcome<Committed<T>>>;
  head(ref: SessionRef): Promise<Head | null>;
  /** Oldest first, unless the query says otherwise. */
  events(ref: SessionRef, query?: EventQuery): Promise<StoredEvent[]>;
  /** Events as they are stored and hashed, oldest first: what an export is made of. */
  rows(
    ref: SessionRef,
    query: { after: number; limit: number; max_bytes?: number },
  ): Promise<EventRow[]>;
  /** Writes a whole session at once; false, with nothing written, when the id is taken. */
  restore(ref: SessionRef, session: RestoredSession): Promise<boolean>;
  /** Newest first. */
  sessions(tenant: string, page: PageQuery): Promise<Page<SessionPage>>;
  compactions(ref: SessionRef, page: PageQuery): Promise<Page<CompactionRow>>;
  compaction(ref: SessionRef, id: string): Promise<CompactionRow | null>;
  /** Compactions that have no terminal event yet: the outbox of the dispatcher. Oldest first. */
  pending(limit: number): Promise<PendingCompaction[]>;
  /** Sessions that have to be looked at though nobody called, up to a time in ms; oldest first. */
  due(nowMs: number, limit: number): Promise<SessionRef[]>;
  /** Erases every row of the session; false when there was none. */
  erase(ref: SessionRef): Promise<boolean>;
  /**
   * Calls back after commits that touched the session, sometimes without one; answers a function that
   * stops it. Commits of other processes may be told late or missed: look from time to time.
   */
  subscribe(ref: SessionRef, listener: () => void): () => void;
  /**
   * Calls back after each commit, whatever its session, as far as this process hears of it; answers a
   * function that stops it.
   */
  hear(listener: (ref: SessionRef) => void): () => void;
  /** Calls back for a commit that another thread of this process has made, and named by this key. */
  ring(key: string): void;
  /** The disk has refused a write of another thread: `ping` tries whether it takes one again. */
  doubt(): void;
  /**
   * Recomputes hash chains, heads and projections from the events and reports any difference. Begins with
   * no other session after `until` (`performance.now()`).
   */
  verify(until?: number): Promise<VerifyReport>;
  /**
   * Writes heads and projections anew from the events. Sessions whose log is damaged are left as they
   * are; the report names the damage.
   */
  rebuild(): Promise<VerifyReport>;
  /** Throws when the store cannot be used. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
