import { and, asc, desc, eq, getTableColumns, lt, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import type { CompactionRow, SessionRef } from '../../app/ports/event-store.ts';
import type { Database } from './driver.ts';
import { compactions } from './schema.ts';

const { tenant: _tenant, session_id: _session, ...rowColumns } = getTableColumns(compactions);

/** Reads and writes the `compactions` projection. */
export class CompactionRows {
  readonly #orm;

  constructor(db: Database) {
    this.#orm = drizzle(db);
  }

  get(ref: SessionRef, id: string): CompactionRow | null {
    const one = and(ofSession(ref), eq(compactions.id, id));
    return this.#orm.select(rowColumns).from(compactions).where(one).get() ?? null;
  }

  put(ref: SessionRef, row: CompactionRow): void {
    this.#orm
      .insert(compactions)
      .values({ ...ref, ...row })
      .onConflictDoUpdate({
        target: [compactions.tenant, compactions.session_id, compactions.id],
        set: row,
      })
      .run();
  }

  /** Newest first; only those requested before a version when one is given, all when no limit is. */
  list(ref: SessionRef, limit = -1, before?: number): CompactionRow[] {
    return this.#orm
      .select(rowColumns)
      .from(compactions)
      .where(
        and(
          ofSession(ref),
          before === undefined ? undefined : lt(compactions.requested_version, before),
        ),
      )
      .orderBy(desc(compactions.requested_version))
      .limit(limit)
      .all();
  }

  /** Oldest first; the condition is literal, as the partial index has it. */
  pending(limit: number): { ref: SessionRef; compaction_id: string }[] {
    const { tenant, session_id, id } = compactions;
    return this.#orm
      .select({ ref: { tenant, session_id }, compaction_id: id })
      .from(compactions)
      .where(sql`${compactions.status} <> 'ended'`)
      .orderBy(asc(compactions.requested_at), sql`rowid`)
      .limit(limit)
      .all();
  }

  deleteAll(ref: SessionRef): void {
    this.#orm.delete(compactions).where(ofSession(ref)).run();
  }
}

function ofSession(ref: SessionRef) {
  return and(eq(compactions.tenant, ref.tenant), eq(compactions.session_id, ref.session_id));
}
