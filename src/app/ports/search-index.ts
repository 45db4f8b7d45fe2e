import type { Format } from '../../domain/items/codecs.ts';
import type { DocumentRole, Kind } from '../../domain/search/documents.ts';
import type { Lookup } from '../../domain/search/query.ts';
import type { Tokens } from '../../domain/search/tokens.ts';
import type { ArchivedSessions } from './archive.ts';
import type { EventStore, SessionRef, StoredEvent } from './event-store.ts';
import type { StoreWithKeys } from './gateway-keys.ts';

/** A document as it is written: one piece of what an event says. */
export type NewDocument = {
  seq: number;
  /** Its place among the documents of its event. */
  part: number;
  at_ms: number;
  kind: Kind;
  role: DocumentRole | null;
  tool: string | null;
  /** Of a call. */
  call_id: string | null;
  tokens: Tokens;
};

/** Whose documents: a tenant's, or one session's up to a `seq`. */
export type SearchScope = { tenant: string; session: { id: string; up_to: number } | null };

/** What documents have to be, as far as the index knows it. Bounds are exclusive; times in ms. */
export type SearchFilters = {
  role?: DocumentRole | undefined;
  kind?: Kind | undefined;
  tool?: string | undefined;
  after?: number | undefined;
  before?: number | undefined;
  since_ms?: number | undefined;
  until_ms?: number | undefined;
};

/** One of each of `all`, and none of `none`; without both every document. */
export type IndexQuery = {
  scope: SearchScope;
  filters: SearchFilters;
  all: readonly (readonly Lookup[])[];
  none: readonly Lookup[];
  /** Only documents that are older than this one. */
  before_id?: number | undefined;
  limit: number;
};

export type FoundDocument = Omit<NewDocument, 'tokens' | 'call_id'> & {
  /** Ascending with age inside of a session; sessions by their creation. */
  id: number;
  session_id: string;
};

export type IndexPosition = {
  format: Format;
  /** Of the log. */
  version: number;
  /** Up to here it is indexed. */
  indexed: number;
  /** In the index; `begun` of them, the last ones, are of the next events, which are not whole there. */
  documents: number;
  begun: number;
};

/** Where a session stands in the index. */
export type Reached = Pick<IndexPosition, 'indexed' | 'begun'>;

/**
 * The search index, a projection of the log that is written behind it. Contract: what `write` was told
 * is found until the session is erased, in every process; ranges are written in their order, each once,
 * whoever writes them.
 */
export interface SearchIndex {
  /** Null when there is no such session. */
  position(ref: SessionRef): Promise<IndexPosition | null>;
  /** All sessions, a page after one, by their creation; `next` is null at the end. */
  positions(
    after: number,
    limit: number,
  ): Promise<{ data: (IndexPosition & { ref: SessionRef })[]; next: number | null }>;
  /**
   * The sessions of a tenant or (null) of all with events that are not in the index, a page after one, by their
   * creation; `next` is null at the end.
   */
  behind(
    tenant: string | null,
    after: number,
    limit: number,
  ): Promise<{ data: SessionRef[]; next: number | null }>;
  /**
   * The tools of calls of the session, by their ids, among its first documents, of which there are
   * `before`. Where an id was used again it is the newest one's.
   */
  toolsOf(
    ref: SessionRef,
    callIds: readonly string[],
    before: number,
  ): Promise<Map<string, string>>;
  /** Sessions of a tenant in which a call with this id stands, the newest first; at most so many. */
  sessionsOfCall(tenant: string, callId: string, limit: number): Promise<string[]>;
  /**
   * Adds what the events after those that are indexed say: the last of it when `to` is where they end,
   * else (`null`) there is more to come. False, with nothing written, when the session does not stand at
   * `from`: it was erased, or somebody else was faster.
   */
  write(
    ref: SessionRef,
    from: Reached,
    to: number | null,
    documents: readonly NewDocument[],
  ): Promise<boolean>;
  /**
   * The `seq`s of those documents of a session that the index does not have as they are; `first` is the
   * number of the first of them (from 0).
   */
  wrong(ref: SessionRef, first: number, documents: readonly NewDocument[]): Promise<number[]>;
  /** Newest first, by their ids. */
  find(query: IndexQuery): Promise<FoundDocument[]>;
  /** How many documents have all that is looked up; of many only about. */
  frequency(scope: SearchScope, lookups: readonly Lookup[]): Promise<number>;
  /** How many documents there are. */
  size(scope: SearchScope): Promise<number>;
  /**
   * The events of documents with the format of their sessions, by the ids of the documents; those that
   * come after so many bytes, and what was erased, are left out. Rejects with `ElsewhereError` rather
   * than to parse an event of more than `largest` bytes.
   */
  events(
    documents: readonly FoundDocument[],
    max_bytes: number,
    largest?: number,
  ): Promise<Map<number, { event: StoredEvent; format: Format }>>;
  /** Forgets everything: all sessions are behind then. */
  clear(): Promise<void>;
  /** Forgets what it has of one session. */
  forget(ref: SessionRef): Promise<void>;
}

/** A store with the index of its events, the keys of the gateway, and the archived sessions beside it. */
export type SearchableStore = EventStore & {
  readonly search: SearchIndex;
  readonly archived: ArchivedSessions;
} & StoreWithKeys;
