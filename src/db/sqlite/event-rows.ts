import { ElsewhereError } from '../../app/ports/elsewhere-error.ts';
import type { EventQuery, EventRow, SessionRef } from '../../app/ports/event-store.ts';
import type { StoredRow } from '../event-codec.ts';
import { type EventSelection, selectionOf } from '../event-query.ts';
import { type StoredData, TYPES_WITH_LEDGER, textOf } from '../unread-ledger.ts';
import type { Database, Statement } from './driver.ts';

/** What the data of an event takes. */
type Size = { bytes: number };
type Range = [tenant: string, session: string, after: number, upTo: number];

const IN_RANGE = 'tenant = ? AND session_id = ? AND version > ? AND version <= ?';
const OF_TYPES = 'type IN (SELECT value FROM json_each(?))';

/** A ledger is seldom read, and to make a text of a large one takes longer than all the rest of a read. */
const DATA = `CASE WHEN type IN (${TYPES_WITH_LEDGER.map((type) => `'${type}'`).join(', ')})
  THEN CAST(data AS BLOB) ELSE data END`;
const COLUMNS = `version, type, at, schema_version, ${DATA}, hash`;

type Values = [...Range, ...types: string[], limit: number];
/** A row as its columns, in the order of COLUMNS: SQLite hands over thousands a fifth faster than with names. */
type Columns = [
  version: number,
  type: string,
  at: string,
  schema_version: number,
  data: StoredData,
  hash: string,
];
type Queries<Row> = Readonly<Record<EventSelection, Statement<Values, Row>>>;
type Ordered<Row> = { oldest_first: Queries<Row>; newest_first: Queries<Row> };

function prepareBoth<Row>(db: Database, columns: string): Ordered<Row> {
  return {
    oldest_first: prepareQueries(db, columns, 'ORDER BY version LIMIT ?'),
    newest_first: prepareQueries(db, columns, 'ORDER BY version DESC LIMIT ?'),
  };
}

function prepareQueries<Row>(db: Database, columns: string, order: string): Queries<Row> {
  return {
    all: db.prepare(`SELECT ${columns} FROM events WHERE ${IN_RANGE} ${order}`),
    of_types: db.prepare(
      `SELECT ${columns} FROM events WHERE ${IN_RANGE} AND ${OF_TYPES} ${order}`,
    ),
    // The planner cannot know that this index holds few rows; without the hint it walks all items.
    without_items: db.prepare(
      `SELECT ${columns} FROM events INDEXED BY events_without_items
       WHERE ${IN_RANGE} AND type <> 'item.appended' AND ${OF_TYPES} ${order}`,
    ),
  };
}

/** Reads and writes the `events` rows. */
export class EventRows {
  readonly #insert: Statement<[string, string, number, string, string, number, string, string]>;
  readonly #rows: Ordered<Columns>;
  readonly #sizes: Ordered<Size>;

  constructor(db: Database) {
    this.#insert = db.prepare(
      `INSERT INTO events (tenant, session_id, version, type, at, schema_version, hash, data)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#rows = prepareBoth<Columns>(db, COLUMNS);
    for (const queries of Object.values(this.#rows)) {
      for (const statement of Object.values(queries)) statement.raw();
    }
    this.#sizes = prepareBoth(db, 'octet_length(data) AS bytes');
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

  /** With the data as text. Throws ElsewhereError for a row that is larger than asked. */
  texts(ref: SessionRef, query: EventQuery): EventRow[] {
    return this.list(ref, query).map(withText);
  }

  /** Throws ElsewhereError for a row that is larger than asked. */
  list(ref: SessionRef, query: EventQuery): StoredRow[] {
    const { largest } = query;
    // Their sizes alone are read in no time: to make a text of a large row takes longer than to parse it.
    if (largest !== undefined) {
      const { statement, values } = prepared(this.#sizes, ref, query);
      const sizes = statement.iterate(...values);
      const asked = bounded(sizes, ({ bytes }) => bytes, query.max_bytes);
      if (asked.some(({ bytes }) => bytes > largest)) throw new ElsewhereError();
    }
    const { statement, values } = prepared(this.#rows, ref, query);
    const rows =
      query.max_bytes === undefined
        ? statement.all(...values)
        : bounded(
            statement.iterate(...values),
            ([, , , , data]) => Buffer.byteLength(data),
            query.max_bytes,
          );
    return rows.map(rowOf);
  }

  /** All events of a session, oldest first, one at a time. */
  *iterate(ref: SessionRef): IterableIterator<EventRow> {
    for (const columns of this.#rows.oldest_first.all.iterate(...rangeOf(ref, {}), -1)) {
      yield withText(rowOf(columns));
    }
  }
}

function rowOf([version, type, at, schema_version, data, hash]: Columns): StoredRow {
  return { version, type, at, schema_version, data, hash };
}

function withText(row: StoredRow): EventRow {
  return { ...row, data: textOf(row.data) };
}

function prepared<Row>(ordered: Ordered<Row>, ref: SessionRef, query: EventQuery) {
  const queries = query.newest_first ? ordered.newest_first : ordered.oldest_first;
  const types = query.types ? [JSON.stringify(query.types)] : [];
  // SQLite takes a negative limit as none.
  const values: Values = [...rangeOf(ref, query), ...types, query.limit ?? -1];
  return { statement: queries[selectionOf(query.types)], values };
}

/** Only what is answered is read: the rows come one at a time. */
function bounded<Row>(
  rows: Iterable<Row>,
  bytesOf: (row: Row) => number,
  maxBytes = Number.POSITIVE_INFINITY,
): Row[] {
  const read: Row[] = [];
  let bytes = 0;
  for (const row of rows) {
    read.push(row);
    bytes += bytesOf(row);
    if (bytes >= maxBytes) break;
  }
  return read;
}

function rangeOf(ref: SessionRef, query: EventQuery): Range {
  const { after = 0, up_to = Number.MAX_SAFE_INTEGER } = query;
  return [ref.tenant, ref.session_id, after, up_to];
}
