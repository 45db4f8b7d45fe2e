import { and, asc, eq, lte } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { LRUCache } from 'lru-cache';
import type { SessionRef } from '../../app/ports/event-store.ts';
import { type Head, type Settings, type State, wakeAtMs } from '../../domain/session/head.ts';
import { fittingRows, type ListedSessions } from '../cursor.ts';
import { sessionKey } from '../session-key.ts';
import type { Database, Statement } from './driver.ts';
import { sessions } from './schema.ts';

/** A session's row: where it stands in the creation order, its head, its newest event's hash. */
export type SessionRow = { created_order: number; head: Head; hash: string };

type TextRow = { created_order: number; hash: string; state: string; settings: string };

/** Heads kept in memory: so many characters of JSON, of which a plain one has about 2,000. */
const CACHED_CHARACTERS = 32_000_000;
/** What a head has beside its settings and the ids of open calls and commands, in characters. */
const PLAIN_STATE = 2_000;
/** What stands around an id of those. */
const AROUND_ID = 10;

/**
 * Reads and writes the `sessions` rows, with the parsed heads of recent ones kept in memory. The
 * heads are shared with everybody who reads them: they are never changed, only replaced.
 */
export class SessionRows {
  readonly #cache = new LRUCache<string, SessionRow>({
    maxSize: CACHED_CHARACTERS,
    sizeCalculation: ({ head }) => this.#sizeOf(head),
  });
  /** Settings rarely change: appends hand on the same object. */
  readonly #settingsSizes = new WeakMap<Settings, number>();
  #dataVersion: number | undefined;
  readonly #readDataVersion: Statement<[], number>;
  readonly #select: Statement<[string, string], TextRow>;
  readonly #selectSizes: Statement<[string, number, number], { size: number }>;
  readonly #selectPage: Statement<[string, number, number], TextRow & { session_id: string }>;
  readonly #orm;
  readonly #insert: Statement<[string, string, number, string, string, string, number | null]>;
  readonly #updateState: Statement<[number, string, string, number | null, number]>;
  readonly #updateAll: Statement<[number, string, string, number | null, string, number]>;

  constructor(db: Database) {
    this.#orm = drizzle(db);
    this.#readDataVersion = db.prepare<[], number>('PRAGMA data_version').pluck();
    this.#select = db.prepare(
      'SELECT created_order, hash, state, settings FROM sessions WHERE tenant = ? AND session_id = ?',
    );
    const newest =
      'FROM sessions WHERE tenant = ? AND created_order < ? ORDER BY created_order DESC LIMIT ?';
    this.#selectSizes = db.prepare(`SELECT length(state) + length(settings) AS size ${newest}`);
    this.#selectPage = db.prepare(
      `SELECT created_order, session_id, hash, state, settings ${newest}`,
    );
    this.#insert = db.prepare(
      `INSERT INTO sessions (tenant, session_id, version, hash, state, settings, wake_at_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#updateState = db.prepare(
      'UPDATE sessions SET version = ?, hash = ?, state = ?, wake_at_ms = ? WHERE created_order = ?',
    );
    this.#updateAll = db.prepare(
      `UPDATE sessions SET version = ?, hash = ?, state = ?, wake_at_ms = ?, settings = ?
       WHERE created_order = ?`,
    );
  }

  /** Forgets every cached head when another connection has written since the last call. */
  refresh(): void {
    const dataVersion = this.#readDataVersion.get();
    if (dataVersion === this.#dataVersion) return;
    this.#cache.clear();
    this.#dataVersion = dataVersion;
  }

  /** The row of a session; call `refresh` before, once per transaction. */
  load(ref: SessionRef): SessionRow | null {
    const key = sessionKey(ref);
    const cached = this.#cache.get(key);
    if (cached) return cached;
    const row = this.#select.get(ref.tenant, ref.session_id);
    if (!row) return null;
    const session = {
      created_order: row.created_order,
      head: parseHead(row),
      hash: row.hash,
    };
    this.remember(key, session);
    return session;
  }

  /**
   * Newest first, at most `limit`, and fewer when their heads are large; only those that were created
   * before the place, when there is one. Sizes are read first, and then no more than is shown.
   */
  list(tenant: string, limit: number, before = Number.MAX_SAFE_INTEGER): ListedSessions {
    const found = this.#selectSizes.all(tenant, before, limit + 1);
    const fitting = fittingRows(
      found.map(({ size }) => size),
      limit,
    );
    const rows = this.#selectPage.all(tenant, before, fitting).map((row) => ({
      created_order: row.created_order,
      ref: { tenant, session_id: row.session_id },
      head: parseHead(row),
    }));
    return { rows, has_more: found.length > fitting };
  }

  /** Sessions whose time to be looked at has come, oldest first. */
  due(nowMs: number, limit: number): SessionRef[] {
    const { tenant, session_id, wake_at_ms } = sessions;
    return this.#orm
      .select({ tenant, session_id })
      .from(sessions)
      .where(lte(wake_at_ms, nowMs))
      .orderBy(asc(wake_at_ms))
      .limit(limit)
      .all();
  }

  /** Adds a row and answers its place in the creation order. */
  insert(ref: SessionRef, head: Head, hash: string): number {
    const { lastInsertRowid } = this.#insert.run(
      ref.tenant,
      ref.session_id,
      head.state.version,
      hash,
      JSON.stringify(head.state),
      JSON.stringify(head.settings),
      wakeAtMs(head.state),
    );
    return Number(lastInsertRowid);
  }

  /** Settings are written only when asked for: they rarely change and may be large. */
  update(session: SessionRow, withSettings: boolean): void {
    const { head, hash, created_order } = session;
    const { version } = head.state;
    const state = JSON.stringify(head.state);
    const wakeAt = wakeAtMs(head.state);
    if (withSettings) {
      const settings = JSON.stringify(head.settings);
      this.#updateAll.run(version, hash, state, wakeAt, settings, created_order);
    } else {
      this.#updateState.run(version, hash, state, wakeAt, created_order);
    }
  }

  /** Keeps a committed row; those that were not used for longest make room. */
  remember(key: string, session: SessionRow): void {
    this.#cache.set(key, session);
  }

  #sizeOf({ settings, state }: Head): number {
    let size = this.#settingsSizes.get(settings);
    if (size === undefined) {
      size = JSON.stringify(settings).length;
      this.#settingsSizes.set(settings, size);
    }
    return size + sizeOfState(state);
  }

  forget(key: string): void {
    this.#cache.delete(key);
  }

  /** Deletes the session with all its rows; false when there was none. */
  erase(ref: SessionRef): boolean {
    // The rows of the other tables go with it (ON DELETE CASCADE).
    const { changes } = this.#orm
      .delete(sessions)
      .where(and(eq(sessions.tenant, ref.tenant), eq(sessions.session_id, ref.session_id)))
      .run();
    this.forget(sessionKey(ref));
    return changes > 0;
  }
}

/** About how many characters of JSON a state has; cheap, as it is asked with every append. */
export function sizeOfState({ open_commands, open_calls }: State): number {
  const { calls, results, succeeded } = open_calls;
  const ids = [open_commands.map(({ id }) => id), ...calls, results, succeeded].flat();
  return ids.reduce((sum, id) => sum + id.length + AROUND_ID, PLAIN_STATE);
}

/** The head of a row. Throws when its text is no JSON, which only damage can cause. */
export function parseHead(row: Pick<TextRow, 'state' | 'settings'>): Head {
  return { settings: JSON.parse(row.settings), state: JSON.parse(row.state) };
}
