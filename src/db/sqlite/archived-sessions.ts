import type {
  ArchivedSession,
  ArchivedSessions,
  IdleQuery,
  IdleSession,
} from '../../app/ports/archive.ts';
import type { RestoredSession, SessionRef } from '../../app/ports/event-store.ts';
import { sessionKey } from '../../app/session-key.ts';
import { HEAD_VERSION } from '../../domain/session/head.ts';
import { compareArchived } from '../archive/compare-archived.ts';
import {
  ARCHIVED_COLUMNS,
  type ArchivedRow,
  AT_REST,
  IDLE_COLUMNS,
  type IdleRow,
  idleSession,
  type SizedRow,
  sizedColumns,
  sizedSession,
} from '../archive/sql.ts';
import { type SessionRow, wholeWrite } from '../session-row.ts';
import type { Database } from './driver.ts';
import type { GroupWriter } from './group-writer.ts';
import { reading } from './store-error.ts';
import { type Tables, writeSession } from './write-session.ts';

type Writer = Pick<GroupWriter, 'alone'>;

const ONE = 'tenant = ? AND session_id = ?';
const ARCHIVED = `SELECT ${ARCHIVED_COLUMNS} FROM sessions WHERE`;

export class SqliteArchivedSessions implements ArchivedSessions {
  readonly #db: Database;
  readonly #tables: Tables;
  readonly #writer: Writer;

  constructor(db: Database, tables: Tables, writer: Writer) {
    this.#db = db;
    this.#tables = tables;
    this.#writer = writer;
  }

  async idle({ before, tenant, after, limit }: IdleQuery): Promise<IdleSession[]> {
    const rows = this.#all<IdleRow>(
      `SELECT ${IDLE_COLUMNS} FROM sessions AS s
       WHERE created_order > ? AND (? IS NULL OR tenant = ?)
         AND json_extract(state, '$.updated_at') < ? AND archive_file IS NULL AND ${AT_REST}
       ORDER BY created_order LIMIT ?`,
      [after, tenant, tenant, before, limit],
    );
    return rows.map(idleSession);
  }

  async find({ tenant, session_id }: SessionRef): Promise<ArchivedSession | null> {
    const sql = `${ARCHIVED} ${ONE} AND archive_file IS NOT NULL`;
    const [row] = this.#all<ArchivedRow>(sql, [tenant, session_id]);
    return row === undefined ? null : idleSession(row);
  }

  async list(after: number, limit: number): Promise<ArchivedSession[]> {
    const rows = this.#all<ArchivedRow>(
      `${ARCHIVED} archive_file IS NOT NULL AND created_order > ? ORDER BY created_order LIMIT ?`,
      [after, limit],
    );
    return rows.map(idleSession);
  }

  async begin({ ref }: IdleSession, file: { name: string; bytes: number; at: string }) {
    await this.#writer.alone(() =>
      this.#run(
        `INSERT INTO archive_files (file, tenant, session_id, state, begun_at, bytes)
         VALUES (?, ?, ?, 'begun', ?, ?)`,
        [file.name, ref.tenant, ref.session_id, file.at, file.bytes],
      ),
    );
  }

  drop({ ref, version, hash }: IdleSession, file: string): Promise<boolean> {
    return this.#transact(ref, () => {
      const isKept = this.#run(
        `UPDATE archive_files SET state = 'kept' WHERE file = ? AND state = 'begun' AND EXISTS (
           SELECT 1 FROM sessions WHERE ${ONE} AND version = ? AND hash = ? AND archive_file IS NULL
         )`,
        [file, ref.tenant, ref.session_id, version, hash],
      );
      if (!isKept) return false;
      this.#run(
        `UPDATE sessions SET archive_file = ?, archive_head_version = ${HEAD_VERSION} WHERE ${ONE}`,
        [file, ref.tenant, ref.session_id],
      );
      this.#run(`DELETE FROM events WHERE ${ONE}`, [ref.tenant, ref.session_id]);
      return true;
    });
  }

  async giveUp(file: string): Promise<void> {
    await this.#writer.alone(() =>
      this.#run("UPDATE archive_files SET state = 'unneeded' WHERE file = ? AND state = 'begun'", [
        file,
      ]),
    );
  }

  bringBack(ref: SessionRef, file: string, session: RestoredSession): Promise<boolean> {
    return this.#transact(ref, () => {
      const isThere = this.#run(
        `UPDATE sessions SET archive_file = NULL
         WHERE ${ONE} AND archive_file = ?`,
        [ref.tenant, ref.session_id, file],
      );
      if (!isThere) return false;
      this.#tables.compactions.deleteAll(ref);
      writeSession(this.#tables, ref, wholeWrite(session, false));
      this.#run("UPDATE archive_files SET state = 'unneeded' WHERE file = ?", [file]);
      return true;
    });
  }

  async compare({ ref }: ArchivedSession, restored: RestoredSession): Promise<string[]> {
    const [row] = this.#all<SessionRow>(`SELECT * FROM sessions WHERE ${ONE}`, [
      ref.tenant,
      ref.session_id,
    ]);
    if (row === undefined) return [];
    const compactions = this.#tables.compactions.list(ref, Number.MAX_SAFE_INTEGER);
    return compareArchived(ref, row, compactions, restored);
  }

  async sizes({ tenant, after, limit }: Parameters<ArchivedSessions['sizes']>[0]) {
    const rows = this.#all<SizedRow>(
      `SELECT ${sizedColumns("json_extract(state, '$.updated_at')")} FROM sessions AS s
       WHERE tenant = ? AND created_order > ? ORDER BY created_order LIMIT ?`,
      [tenant, after, limit],
    );
    return rows.map(sizedSession);
  }

  eraseUnchanged({ ref, version, hash }: IdleSession): Promise<boolean> {
    return this.#transact(ref, () =>
      this.#run(`DELETE FROM sessions WHERE ${ONE} AND version = ? AND hash = ?`, [
        ref.tenant,
        ref.session_id,
        version,
        hash,
      ]),
    );
  }

  async filesOf({ tenant, session_id }: SessionRef): Promise<string[]> {
    return this.#files(`SELECT file FROM archive_files WHERE ${ONE}`, [tenant, session_id]);
  }

  unneeded(begunBefore: string, limit: number): Promise<string[]> {
    return this.#writer.alone(() => {
      this.#run(
        "UPDATE archive_files SET state = 'unneeded' WHERE state = 'begun' AND begun_at < ?",
        [begunBefore],
      );
      return this.#files("SELECT file FROM archive_files WHERE state = 'unneeded' LIMIT ?", [
        limit,
      ]);
    });
  }

  async forget(file: string): Promise<void> {
    await this.#writer.alone(() =>
      this.#run("DELETE FROM archive_files WHERE file = ? AND state = 'unneeded'", [file]),
    );
  }

  /** In a transaction of its own; the head in memory is read anew afterwards. */
  #transact(ref: SessionRef, write: () => boolean): Promise<boolean> {
    const transaction = this.#db.transaction(write);
    return this.#writer.alone(() => {
      try {
        return transaction.immediate();
      } finally {
        this.#tables.sessions.forget(sessionKey(ref));
      }
    });
  }

  #all<Row>(sql: string, values: unknown[]): Row[] {
    return reading(() => this.#db.prepare<unknown[], Row>(sql).all(...values));
  }

  #files(sql: string, values: unknown[]): string[] {
    return this.#all<{ file: string }>(sql, values).map(({ file }) => file);
  }

  /** Whether it has changed anything. */
  #run(sql: string, values: unknown[]): boolean {
    return this.#db.prepare<unknown[], unknown>(sql).run(...values).changes > 0;
  }
}
