import { and, asc, desc, eq, getTableColumns, inArray, lt, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import type { Pool, PoolClient } from 'pg';
import type { CompactionRow, SessionRef } from '../../app/ports/event-store.ts';
import type { SessionEvent } from '../../domain/session/events.ts';
import { compactionIdOf, projectCompaction } from '../projection.ts';
import { compactions } from './schema.ts';

const { tenant: _tenant, session_id: _session, ...rowColumns } = getTableColumns(compactions);

export async function readCompactions(
  db: Pool | PoolClient,
  ref: SessionRef,
  ids: readonly string[],
): Promise<CompactionRow[]> {
  return drizzle(db)
    .select(rowColumns)
    .from(compactions)
    .where(and(ofSession(ref), inArray(compactions.id, [...ids])));
}

/** Newest first; only those requested before a version when one is given, all when no limit is. */
export async function listCompactions(
  db: Pool | PoolClient,
  ref: SessionRef,
  { limit, before }: { limit?: number; before?: number } = {},
): Promise<CompactionRow[]> {
  const query = drizzle(db)
    .select(rowColumns)
    .from(compactions)
    .where(
      and(
        ofSession(ref),
        before === undefined ? undefined : lt(compactions.requested_version, before),
      ),
    )
    .orderBy(desc(compactions.requested_version));
  return limit === undefined ? query : query.limit(limit);
}

/** Oldest first; condition and order are those of the partial index. */
export async function listPending(
  db: Pool,
  limit: number,
): Promise<{ ref: SessionRef; compaction_id: string }[]> {
  const { tenant, session_id, id, requested_at } = compactions;
  return drizzle(db)
    .select({ ref: { tenant, session_id }, compaction_id: id })
    .from(compactions)
    .where(sql`${compactions.status} <> 'ended'`)
    .orderBy(asc(requested_at), asc(tenant), asc(session_id))
    .limit(limit);
}

/** The rows that the events change, as they are after them; to be read in the transaction. */
export async function projectCompactions(
  client: PoolClient,
  ref: SessionRef,
  events: readonly SessionEvent[],
): Promise<CompactionRow[]> {
  const ids = new Set(events.map(compactionIdOf).filter((id) => id !== null));
  if (ids.size === 0) return [];
  const stored = await readCompactions(client, ref, [...ids]);
  const rows = new Map(stored.map((row) => [row.id, row]));
  for (const event of events) {
    const id = compactionIdOf(event);
    const projected = id && projectCompaction(rows.get(id) ?? null, event);
    if (projected) rows.set(projected.id, projected);
  }
  return [...rows.values()];
}

export async function deleteCompactions(client: PoolClient, ref: SessionRef): Promise<void> {
  await drizzle(client).delete(compactions).where(ofSession(ref));
}

function ofSession(ref: SessionRef) {
  return and(eq(compactions.tenant, ref.tenant), eq(compactions.session_id, ref.session_id));
}
