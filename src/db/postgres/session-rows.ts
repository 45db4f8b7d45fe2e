import type { Pool, PoolClient } from 'pg';
import type { SessionRef } from '../../app/ports/event-store.ts';
import { fittingRows } from '../cursor.ts';
import type { Current } from '../group-plan.ts';
import {
  type Archiving,
  type ListedSessions,
  parseHead,
  refuseOldHead,
  type SessionRow,
} from '../session-row.ts';
import { select } from './open-pool.ts';
import { textArray } from './text-array.ts';

/**
 * A session as it was read or written: `row_version` is the `xmin` of its row, which changes with every
 * write to it, whoever writes.
 */
export type Found = Current & { row_version: string };

type FoundRow = Pick<
  SessionRow,
  'hash' | 'state' | 'settings' | 'archive_file' | 'archive_head_version'
> & { row_version: string };

const COLUMNS = 'hash, state, settings, archive_file, archive_head_version, xmin AS row_version';
const OF_SESSION = 'FROM sessions WHERE tenant = $1 AND session_id = $2';

/** The session's head and newest hash; null when there is none. */
export function readSession(db: Pool | PoolClient, ref: SessionRef): Promise<Found | null> {
  return read(db, ref, { name: 'session', text: `SELECT ${COLUMNS} ${OF_SESSION}` });
}

/** The same, and nobody else can write to the session until the transaction ends. */
export function lockSession(client: PoolClient, ref: SessionRef): Promise<Found | null> {
  const text = `SELECT ${COLUMNS} ${OF_SESSION} FOR UPDATE`;
  return read(client, ref, { name: 'lock_session', text });
}

/** Whether its events are in the archive, or were. */
export async function readArchiving(
  db: Pool,
  { tenant, session_id }: SessionRef,
): Promise<Archiving | undefined> {
  const [row] = await select<Archiving>(db, {
    name: 'archiving',
    text: `SELECT archive_file, archive_head_version ${OF_SESSION}`,
    values: [tenant, session_id],
  });
  return row;
}

async function read(
  db: Pool | PoolClient,
  { tenant, session_id }: SessionRef,
  statement: { name: string; text: string },
): Promise<Found | null> {
  const [row] = await select<FoundRow>(db, { ...statement, values: [tenant, session_id] });
  return row ? found({ tenant, session_id }, row) : null;
}

/** Many sessions at once, in the order asked for. */
export async function readSessions(
  client: PoolClient,
  refs: readonly SessionRef[],
): Promise<(Found | null)[]> {
  const rows = await select<FoundRow & { place: number }>(client, {
    name: 'sessions_of_batch',
    text: `SELECT place, ${COLUMNS}
      FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS asked (tenant, session_id, place)
      JOIN sessions USING (tenant, session_id)`,
    values: [
      textArray(refs.map(({ tenant }) => tenant)),
      textArray(refs.map(({ session_id }) => session_id)),
    ],
  });
  const byPlace = new Map(rows.map((row) => [row.place, row]));
  return refs.map((ref, index) => {
    const row = byPlace.get(index + 1);
    return row ? found(ref, row) : null;
  });
}

function found(ref: SessionRef, row: FoundRow): Found {
  refuseOldHead({ ...ref, ...row });
  const { hash, row_version, archive_file } = row;
  return { head: parseHead(row), hash, row_version, archive_file };
}

/**
 * Newest first, at most `limit`, and fewer when their heads are large; only those that were created
 * before the place. Sizes are read first, and then no more than is shown.
 */
export async function listSessions(
  db: Pool,
  tenant: string,
  before: number,
  limit: number,
): Promise<ListedSessions> {
  const newest = `FROM sessions WHERE tenant = $1 AND created_order < $2
    ORDER BY created_order DESC LIMIT $3`;
  const found = await select<{ size: number }>(db, {
    name: 'session_sizes',
    text: `SELECT octet_length(state) + octet_length(settings) AS size ${newest}`,
    values: [tenant, before, limit + 1],
  });
  const fitting = fittingRows(found, limit);
  const rows = await select<SessionRow>(db, {
    name: 'sessions',
    text: `SELECT * ${newest}`,
    values: [tenant, before, fitting],
  });
  return { rows, hasMore: found.length > fitting };
}

/** Sessions whose time to be looked at has come, oldest first. */
export function listDue(db: Pool, nowMs: number, limit: number): Promise<SessionRef[]> {
  return select(db, {
    name: 'due',
    text: `SELECT tenant, session_id FROM sessions WHERE wake_at_ms <= $1
      ORDER BY wake_at_ms LIMIT $2`,
    values: [nowMs, limit],
  });
}

/** Deletes the session with all its rows; false when there was none. */
export async function eraseSession(db: Pool, { tenant, session_id }: SessionRef): Promise<boolean> {
  // The rows of the other tables go with it (ON DELETE CASCADE).
  const { rowCount } = await db.query({
    name: 'erase',
    text: 'DELETE FROM sessions WHERE tenant = $1 AND session_id = $2',
    values: [tenant, session_id],
  });
  return rowCount !== null && rowCount > 0;
}
