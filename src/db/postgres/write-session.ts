import type { QueryConfig } from 'pg';
import type { SessionRef } from '../../app/ports/event-store.ts';
import { wakeAtMs } from '../../domain/session/head.ts';
import { REPLACED_COLUMNS } from '../projection.ts';
import type { SessionWrite } from '../session-row.ts';
import { textArray } from './text-array.ts';

const CREATE_SESSION = `INSERT INTO sessions (tenant, session_id, version, hash, state, settings, wake_at_ms)
  VALUES ($1, $2, $3, $4, $5, $6, $17)`;

const UPDATE_SESSION = `UPDATE sessions
  SET version = $3, hash = $4, state = $5, settings = coalesce($6, settings), wake_at_ms = $17
  WHERE tenant = $1 AND session_id = $2`;

const writeWith = (session: string) => `
  WITH session AS (${session} RETURNING xmin),
  new_events AS (
    INSERT INTO events (tenant, session_id, version, type, at, schema_version, hash, data)
    SELECT $1, $2, * FROM
      unnest($7::bigint[], $8::text[], $9::text[], $10::integer[], $11::text[], $12::text[])
  ),
  new_keys AS (
    INSERT INTO idempotency_keys (tenant, session_id, key, fingerprint, response)
    SELECT $1, $2, * FROM unnest($13::text[], $14::text[], $15::text[])
  ),
  new_compactions AS (
    INSERT INTO compactions SELECT * FROM json_populate_recordset(NULL::compactions, $16)
    ON CONFLICT (tenant, session_id, id) DO UPDATE SET ${REPLACED_COLUMNS}
  )
  SELECT xmin AS row_version FROM session`;

const CREATE = { name: 'create', text: writeWith(CREATE_SESSION) };
const UPDATE = { name: 'update', text: writeWith(UPDATE_SESSION) };

/**
 * One statement, so that it is written whole or not at all, whatever fails where. Answers the new
 * `row_version` of the session.
 */
export function writeStatement(
  { tenant, session_id }: SessionRef,
  write: SessionWrite,
): QueryConfig {
  const { after, rows, kept } = write;
  const { settings, state } = after.head;
  const answers = [...kept.values()];
  return {
    ...(write.isNew ? CREATE : UPDATE),
    values: [
      tenant,
      session_id,
      state.version,
      after.hash,
      JSON.stringify(state),
      write.withSettings ? JSON.stringify(settings) : null,
      rows.map((row) => row.version),
      textArray(rows.map((row) => row.type)),
      textArray(rows.map((row) => row.at)),
      rows.map((row) => row.schema_version),
      textArray(rows.map((row) => row.hash)),
      textArray(rows.map((row) => row.data)),
      textArray([...kept.keys()]),
      textArray(answers.map((answer) => answer.fingerprint)),
      textArray(answers.map((answer) => answer.response)),
      JSON.stringify(write.compactions.map((row) => ({ tenant, session_id, ...row }))),
      wakeAtMs(state),
    ],
  };
}
