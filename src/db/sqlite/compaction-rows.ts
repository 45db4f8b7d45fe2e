import type { CompactionRow, PendingCompaction, SessionRef } from '../../app/ports/event-store.ts';
import {
  COMPACTION_COLUMNS,
  COMPACTION_FIELDS,
  type PendingRow,
  pendingOf,
  REPLACED_COLUMNS,
} from '../projection.ts';
import type { Database, Statement } from './driver.ts';

type Session = [tenant: string, session: string];

const OF_SESSION = 'FROM compactions WHERE tenant = ? AND session_id = ?';

/** Reads and writes the `compactions` projection. */
export class CompactionRows {
  readonly #get: Statement<[...Session, id: string], CompactionRow>;
  readonly #list: Statement<[...Session, before: number, limit: number], CompactionRow>;
  readonly #pending: Statement<[limit: number], PendingRow>;
  readonly #put: Statement<[SessionRef & CompactionRow]>;
  readonly #deleteAll: Statement<Session>;

  constructor(db: Database) {
    const values = ['tenant', 'session_id', ...COMPACTION_FIELDS].map((name) => `@${name}`);
    this.#get = db.prepare(`SELECT ${COMPACTION_COLUMNS} ${OF_SESSION} AND id = ?`);
    this.#list = db.prepare(
      `SELECT ${COMPACTION_COLUMNS} ${OF_SESSION} AND requested_version < ?
       ORDER BY requested_version DESC LIMIT ?`,
    );
    // In the words of the partial index, or the planner could not use it.
    this.#pending = db.prepare(
      `SELECT tenant, session_id, id, requested_at FROM compactions WHERE status <> 'ended'
       ORDER BY requested_at, rowid LIMIT ?`,
    );
    this.#put = db.prepare(
      `INSERT INTO compactions (tenant, session_id, ${COMPACTION_COLUMNS}) VALUES (${values})
       ON CONFLICT (tenant, session_id, id) DO UPDATE SET ${REPLACED_COLUMNS}`,
    );
    this.#deleteAll = db.prepare(`DELETE ${OF_SESSION}`);
  }

  get({ tenant, session_id }: SessionRef, id: string): CompactionRow | undefined {
    return this.#get.get(tenant, session_id, id);
  }

  put({ tenant, session_id }: SessionRef, row: CompactionRow): void {
    this.#put.run({ tenant, session_id, ...row });
  }

  /** Newest first, those that were requested before a version; all of them without a limit. */
  list({ tenant, session_id }: SessionRef, before: number, limit = -1): CompactionRow[] {
    return this.#list.all(tenant, session_id, before, limit);
  }

  /** Oldest first. */
  pending(limit: number): PendingCompaction[] {
    return this.#pending.all(limit).map(pendingOf);
  }

  deleteAll({ tenant, session_id }: SessionRef): void {
    this.#deleteAll.run(tenant, session_id);
  }
}
