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
import { sessionKey } from '../../app/session-key.ts';
import type { Decide } from '../../domain/session/decision.ts';
import type { Outcome } from '../../domain/session/errors.ts';
import type { Head } from '../../domain/session/head.ts';
import { compactionPage, decodeCursor } from '../cursor.ts';
import { decodeEvents } from '../event-codec.ts';
import { queued } from '../group-plan.ts';
import { Listeners, type StoreCallbacks } from '../listeners.ts';
import { READ_HEAD_VERSION, renewHeads, WRITE_HEAD_VERSION } from '../renew-heads.ts';
import { mayBeBack, sessionPage, wholeWrite } from '../session-row.ts';
import { SqliteArchivedSessions } from './archived-sessions.ts';
import { CompactionRows } from './compaction-rows.ts';
import type { Database, Statement } from './driver.ts';
import { EventRows } from './event-rows.ts';
import { SqliteGatewayKeys } from './gateway-keys.ts';
import { GroupWriter } from './group-writer.ts';
import { IdempotencyRows } from './idempotency-rows.ts';
import { openDatabase, type SqliteOptions } from './open-database.ts';
import { SqliteReplayer } from './replayer.ts';
import { SqliteSearchIndex } from './search-index.ts';
import { SessionRows } from './session-rows.ts';
import { asStoreError, reading } from './store-error.ts';
import { type Tables, writeSession } from './write-session.ts';

/** How often the file is looked at for commits of other processes, while somebody listens. */
const LOOK_EVERY_MS = 100;

/**
 * How long SQLite itself waits for another process once the store is open, in milliseconds: it holds up
 * everything else meanwhile. Writes that need longer wait in the queue of the writer.
 */
const SHORT_WAIT_MS = 10;

/**
 * Opens the event store in an SQLite file, which is created and migrated as needed. Several
 * processes of one machine may open one file. Throws when the file cannot be opened or a newer
 * release has migrated it.
 */
export async function openSqliteStore(options: SqliteOptions): Promise<SqliteStore> {
  const db = openDatabase(options);
  const store = new SqliteStore(db, options);
  try {
    await renewHeads(
      db.prepare<[], number>(READ_HEAD_VERSION).pluck().get(),
      () => store.rebuild(),
      () => db.exec(WRITE_HEAD_VERSION),
      options.onDamage,
    );
    await store.search.renew();
    db.pragma(`busy_timeout = ${SHORT_WAIT_MS}`);
    return store;
  } catch (error) {
    await store.close();
    throw asStoreError(error);
  }
}

/** SQLite runs in the calling thread: every read does its work at once, writes when it is their turn. */
export class SqliteStore implements SearchableStore {
  readonly #db: Database;
  readonly #tables: Tables;
  readonly #writer: GroupWriter;
  readonly #replayer: SqliteReplayer;
  readonly search: SqliteSearchIndex;
  readonly gatewayKeys: SqliteGatewayKeys;
  readonly archived: SqliteArchivedSessions;
  readonly #listeners = new Listeners();
  readonly #readDataVersion: Statement<[], number>;
  #seenDataVersion: number | undefined;
  #look: NodeJS.Timeout | null = null;

  constructor(db: Database, { onCommitted, onTrouble = () => {} }: StoreCallbacks = {}) {
    this.#db = db;
    this.#readDataVersion = db.prepare<[], number>('PRAGMA data_version').pluck();
    this.#tables = {
      sessions: new SessionRows(db),
      events: new EventRows(db),
      compactions: new CompactionRows(db),
      idempotency: new IdempotencyRows(db),
    };
    this.#writer = new GroupWriter(db, this.#tables, {
      onCommitted: (key) => {
        this.#listeners.notify(key);
        onCommitted?.(key);
      },
      onTrouble,
    });
    this.#replayer = new SqliteReplayer(db, this.#tables, this.#writer);
    this.search = new SqliteSearchIndex(db, this.#tables.events, this.#writer);
    this.gatewayKeys = new SqliteGatewayKeys(db, this.#writer);
    this.archived = new SqliteArchivedSessions(db, this.#tables, this.#writer);
  }

  /**
   * Rejects with `StoreBusyError` when another process holds the file for longer than five seconds,
   * with what `decide` threw, or with SQLite's own error.
   */
  commit<T>(
    ref: SessionRef,
    decide: Decide<T>,
    options: CommitOptions,
  ): Promise<Outcome<Committed<T>>> {
    return queued({ ref, decide, options }, (command) => this.#writer.enqueue(command));
  }

  async head(ref: SessionRef): Promise<Head | null> {
    return reading(() => {
      this.#tables.sessions.refresh();
      return this.#tables.sessions.load(ref)?.head ?? null;
    });
  }

  async events(ref: SessionRef, query: EventQuery = {}): Promise<StoredEvent[]> {
    const rows = this.#listed(ref, (events) => events.list(ref, query));
    return decodeEvents(rows, query.most_values);
  }

  async rows(ref: SessionRef, query: Parameters<EventStore['rows']>[1]): Promise<EventRow[]> {
    return this.#listed(ref, (events) => events.texts(ref, query));
  }

  /** Throws SessionArchivedError where there may be some in the archive. */
  #listed<Row>(ref: SessionRef, list: (events: EventRows) => Row[]): Row[] {
    return reading(() => {
      const { events, sessions } = this.#tables;
      const rows = list(events);
      return rows.length === 0 && mayBeBack(ref, sessions.archiving(ref)) ? list(events) : rows;
    });
  }

  async restore(ref: SessionRef, session: RestoredSession): Promise<boolean> {
    const { sessions } = this.#tables;
    const write = this.#db.transaction(() => {
      sessions.refresh();
      if (sessions.load(ref) !== null) return false;
      writeSession(this.#tables, ref, wholeWrite(session, true));
      return true;
    });
    const isNew = await this.#writer.alone(() => write.immediate());
    if (isNew) this.#listeners.notify(sessionKey(ref));
    return isNew;
  }

  async sessions(tenant: string, { limit, cursor }: PageQuery): Promise<Page<SessionPage>> {
    const before = decodeCursor('sessions', cursor);
    return sessionPage(reading(() => this.#tables.sessions.list(tenant, before, limit)));
  }

  async compactions(ref: SessionRef, { limit, cursor }: PageQuery): Promise<Page<CompactionRow>> {
    const before = decodeCursor('compactions', cursor);
    const rows = reading(() => this.#tables.compactions.list(ref, before, limit + 1));
    return compactionPage(rows, limit);
  }

  async compaction(ref: SessionRef, id: string): Promise<CompactionRow | null> {
    return reading(() => this.#tables.compactions.get(ref, id) ?? null);
  }

  async pending(limit: number): Promise<PendingCompaction[]> {
    return this.#tables.compactions.pending(limit);
  }

  async due(nowMs: number, limit: number): Promise<SessionRef[]> {
    return this.#tables.sessions.due(nowMs, limit);
  }

  async erase(ref: SessionRef): Promise<boolean> {
    // Commands that were handed in before come first, or an append would bring the session back.
    const existed = await this.#writer.alone(() => this.#tables.sessions.erase(ref));
    this.#tables.events.forget(ref);
    if (existed) this.#listeners.notify(sessionKey(ref));
    return existed;
  }

  /** Commits of other processes call back within a tenth of a second, those of this one at once. */
  subscribe(ref: SessionRef, listener: () => void): () => void {
    const stop = this.#listeners.add(ref, listener);
    if (this.#look === null) {
      this.#seenDataVersion = this.#readDataVersion.get();
      this.#look = setInterval(() => this.#lookForOthers(), LOOK_EVERY_MS);
      this.#look.unref();
    }
    return stop;
  }

  /** Commits of other processes are not told. */
  hear(listener: (ref: SessionRef) => void): () => void {
    return this.#listeners.addForAll(listener);
  }

  ring(key: string): void {
    this.#listeners.notify(key);
  }

  doubt(): void {
    this.#writer.doubt();
  }

  verify(until?: number): Promise<VerifyReport> {
    return this.#replayer.verify(until);
  }

  rebuild(): Promise<VerifyReport> {
    return this.#replayer.rebuild();
  }

  async ping(): Promise<void> {
    reading(() => this.#db.prepare('SELECT 1 FROM sessions LIMIT 1').get());
    // After a write that failed only a write shows whether it would succeed again.
    if (this.#writer.isInTrouble) await this.#writer.probe();
  }

  /** Commits what is queued, then closes the file. Closing twice is harmless. */
  async close(): Promise<void> {
    this.#stopLooking();
    await this.#writer.close();
    this.#db.close();
  }

  /** SQLite tells that another connection has written, not what: everybody who listens looks. */
  #lookForOthers(): void {
    if (this.#listeners.hasNoSessions) {
      this.#stopLooking();
      return;
    }
    let dataVersion: number | undefined;
    try {
      dataVersion = this.#readDataVersion.get();
    } catch {
      // Held, or in trouble: whoever reads next is told.
      return;
    }
    if (dataVersion === this.#seenDataVersion) return;
    this.#seenDataVersion = dataVersion;
    this.#listeners.notifyAll();
  }

  #stopLooking(): void {
    if (this.#look !== null) clearInterval(this.#look);
    this.#look = null;
  }
}
