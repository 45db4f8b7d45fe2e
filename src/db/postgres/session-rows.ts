import { and, asc, desc, eq, lt, lte, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import type { Pool, PoolClient } from 'pg';
import type { SessionRef } from '../../app/ports/event-store.ts';
import type { Head } from '../../domain/session/head.ts';
import type { Current } from '../command-plan.ts';
import { fittingRows, type ListedSessions } from '../cursor.ts';
import { sessions } from './schema.ts';

type TextRow = { hash: string; state: string; settings: string };

const SELECT = 'SELECT hash, state, settings FROM sessions WHERE tenant = $1 AND session_id = $2';

/** The session's head and newest hash; null when there is none. */
export function readSession(db: Pool | PoolClient, ref: SessionRef): Promise<Current | null> {
  return select(db, ref, { name: 'session', text: SELECT });
}

/** The same, and nobody else can write to the session until the transaction ends. */
export function lockSession(client: PoolClient, ref: SessionRef): Promise<Current | null> {
  return select(client, ref, { name: 'lock_session', text: `${SELECT} FOR UPDATE` });
}

async function select(
  db: Pool | PoolClient,
  { tenant, session_id }: SessionRef,
  statement: { name: string; text: string },
): Promise<Current | null> {
  const { rows } = await db.query<TextRow>({ ...statement, values: [tenant, session_id] });
  const [row] = rows;
  return row ? { head: parseHead(row), hash: row.hash } : null;
}

/**
 * Newest first, at most `limit`, and fewer when their heads are large; only those that were created
 * before the place, when there is one. Sizes are read first, and then no more than is shown.
 */
export async function listSessions(
  db: Pool,
  tenant: string,
  limit: number,
  before?: number,
): Promise<ListedSessions> {
  const { created_order, session_id, state, settings } = sessions;
  const ofTenant = and(
    eq(sessions.tenant, tenant),
    before === undefined ? undefined : lt(created_order, before),
  );
  const found = await drizzle(db)
    .select({ size: sql<number>`octet_length(${state}) + octet_length(${settings})` })
    .from(sessions)
    .where(ofTenant)
    .orderBy(desc(created_order))
    .limit(limit + 1);
  const fitting = fittingRows(
    found.map(({ size }) => size),
    limit,
  );
  const rows = await drizzle(db)
    .select({ created_order, session_id, state, settings })
    .from(sessions)
    .where(ofTenant)
    .orderBy(desc(created_order))
    .limit(fitting);
  return {
    rows: rows.map((row) => ({
      created_order: row.created_order,
      ref: { tenant, session_id: row.session_id },
      head: parseHead(row),
    })),
    has_more: found.length > fitting,
  };
}

/** Sessions whose time to be looked at has come, oldest first. */
export async function listDue(db: Pool, nowMs: number, limit: number): Promise<SessionRef[]> {
  const { tenant, session_id, wake_at_ms } = sessions;
  return drizzle(db)
    .select({ tenant, session_id })
    .from(sessions)
    .where(lte(wake_at_ms, nowMs))
    .orderBy(asc(wake_at_ms))
    .limit(limit);
}

/** Deletes the session with all its rows; false when there was none. */
export async function eraseSession(db: Pool, { tenant, session_id }: SessionRef): Promise<boolean> {
  // The rows of the other tables go with it (ON DELETE CASCADE).
  const { rowCount } = await drizzle(db)
    .delete(sessions)
    .where(and(eq(sessions.tenant, tenant), eq(sessions.session_id, session_id)));
  return rowCount !== null && rowCount > 0;
}

/** The head of a row. Throws when its text is no JSON, which only damage can cause. */
export function parseHead(row: Pick<TextRow, 'state' | 'settings'>): Head {
  return { settings: JSON.parse(row.settings), state: JSON.parse(row.state) };
}
