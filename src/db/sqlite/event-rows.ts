import type { EventQuery, EventRow, SessionRef } from '../../app/ports/event-store.ts';
import { EVENT_COLUMNS, type EventSelection, selectionOf } from '../event-query.ts';
import type { Database, Statement } from './driver.ts';

type Range = [tenant: string, session: string, after: number, upTo: number];

const IN_RANGE = 'tenant = ? AND session_id = ? AND version > ? AND version <= ?';
const OF_TYPES = 'type IN (SELECT value FROM json_each(?))';

type Queries = Readonly<
  Record<EventSelection, Statement<[...Range, ...types: string[], limit: number], EventRow>>
>;

function prepareQueries(db: Database, order: string): Queries {
  return {
    all: db.prepare(`SELECT ${EVENT_COLUMNS} FROM events WHERE ${IN_RANGE} ${order}`),
    of_types: db.prepare(
      `SELECT ${EVENT_COLUMNS} FROM events WHERE ${IN_RANGE} AND ${OF_TYPES} ${order}`,
    ),
    // The planner cannot know that this index holds few rows; without the hint it walks all items.
    without_items: db.prepare(
      `SELECT ${EVENT_COLUMNS} FROM events INDEXED BY events_without_items
       WHERE ${IN_RANGE} AND type <> 'item.appended' AND ${OF_TYPES} ${order}`,
    ),
  };
}

/** Reads and writes the `events` rows. */
export class EventRows {
  readonly #insert: Statement<[string, string, number, string, string, number, string, string]>;
  readonly #oldestFirst: Queries;
  readonly #newestFirst: Queries;

  constructor(db: Database) {
    this.#insert = db.prepare(
      `INSERT INTO events (tenant, session_id, version, type, at, schema_version, hash, data)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#oldestFirst = prepareQueries(db, 'ORDER BY version LIMIT ?');
    this.#newestFirst = prepareQueries(db, 'ORDER BY version DESC LIMIT ?');
  }

  insert(ref: SessionRef, row: EventRow): void {
    this.#insert.run(
      ref.tenant,
      ref.session_id,
      row.version,
      row.type,
      row.at,
      row.schema_version,
      row.hash,
      row.data,
    );
  }

  list(ref: SessionRef, query: EventQuery): EventRow[] {
    const range = rangeOf(ref, query);
    // SQLite takes a negative limit as none.
    const limit = query.limit ?? -1;
    const queries = query.newest_first ? this.#newestFirst : this.#oldestFirst;
    const types = query.types ? [JSON.stringify(query.types)] : [];
    const statement = queries[selectionOf(query.types)];
    return bounded(statement.iterate(...range, ...types, limit), query.max_bytes);
  }

  /** All events of a session, oldest first, one at a time. */
  iterate(ref: SessionRef): IterableIterator<EventRow> {
    return this.#oldestFirst.all.iterate(...rangeOf(ref, {}), -1);
  }
}

/** Only what is answered is read: the rows come one at a time. */
function bounded(rows: Iterable<EventRow>, maxBytes = Number.POSITIVE_INFINITY): EventRow[] {
  const read: EventRow[] = [];
  let bytes = 0;
  for (const row of rows) {
    read.push(row);
    bytes += Buffer.byteLength(row.data);
    if (bytes >= maxBytes) break;
  }
  return read;
}

function rangeOf(ref: SessionRef, query: EventQuery): Range {
  const { after = 0, up_to = Number.MAX_SAFE_INTEGER } = query;
  return [ref.tenant, ref.session_id, after, up_to];
}
