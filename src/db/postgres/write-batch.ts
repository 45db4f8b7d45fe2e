import type { PoolClient, QueryConfig } from 'pg';
import type { SessionRef } from '../../app/ports/event-store.ts';
import { wakeAtMs } from '../../domain/session/head.ts';
import { REPLACED_COLUMNS } from '../projection.ts';
import type { SessionWrite } from '../session-row.ts';
import { select } from './open-pool.ts';
import type { Found } from './session-rows.ts';
import { asCommitError, sqlStateOf } from './store-error.ts';
import { textArray } from './text-array.ts';

/** One session's part of a batch: what it was when its commands were decided, and what is written. */
export type Move = { ref: SessionRef; before: Found; write: SessionWrite };

/*
 * `place` is the move's place in the batch. A session is moved only when its row is still the one that
 * was decided on, nobody else holds it, and none of the idempotency keys is known. Nothing ever waits
 * for a lock here, so one session cannot hold up the others, and no order of locks can dead-lock.
 */
const WRITE = `
  WITH moves AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::xid[], $4::text[], $5::bigint[], $6::text[],
        $7::text[], $8::text[], $9::bigint[]) WITH ORDINALITY
      AS m (tenant, session_id, row_version, old_hash, version, hash, state, settings, wake_at_ms, place)
  ),
  keys AS (
    SELECT * FROM unnest($17::bigint[], $18::text[], $19::text[], $20::text[])
      AS k (place, key, fingerprint, response)
  ),
  answered AS (
    SELECT k.place FROM keys AS k JOIN moves AS m USING (place) CROSS JOIN LATERAL (
      SELECT FROM idempotency_keys AS i
      WHERE i.tenant = m.tenant AND i.session_id = m.session_id AND i.key = k.key OFFSET 0
    ) AS found
  ),
  locked AS (
    SELECT m.*, found.row_id FROM moves AS m CROSS JOIN LATERAL (
      SELECT s.ctid AS row_id FROM sessions AS s
      WHERE s.tenant = m.tenant AND s.session_id = m.session_id
        AND s.xmin = m.row_version AND s.hash = m.old_hash
      FOR NO KEY UPDATE SKIP LOCKED
    ) AS found
    WHERE m.place NOT IN (SELECT place FROM answered)
  ),
  moved AS (
    UPDATE sessions AS s SET version = l.version, hash = l.hash, state = l.state,
      settings = coalesce(l.settings, s.settings), wake_at_ms = l.wake_at_ms
    FROM locked AS l WHERE s.ctid = l.row_id
    RETURNING l.place, s.tenant, s.session_id, s.xmin AS row_version
  ),
  new_events AS (
    INSERT INTO events (tenant, session_id, version, type, at, schema_version, hash, data)
    SELECT tenant, session_id, e.version, e.type, e.at, e.schema_version, e.hash, e.data
    FROM unnest($10::bigint[], $11::bigint[], $12::text[], $13::text[], $14::integer[], $15::text[],
        $16::text[]) AS e (place, version, type, at, schema_version, hash, data)
    JOIN moved USING (place)
  ),
  new_keys AS (
    INSERT INTO idempotency_keys (tenant, session_id, key, fingerprint, response)
    SELECT tenant, session_id, k.key, k.fingerprint, k.response FROM keys AS k JOIN moved USING (place)
  ),
  new_compactions AS (
    INSERT INTO compactions SELECT c.* FROM json_populate_recordset(NULL::compactions, $21) AS c
    JOIN moved USING (tenant, session_id)
    ON CONFLICT (tenant, session_id, id) DO UPDATE SET ${REPLACED_COLUMNS}
  )
  SELECT place, row_version FROM moved`;

/** The same for one session without keys and compactions, in half the time. */
const writeOne = (events: string) => `
  WITH moved AS (
    UPDATE sessions SET version = $5, hash = $6, state = $7, settings = coalesce($8, settings),
      wake_at_ms = $9
    WHERE ctid = (
      SELECT ctid FROM sessions
      WHERE tenant = $1 AND session_id = $2 AND xmin = $3 AND hash = $4
      FOR NO KEY UPDATE SKIP LOCKED
    )
    RETURNING xmin
  ),
  new_events AS (
    INSERT INTO events (tenant, session_id, version, type, at, schema_version, hash, data)
    SELECT $1, $2, ${events}
  )
  SELECT 1 AS place, xmin AS row_version FROM moved`;

const WRITE_EVENTS = writeOne(`e.* FROM moved,
      unnest($10::bigint[], $11::text[], $12::text[], $13::integer[], $14::text[], $15::text[]) AS e`);

/** What most appends are: to make arrays of one event and rows of these takes a fifth of the statement. */
const WRITE_EVENT = writeOne('$10, $11, $12, $13, $14, $15 FROM moved');

/**
 * Writes sessions that do not depend on each other, in one statement that commits itself. Answers each
 * one's new `row_version`; null where nothing was written, because its head is no longer the newest,
 * somebody else holds it, or one of its keys is known. Throws with nothing written, or a
 * `StoreUnavailableError` that says that the outcome is unknown.
 */
export async function writeBatch(
  client: PoolClient,
  moves: readonly Move[],
): Promise<(string | null)[]> {
  const rows = await select<{ place: number; row_version: string }>(
    client,
    batchStatement(moves),
  ).catch((error) => {
    // A connection that breaks, or a server that ends it, may do so after the statement has committed.
    throw /^(?:57P|$)/.test(sqlStateOf(error) ?? '') ? asCommitError(error) : error;
  });
  const byPlace = new Map(rows.map(({ place, row_version }) => [place, row_version]));
  return moves.map((_, index) => byPlace.get(index + 1) ?? null);
}

export function batchStatement(moves: readonly Move[]): QueryConfig {
  const [move, ...others] = moves;
  return move && others.length === 0 && isPlain(move) ? oneStatement(move) : manyStatement(moves);
}

function isPlain({ write: { kept, compactions } }: Move): boolean {
  return kept.size === 0 && compactions.length === 0;
}

function oneStatement({ ref, before, write: { after, rows, withSettings } }: Move): QueryConfig {
  const { state, settings } = after.head;
  const session = [
    ref.tenant,
    ref.session_id,
    before.row_version,
    before.hash,
    state.version,
    after.hash,
    JSON.stringify(state),
    withSettings ? JSON.stringify(settings) : null,
    wakeAtMs(state),
  ];
  const [row, ...others] = rows;
  if (row !== undefined && others.length === 0) {
    const event = [row.version, row.type, row.at, row.schema_version, row.hash, row.data];
    return { name: 'write_event', text: WRITE_EVENT, values: [...session, ...event] };
  }
  const events = [
    literal(rows.map((row) => row.version)),
    textArray(rows.map((row) => row.type)),
    textArray(rows.map((row) => row.at)),
    literal(rows.map((row) => row.schema_version)),
    textArray(rows.map((row) => row.hash)),
    textArray(rows.map((row) => row.data)),
  ];
  return { name: 'write_events', text: WRITE_EVENTS, values: [...session, ...events] };
}

function manyStatement(moves: readonly Move[]): QueryConfig {
  const events = moves.flatMap(({ write }, index) =>
    write.rows.map((row) => ({ place: index + 1, row })),
  );
  const keys = moves.flatMap(({ write }, index) =>
    [...write.kept].map(([key, answer]) => ({ place: index + 1, key, ...answer })),
  );
  const compactions = moves.flatMap(({ ref: { tenant, session_id }, write }) =>
    write.compactions.map((row) => ({ tenant, session_id, ...row })),
  );
  const ofMoves = (text: (write: SessionWrite) => string | null) =>
    textArray(moves.map(({ write }) => text(write)));
  const ofEvents = (column: 'type' | 'at' | 'hash' | 'data') =>
    textArray(events.map(({ row }) => row[column]));
  return {
    name: 'batch',
    text: WRITE,
    values: [
      textArray(moves.map(({ ref }) => ref.tenant)),
      textArray(moves.map(({ ref }) => ref.session_id)),
      literal(moves.map(({ before }) => before.row_version)),
      textArray(moves.map(({ before }) => before.hash)),
      literal(moves.map(({ write }) => write.after.head.state.version)),
      ofMoves(({ after }) => after.hash),
      ofMoves(({ after }) => JSON.stringify(after.head.state)),
      ofMoves(({ after, withSettings }) =>
        withSettings ? JSON.stringify(after.head.settings) : null,
      ),
      literal(moves.map(({ write }) => wakeAtMs(write.after.head.state) ?? 'NULL')),
      literal(events.map(({ place }) => place)),
      literal(events.map(({ row }) => row.version)),
      ofEvents('type'),
      ofEvents('at'),
      literal(events.map(({ row }) => row.schema_version)),
      ofEvents('hash'),
      ofEvents('data'),
      literal(keys.map(({ place }) => place)),
      textArray(keys.map(({ key }) => key)),
      textArray(keys.map(({ fingerprint }) => fingerprint)),
      textArray(keys.map(({ response }) => response)),
      JSON.stringify(compactions),
    ],
  };
}

/** An array of numbers. */
function literal(numbers: readonly (number | string)[]): string {
  return `{${numbers.join(',')}}`;
}
