import type { Pool, PoolClient, QueryConfig } from 'pg';
import { ElsewhereError } from '../../app/ports/elsewhere-error.ts';
import type { EventQuery, EventRow, SessionRef } from '../../app/ports/event-store.ts';
import { EVENT_COLUMNS, type EventSelection, selectionOf } from '../event-query.ts';
import { type Known, knownHash } from '../known-rows.ts';
import { select } from './open-pool.ts';

const SELECT = `SELECT ${EVENT_COLUMNS} FROM events
  WHERE tenant = $1 AND session_id = $2 AND version > $3 AND version <= $4`;
const OF_TYPES = 'type = ANY($6)';

const CONDITIONS: Readonly<Record<EventSelection, string>> = {
  all: '',
  of_types: `AND ${OF_TYPES}`,
  // In the words of the index, or the planner could not use it.
  without_items: `AND type <> 'item.appended' AND ${OF_TYPES}`,
};
const ORDERS = { oldest_first: 'version', newest_first: 'version DESC' };

/**
 * The statement for the events of a session in the asked range. A limit of null is none. It answers null as
 * the data of an event that is known, and of one that is larger than asked: to send and to decode it would
 * hold up this process.
 */
export function eventQuery(
  ref: SessionRef,
  query: EventQuery,
  known?: Known<EventRow>,
): QueryConfig {
  const { largest } = query;
  const read = rangeQuery(ref, query);
  if (largest === undefined && known === undefined) return read;
  const { name, text, values = [] } = read;
  const [most, hash] = [`$${values.length + 1}::bigint`, `$${values.length + 2}`];
  return {
    name: `${name}_sized`,
    text: `SELECT version, type, at, schema_version, hash,
        CASE WHEN octet_length(data) <= ${most} AND hash <> ${hash} THEN data END AS data
      FROM (${text}) AS read ORDER BY ${orderOf(query)}`,
    values: [...values, largest ?? Number.MAX_SAFE_INTEGER, knownHash(known)],
  };
}

function orderOf({ newest_first = false }: EventQuery): string {
  return ORDERS[newest_first ? 'newest_first' : 'oldest_first'];
}

function rangeQuery({ tenant, session_id }: SessionRef, query: EventQuery): QueryConfig {
  const { after = 0, up_to = Number.MAX_SAFE_INTEGER, types, limit = null, max_bytes } = query;
  const order = query.newest_first ? 'newest_first' : 'oldest_first';
  const condition = selectionOf(types);
  const by = orderOf(query);
  const text = `${SELECT} ${CONDITIONS[condition]} ORDER BY ${by} LIMIT $5`;
  const values = [tenant, session_id, after, up_to, limit, ...(types ? [types] : [])];
  const name = `events_${condition}_${order}`;
  if (max_bytes === undefined) return { name, text, values };
  const sizes = `SELECT *, sum(octet_length(data)) OVER (ORDER BY ${by}) - octet_length(data) AS before
    FROM (${text}) AS asked`;
  return {
    name: `${name}_bounded`,
    text: `SELECT ${EVENT_COLUMNS} FROM (${sizes}) AS sized
      WHERE before < $${values.length + 1} ORDER BY ${by}`,
    values: [...values, max_bytes],
  };
}

/** Throws ElsewhereError for an event that is larger than asked. */
export async function listEvents(
  db: Pool | PoolClient,
  ref: SessionRef,
  query: EventQuery,
  known?: Known<EventRow>,
): Promise<EventRow[]> {
  const rows = await select<SizedRow>(db, eventQuery(ref, query, known));
  const { largest = Number.POSITIVE_INFINITY } = query;
  if (known === undefined || known.bytes > largest) return withData(rows);
  return withData(rows.map((row) => (row.hash === known.row.hash ? known.row : row)));
}

/** A row of which the data may have been left with the server. */
export type SizedRow = Omit<EventRow, 'data'> & { data: string | null };

/** Throws ElsewhereError where data was left with the server. */
export function withData<Row extends SizedRow>(rows: readonly Row[]): (Row & { data: string })[] {
  const whole = rows.filter((row): row is Row & { data: string } => row.data !== null);
  if (whole.length < rows.length) throw new ElsewhereError();
  return whole;
}
