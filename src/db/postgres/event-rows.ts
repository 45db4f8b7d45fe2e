import type { Pool, PoolClient, QueryConfig } from 'pg';
import type { EventQuery, EventRow, SessionRef } from '../event-store.ts';

const SELECT = `SELECT version, type, at, schema_version, data, hash FROM events
  WHERE tenant = $1 AND session_id = $2 AND version > $3 AND version <= $4`;
const OF_TYPES = 'type = ANY($6)';

/** Which events: all, those of the types, or those of types that the small index holds. */
const CONDITIONS = {
  all: '',
  of_types: `AND ${OF_TYPES}`,
  // In the words of the index, or the planner could not use it.
  without_items: `AND type <> 'item.appended' AND ${OF_TYPES}`,
};
const ORDERS = { oldest_first: 'version', newest_first: 'version DESC' };

/** The statement for the events of a session in the asked range. A limit of null is none. */
export function eventQuery({ tenant, session_id }: SessionRef, query: EventQuery): QueryConfig {
  const { after = 0, up_to = Number.MAX_SAFE_INTEGER, types, limit = null } = query;
  const order = query.newest_first ? 'newest_first' : 'oldest_first';
  const condition = conditionFor(types);
  return {
    name: `events_${condition}_${order}`,
    text: `${SELECT} ${CONDITIONS[condition]} ORDER BY ${ORDERS[order]} LIMIT $5`,
    values: [tenant, session_id, after, up_to, limit, ...(types ? [types] : [])],
  };
}

export async function listEvents(
  db: Pool | PoolClient,
  ref: SessionRef,
  query: EventQuery,
): Promise<EventRow[]> {
  const { rows } = await db.query<EventRow>(eventQuery(ref, query));
  return rows;
}

function conditionFor(types: EventQuery['types']): keyof typeof CONDITIONS {
  if (!types) return 'all';
  return types.includes('item.appended') ? 'of_types' : 'without_items';
}
