import type { Pool, PoolClient } from 'pg';
import type {
  ArchivedSession,
  ArchivedSessions,
  IdleQuery,
  IdleSession,
} from '../../app/ports/archive.ts';
import type { RestoredSession, SessionRef } from '../../app/ports/event-store.ts';
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
import { listCompactions } from './compaction-rows.ts';
import { jsonField } from './json-field.ts';
import { onConnection, onSnapshot, select } from './open-pool.ts';
import { asCommitError, asStoreError, storeErrors } from './store-error.ts';
import { writeStatement } from './write-session.ts';

const UPDATED_AT = jsonField('state', 'updated_at');
const ONE = 'tenant = $1 AND session_id = $2';
const ARCHIVED = `SELECT ${ARCHIVED_COLUMNS} FROM sessions WHERE`;

export class PostgresArchivedSessions implements ArchivedSessions {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async idle({ before, tenant, after, limit }: IdleQuery): Promise<IdleSession[]> {
    const rows = await this.#all<IdleRow>(
      `SELECT ${IDLE_COLUMNS} FROM sessions AS s
       WHERE created_order > $1 AND ($2::text IS NULL OR tenant = $2)
         AND ${UPDATED_AT} < $3 COLLATE "C" AND archive_file IS NULL AND ${AT_REST}
       ORDER BY created_order LIMIT $4`,
      [after, tenant, before, limit],
    );
    return rows.map(idleSession);
  }

  async find({ tenant, session_id }: SessionRef): Promise<ArchivedSession | null> {
    const sql = `${ARCHIVED} ${ONE} AND archive_file IS NOT NULL`;
    const [row] = await this.#all<ArchivedRow>(sql, [tenant, session_id]);
    return row === undefined ? null : idleSession(row);
  }

  async list(after: number, limit: number): Promise<ArchivedSession[]> {
    const rows = await this.#all<ArchivedRow>(
      `${ARCHIVED} archive_file IS NOT NULL AND created_order > $1 ORDER BY created_order LIMIT $2`,
      [after, limit],
    );
    return rows.map(idleSession);
  }

  async begin({ ref }: IdleSession, file: { name: string; bytes: number; at: string }) {
    await this.#all(
      `INSERT INTO archive_files (file, tenant, session_id, state, begun_at, bytes)
       VALUES ($1, $2, $3, 'begun', $4, $5)`,
      [file.name, ref.tenant, ref.session_id, file.at, file.bytes],
    );
  }

  drop({ ref, version, hash }: IdleSession, file: string): Promise<boolean> {
    return this.#transact(async (client) => {
      const one = [ref.tenant, ref.session_id];
      const isMoved = await changed(
        client,
        `UPDATE sessions SET archive_file = $3, archive_head_version = ${HEAD_VERSION}
         WHERE ${ONE} AND version = $4 AND hash = $5 AND archive_file IS NULL`,
        [...one, file, version, hash],
      );
      const isKept = await changed(
        client,
        "UPDATE archive_files SET state = 'kept' WHERE file = $1 AND state = 'begun'",
        [file],
      );
      if (!isMoved || !isKept) return false;
      await changed(client, `DELETE FROM events WHERE ${ONE}`, one);
      return true;
    });
  }

  async giveUp(file: string): Promise<void> {
    await this.#all(
      "UPDATE archive_files SET state = 'unneeded' WHERE file = $1 AND state = 'begun'",
      [file],
    );
  }

  bringBack(ref: SessionRef, file: string, session: RestoredSession): Promise<boolean> {
    return this.#transact(async (client) => {
      const one = [ref.tenant, ref.session_id];
      const isThere = await changed(
        client,
        `UPDATE sessions SET archive_file = NULL
         WHERE ${ONE} AND archive_file = $3`,
        [...one, file],
      );
      if (!isThere) return false;
      await changed(client, `DELETE FROM compactions WHERE ${ONE}`, one);
      await client.query(writeStatement(ref, wholeWrite(session, false)));
      await changed(client, "UPDATE archive_files SET state = 'unneeded' WHERE file = $1", [file]);
      return true;
    });
  }

  compare({ ref }: ArchivedSession, restored: RestoredSession): Promise<string[]> {
    const read = onSnapshot(this.#pool, async (client) => {
      const [row] = await select<SessionRow>(client, {
        text: `SELECT * FROM sessions WHERE ${ONE}`,
        values: [ref.tenant, ref.session_id],
      });
      if (row === undefined) return [];
      const compactions = await listCompactions(client, ref, Number.MAX_SAFE_INTEGER, null);
      return compareArchived(ref, row, compactions, restored);
    });
    return storeErrors(read);
  }

  async sizes({ tenant, after, limit }: Parameters<ArchivedSessions['sizes']>[0]) {
    const rows = await this.#all<SizedRow>(
      `SELECT ${sizedColumns(UPDATED_AT)} FROM sessions AS s
       WHERE tenant = $1 AND created_order > $2 ORDER BY created_order LIMIT $3`,
      [tenant, after, limit],
    );
    return rows.map(sizedSession);
  }

  eraseUnchanged({ ref, version, hash }: IdleSession): Promise<boolean> {
    return this.#transact((client) =>
      changed(client, `DELETE FROM sessions WHERE ${ONE} AND version = $3 AND hash = $4`, [
        ref.tenant,
        ref.session_id,
        version,
        hash,
      ]),
    );
  }

  filesOf({ tenant, session_id }: SessionRef): Promise<string[]> {
    return this.#files(`SELECT file FROM archive_files WHERE ${ONE}`, [tenant, session_id]);
  }

  async unneeded(begunBefore: string, limit: number): Promise<string[]> {
    await this.#all(
      "UPDATE archive_files SET state = 'unneeded' WHERE state = 'begun' AND begun_at < $1",
      [begunBefore],
    );
    return this.#files("SELECT file FROM archive_files WHERE state = 'unneeded' LIMIT $1", [limit]);
  }

  async forget(file: string): Promise<void> {
    await this.#all("DELETE FROM archive_files WHERE file = $1 AND state = 'unneeded'", [file]);
  }

  /** Rolled back where `write` says false. */
  async #transact(write: (client: PoolClient) => Promise<boolean>): Promise<boolean> {
    try {
      return await onConnection(this.#pool, async (client) => {
        await client.query('BEGIN');
        const isWritten = await write(client);
        const end = client.query(isWritten ? 'COMMIT' : 'ROLLBACK');
        await end.catch((error) => {
          throw asCommitError(error);
        });
        return isWritten;
      });
    } catch (error) {
      throw asStoreError(error);
    }
  }

  #all<Row extends object>(text: string, values: unknown[]): Promise<Row[]> {
    return storeErrors(select<Row>(this.#pool, { text, values }));
  }

  async #files(text: string, values: unknown[]): Promise<string[]> {
    const rows = await this.#all<{ file: string }>(text, values);
    return rows.map(({ file }) => file);
  }
}

/** Whether the statement has changed anything. */
async function changed(client: PoolClient, text: string, values: unknown[]): Promise<boolean> {
  const { rowCount } = await client.query({ text, values });
  return rowCount !== null && rowCount > 0;
}
