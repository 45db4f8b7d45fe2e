import type { SessionRef } from '../../app/ports/event-store.ts';
import { sessionKey } from '../../app/session-key.ts';
import { wakeAtMs } from '../../domain/session/head.ts';
import { fittingRows } from '../cursor.ts';
import type { Current } from '../group-plan.ts';
import { HeadCache } from '../head-cache.ts';
import {
  type Archiving,
  type ListedSessions,
  parseHead,
  refuseOldHead,
  type SessionRow,
} from '../session-row.ts';
import type { Database, Statement } from './driver.ts';

type Place = [tenant: string, before: number, limit: number];
type Written = [
  version: number,
  hash: string,
  state: string,
  settings: string | null,
  wakeAt: number | null,
];

const ONE = 'WHERE tenant = ? AND session_id = ?';

/**
 * Reads and writes the `sessions` rows, with the parsed heads of recent ones kept in memory. The
 * heads are shared with everybody who reads them: they are never changed, only replaced.
 */
export class SessionRows {
  readonly #cache = new HeadCache<Current>();
  #dataVersion: number | undefined;
  readonly #readDataVersion: Statement<[], number>;
  readonly #select: Statement<[string, string], SessionRow>;
  readonly #selectSizes: Statement<Place, { size: number }>;
  readonly #selectPage: Statement<Place, SessionRow>;
  readonly #selectDue: Statement<[nowMs: number, limit: number], SessionRef>;
  readonly #selectArchiving: Statement<[string, string], Archiving>;
  readonly #insert: Statement<[...Written, string, string]>;
  readonly #update: Statement<[...Written, string, string]>;
  readonly #delete: Statement<[string, string]>;

  constructor(db: Database) {
    this.#readDataVersion = db.prepare<[], number>('PRAGMA data_version').pluck();
    this.#select = db.prepare(`SELECT * FROM sessions ${ONE}`);
    const newest =
      'FROM sessions WHERE tenant = ? AND created_order < ? ORDER BY created_order DESC LIMIT ?';
    this.#selectSizes = db.prepare(`SELECT length(state) + length(settings) AS size ${newest}`);
    this.#selectPage = db.prepare(`SELECT * ${newest}`);
    this.#selectDue = db.prepare(
      'SELECT tenant, session_id FROM sessions WHERE wake_at_ms <= ? ORDER BY wake_at_ms LIMIT ?',
    );
    this.#selectArchiving = db.prepare(
      `SELECT archive_file, archive_head_version FROM sessions ${ONE}`,
    );
    this.#insert = db.prepare(
      `INSERT INTO sessions (version, hash, state, settings, wake_at_ms, tenant, session_id)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#update = db.prepare(
      `UPDATE sessions SET version = ?, hash = ?, state = ?, settings = coalesce(?, settings),
       wake_at_ms = ? ${ONE}`,
    );
    this.#delete = db.prepare(`DELETE FROM sessions ${ONE}`);
  }

  /** Forgets every cached head when another connection has written since the last call. */
  refresh(): void {
    const dataVersion = this.#readDataVersion.get();
    if (dataVersion === this.#dataVersion) return;
    this.#cache.clear();
    this.#dataVersion = dataVersion;
  }

  /** A session's head and newest hash; call `refresh` before, once per transaction. */
  load(ref: SessionRef): Current | null {
    const key = sessionKey(ref);
    const cached = this.#cache.get(key);
    if (cached) return cached;
    const row = this.#select.get(ref.tenant, ref.session_id);
    if (!row) return null;
    refuseOldHead(row);
    const session = { head: parseHead(row), hash: row.hash, archive_file: row.archive_file };
    this.remember(key, session);
    return session;
  }

  /** Whether its events are in the archive, or were. */
  archiving({ tenant, session_id }: SessionRef): Archiving | undefined {
    return this.#selectArchiving.get(tenant, session_id);
  }

  /**
   * Newest first, at most `limit`, and fewer when their heads are large; only those that were created
   * before the place. Sizes are read first, and then no more than is shown.
   */
  list(tenant: string, before: number, limit: number): ListedSessions {
    const found = this.#selectSizes.all(tenant, before, limit + 1);
    const fitting = fittingRows(found, limit);
    return { rows: this.#selectPage.all(tenant, before, fitting), hasMore: found.length > fitting };
  }

  /** Sessions whose time to be looked at has come, oldest first. */
  due(nowMs: number, limit: number): SessionRef[] {
    return this.#selectDue.all(nowMs, limit);
  }

  /** Settings are written only when asked for: they rarely change and may be large. */
  write(
    { tenant, session_id }: SessionRef,
    { head: { state, settings }, hash }: Current,
    { isNew, withSettings }: { isNew: boolean; withSettings: boolean },
  ): void {
    const statement = isNew ? this.#insert : this.#update;
    const settingsText = withSettings ? JSON.stringify(settings) : null;
    const { version } = state;
    const text = JSON.stringify(state);
    statement.run(version, hash, text, settingsText, wakeAtMs(state), tenant, session_id);
  }

  /** Keeps a committed row; those that were not used for longest make room. */
  remember(key: string, session: Current): void {
    this.#cache.set(key, session);
  }

  forget(key: string): void {
    this.#cache.delete(key);
  }

  /** Deletes the session with all its rows; false when there was none. */
  erase(ref: SessionRef): boolean {
    // The rows of the other tables go with it (ON DELETE CASCADE).
    const { changes } = this.#delete.run(ref.tenant, ref.session_id);
    this.forget(sessionKey(ref));
    return changes > 0;
  }
}
