import type { Pool, PoolClient } from 'pg';
import type { CompactionRow, PendingCompaction, SessionRef } from '../../app/ports/event-store.ts';
import { COMPACTION_COLUMNS, type PendingRow, pendingOf } from '../projection.ts';
import { select } from './open-pool.ts';

const OF_SESSION = `SELECT ${COMPACTION_COLUMNS} FROM compactions
  WHERE tenant = $1 AND session_id = $2`;

export function readCompactions(
  db: Pool | PoolClient,
  { tenant, session_id }: SessionRef,
  ids: readonly string[],
): Promise<CompactionRow[]> {
  const text = `${OF_SESSION} AND id = ANY($3)`;
  return select(db, { name: 'compactions', text, values: [tenant, session_id, ids] });
}

/** Newest first, those that were requested before a version; a limit of null is none. */
export function listCompactions(
  db: Pool | PoolClient,
  { tenant, session_id }: SessionRef,
  before: number,
  limit: number | null,
): Promise<CompactionRow[]> {
  const text = `${OF_SESSION} AND requested_version < $3 ORDER BY requested_version DESC LIMIT $4`;
  const values = [tenant, session_id, before, limit];
  return select(db, { name: 'list_compactions', text, values });
}

/** Oldest first; condition and order are those of the partial index. */
export async function listPending(db: Pool, limit: number): Promise<PendingCompaction[]> {
  const rows = await select<PendingRow>(db, {
    name: 'pending',
    text: `SELECT tenant, session_id, id, requested_at FROM compactions WHERE status <> 'ended'
      ORDER BY requested_at, tenant, session_id LIMIT $1`,
    values: [limit],
  });
  return rows.map(pendingOf);
}
