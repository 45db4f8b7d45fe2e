import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import type {
  CommitOptions,
  Committed,
  CompactionRow,
  EventQuery,
  EventRow,
  EventStore,
  Page,
  PageQuery,
  PendingCompaction,
  RestoredSession,
  SessionPage,
  SessionRef,
  StoredEvent,
  VerifyReport,
} from '../../app/ports/event-store.ts';
import type { SearchableStore } from '../../app/ports/search-index.ts';
import { StoreTroubleError } from '../../app/ports/store-trouble-error.ts';
import { sessionKey } from '../../app/session-key.ts';
import type { Decide } from '../../domain/session/decision.ts';
import type { Outcome } from '../../domain/session/errors.ts';
import type { Head } from '../../domain/session/head.ts';
import { compactionPage, decodeCursor } from '../cursor.ts';
import { decodeEvents } from '../event-codec.ts';
import { queued } from '../group-plan.ts';
import { type Known, KnownRows } from '../known-rows.ts';
import { Listeners, type StoreCallbacks } from '../listeners.ts';
import { READ_HEAD_VERSION, renewHeads, WRITE_HEAD_VERSION } from '../renew-heads.ts';
import { mayBeBack, sessionPage } from '../session-row.ts';
import { PostgresArchivedSessions } from './archived-sessions.ts';
import { listCompactions, listPending, readCompactions } from './compaction-rows.ts';
import { listEvents } from './event-rows.ts';
import { PostgresGatewayKeys } from './gateway-keys.ts';
import { GroupWriter, type Pools } from './group-writer.ts';
import { Hosts } from './hosts.ts';
import { migrate } from './migrate.ts';
import { Notifier } from './notifier.ts';
import { openPool, openWriters, select } from './open-pool.ts';
import { PostgresReplayer } from './replayer.ts';
import { restoreSession } from './restore-session.ts';
import { PostgresSearchIndex } from './search-index.ts';
import { listDue, listSessions, readArchiving, readSession } from './session-rows.ts';
import { asStoreError, storeErrors } from './store-error.ts';

export type PostgresOptions = StoreCallbacks & {
  /** `postgres://USER:PASSWORD@HOST:PORT/DATABASE`, with one host or several; the database must exist. */
  url: string;
  /** Told of trouble that belongs to no call: idle connections that break, notifications. */
  onError: (error: unknown) => void;
};

const POOL_SIZE = 8;
const WRITERS_SIZE = 2;
/** Most connections at a time; one more listens for the commits of other processes. */
const PROCESS = { pool: POOL_SIZE, writers: WRITERS_SIZE };
const THREAD_POOL_SIZE = 2;
const THREAD_WRITERS_SIZE = 1;
/** The same for each thread of the process. */
const THREAD = { pool: THREAD_POOL_SIZE, writers: THREAD_WRITERS_SIZE };

/** How long a server may take to answer a ping, in milliseconds. */
const PING_TIMEOUT_MS = 2_000;

/**
 * Opens the event store in a PostgreSQL database, which is migrated as needed; any number of
 * processes may do so at once. Throws `StoreUnavailableError` when the server cannot be reached, and
 * when a newer release has migrated the database.
 */
export async function openPostgresStore(options: PostgresOptions): Promise<PostgresStore> {
  const { url, onError, onCommitted } = options;
  const hosts = new Hosts(url);
  await hosts.find();
  if (onCommitted !== undefined) {
    const teller = { announce: onCommitted, close: async () => {} };
    return new PostgresStore(hosts, openPools(hosts, onError, THREAD), new Listeners(), teller);
  }
  const listeners = new Listeners();
  const notifier = new Notifier(hosts, listeners, onError);
  try {
    await migrate(hosts);
    await notifier.start();
  } catch (error) {
    throw asStoreError(error);
  }
  const pools = openPools(hosts, onError, PROCESS);
  const { pool } = pools;
  const store = new PostgresStore(hosts, pools, listeners, notifier);
  try {
    const [stored] = await select<{ version: number }>(pool, { text: READ_HEAD_VERSION });
    await renewHeads(
      stored?.version,
      () => store.rebuild(),
      () => pool.query(WRITE_HEAD_VERSION),
      options.onDamage,
    );
    await store.search.renew();
    return store;
  } catch (error) {
    await store.close();
    throw asStoreError(error);
  }
}

function openPools(hosts: Hosts, onError: PostgresOptions['onError'], size: typeof PROCESS): Pools {
  return {
    pool: openPool(hosts, size.pool, onError),
    writers: openWriters(hosts, size.writers, onError),
  };
}

/** Tells others of commits, until it is closed. */
type Announcer = Pick<Notifier, 'announce' | 'close'>;

/**
 * Every method rejects with `StoreUnavailableError` while the server is away, and works again when it
 * is back. What is kept in memory of sessions between calls counts only for writes that the server refuses
 * when it is no longer so, since other processes write too.
 */
export class PostgresStore implements SearchableStore {
  readonly #hosts: Hosts;
  readonly #pool: Pool;
  readonly #writers: Pool;
  readonly #listeners: Listeners;
  readonly #notifier: Announcer;
  readonly #writer: GroupWriter;
  readonly #replayer: PostgresReplayer;
  readonly search: PostgresSearchIndex;
  readonly gatewayKeys: PostgresGatewayKeys;
  readonly archived: PostgresArchivedSessions;
  readonly #known = new KnownRows<EventRow>();
  #closed: Promise<void> | null = null;

  constructor(hosts: Hosts, { pool, writers }: Pools, listeners: Listeners, notifier: Announcer) {
    this.#hosts = hosts;
    this.#pool = pool;
    this.#writers = writers;
    this.#listeners = listeners;
    this.#notifier = notifier;
    this.#writer = new GroupWriter({ pool, writers }, (key) => this.ring(key));
    this.#replayer = new PostgresReplayer(pool);
    this.search = new PostgresSearchIndex(pool);
    this.gatewayKeys = new PostgresGatewayKeys(pool);
    this.archived = new PostgresArchivedSessions(pool);
  }

  /**
   * Rejects with `StoreBusyError` when another process holds the session for longer than five
   * seconds, with `StoreUnavailableError` (which says whether the outcome is known), with what
   * `decide` threw, or with PostgreSQL's own error.
   */
  commit<T>(
    ref: SessionRef,
    decide: Decide<T>,
    options: CommitOptions,
  ): Promise<Outcome<Committed<T>>> {
    return queued({ ref, decide, options }, (command) =>
      this.#writer.enqueue({ kind: 'command', ...command }),
    );
  }

  async head(ref: SessionRef): Promise<Head | null> {
    const session = await storeErrors(readSession(this.#pool, ref));
    return session?.head ?? null;
  }

  async events(ref: SessionRef, query: EventQuery = {}): Promise<StoredEvent[]> {
    const rows = await this.#listed(ref, query, this.#known.of(ref));
    this.#known.keep(ref, rows);
    return decodeEvents(rows, query.most_values);
  }

  rows(ref: SessionRef, query: Parameters<EventStore['rows']>[1]): Promise<EventRow[]> {
    return this.#listed(ref, query);
  }

  /** Throws SessionArchivedError where there may be some in the archive. */
  async #listed(ref: SessionRef, query: EventQuery, known?: Known<EventRow>): Promise<EventRow[]> {
    const list = () => storeErrors(listEvents(this.#pool, ref, query, known));
    const rows = await list();
    if (rows.length > 0) return rows;
    const archiving = await storeErrors(readArchiving(this.#pool, ref));
    return mayBeBack(ref, archiving) ? list() : rows;
  }

  async restore(ref: SessionRef, session: RestoredSession): Promise<boolean> {
    const isNew = await storeErrors(restoreSession(this.#pool, ref, session));
    if (isNew) this.ring(sessionKey(ref));
    return isNew;
  }

  async sessions(tenant: string, { limit, cursor }: PageQuery): Promise<Page<SessionPage>> {
    const before = decodeCursor('sessions', cursor);
    return sessionPage(await storeErrors(listSessions(this.#pool, tenant, before, limit)));
  }

  async compactions(ref: SessionRef, { limit, cursor }: PageQuery): Promise<Page<CompactionRow>> {
    const before = decodeCursor('compactions', cursor);
    const rows = await storeErrors(listCompactions(this.#pool, ref, before, limit + 1));
    return compactionPage(rows, limit);
  }

  async compaction(ref: SessionRef, id: string): Promise<CompactionRow | null> {
    const [row] = await storeErrors(readCompactions(this.#pool, ref, [id]));
    return row ?? null;
  }

  pending(limit: number): Promise<PendingCompaction[]> {
    return storeErrors(listPending(this.#pool, limit));
  }

  due(nowMs: number, limit: number): Promise<SessionRef[]> {
    return storeErrors(listDue(this.#pool, nowMs, limit));
  }

  /** In its turn among the commands for the session: those that were handed in before come first. */
  async erase(ref: SessionRef): Promise<boolean> {
    const existed = await new Promise<boolean>((resolve, reject) => {
      this.#writer.enqueue({ kind: 'erasure', ref, resolve, reject });
    });
    this.#known.forget(ref);
    return existed;
  }

  /** Tells of commits of other processes too, but may miss some when a connection breaks. */
  subscribe(ref: SessionRef, listener: () => void): () => void {
    return this.#listeners.add(ref, listener);
  }

  hear(listener: (ref: SessionRef) => void): () => void {
    return this.#listeners.addForAll(listener);
  }

  ring(key: string): void {
    this.#listeners.notify(key);
    this.#notifier.announce(key);
  }

  doubt(): void {
    // A server that cannot write says so to whoever asks.
  }

  verify(until?: number): Promise<VerifyReport> {
    return this.#replayer.verify(until);
  }

  rebuild(): Promise<VerifyReport> {
    return this.#replayer.rebuild();
  }

  /** Within two seconds, connecting included. Throws also when the server takes no writes. */
  async ping(): Promise<void> {
    const asked = this.#pool.query<{ is_read_only: boolean }>(
      `SELECT current_setting('transaction_read_only') = 'on' AS is_read_only
       FROM (VALUES (1)) AS one LEFT JOIN (SELECT 1 FROM sessions LIMIT 1) AS any_session ON true`,
    );
    const { rows } = await storeErrors(within(PING_TIMEOUT_MS, asked));
    if (rows[0]?.is_read_only) throw new StoreTroubleError('read_only', null);
  }

  /** Commits what is queued, then closes all connections. Closing twice is harmless. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#hosts.close();
    await this.#writer.close();
    await this.#notifier.close();
    await Promise.all([this.#pool.end(), this.#writers.end()]);
  }
}

/** The answer, unless it takes longer; it may come then, and is dropped. */
async function within<T>(ms: number, answer: Promise<T>): Promise<T> {
  const timer = new AbortController();
  const late = sleep(ms, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`timeout exceeded: no answer within ${ms} ms`);
  });
  late.catch(() => {});
  try {
    return await Promise.race([answer, late]);
  } finally {
    timer.abort();
    answer.catch(() => {});
  }
}
