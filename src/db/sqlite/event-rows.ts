import { ElsewhereError } from '../../app/ports/elsewhere-error.ts';
import type { EventQuery, EventRow, SessionRef } from '../../app/ports/event-store.ts';
import type { StoredRow } from '../event-codec.ts';
import { type EventSelection, selectionOf } from '../event-query.ts';
import { type Known, KnownRows, knownHash } from '../known-rows.ts';
import { type StoredData, TYPES_WITH_LEDGER, textOf } from '../unread-ledger.ts';
import type { Database, Statement } from './driver.ts';

/** What the data of an event takes. */
type Size = { bytes: number };
type Range = [tenant: string, session: string, after: number, upTo: number];

const IN_RANGE = 'tenant = ? AND session_id = ? AND version > ? AND version <= ?';
const OF_TYPES = 'type IN (SELECT value FROM json_each(?))';

/**
 * A ledger is seldom read, and to make a text of a large one takes longer than all the rest of a read: bytes
 * are handed over, and nothing of the event with the hash that the statement is given first.
 */
const DATA = `CASE WHEN type IN (${TYPES_WITH_LEDGER.map((type) => `'${type}'`).join(', ')})
  THEN CASE WHEN hash = ? THEN NULL ELSE CAST(data AS BLOB) END ELSE data END`;
const COLUMNS = `version, type, at, schema_version, ${DATA}, hash`;

type Values = [...Range, ...types: string[], limit: number];
/** A row as its columns, in the order of COLUMNS: SQLite hands over thousands a fifth faster than with names. */
type Columns = [
  version: number,
  type: string,
  at: string,
  schema_version: number,
  data: StoredData | null,
  hash: string,
];
type Queries<V extends unknown[], Row> = Readonly<Record<EventSelection, Statement<V, Row>>>;
type Ordered<V extends unknown[], Row> = {
  oldest_first: Queries<V, Row>;
  newest_first: Queries<V, Row>;
};

function prepareBoth<V extends unknown[], Row>(db: Database, columns: string): Ordered<V, Row> {
  return {
    oldest_first: prepareQueries(db, columns, 'ORDER BY version LIMIT ?'),
    newest_first: prepareQueries(db, columns, 'ORDER BY version DESC LIMIT ?'),
  };
}

function prepareQueries<V extends unknown[], Row>(
  db: Database,
  columns: string,
  order: string,
): Queries<V, Row> {
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
  readonly #rows: Ordered<[known: string, ...Values], Columns>;
  readonly #sizes: Ordered<Values, Size>;
  readonly #known = new KnownRows<StoredRow>();

  constructor(db: Database) {
    this.#insert = db.prepare(
      `INSERT INTO events (tenant, session_id, version, type, at, schema_version, hash, data)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#rows = prepareBoth(db, COLUMNS);
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

  /** With the data as text, as it stands in the file. Throws ElsewhereError for a row that is larger than asked. */
  texts(ref: SessionRef, query: EventQuery): EventRow[] {
    this.#refuseLarger(ref, query);
    return this.#read(ref, query, undefined).map(withText);
  }

  /** Throws ElsewhereError for a row that is larger than asked. */
  list(ref: SessionRef, query: EventQuery): StoredRow[] {
    this.#refuseLarger(ref, query);
    const rows = this.#read(ref, query, this.#known.of(ref));
    this.#known.keep(ref, rows);
    return rows;
  }

  /** All events of a session, oldest first, one at a time. */
  *iterate(ref: SessionRef): IterableIterator<EventRow> {
    const { all } = this.#rows.oldest_first;
    for (const columns of all.iterate(knownHash(undefined), ...rangeOf(ref, {}), -1)) {
      yield withText(rowOf(columns, undefined));
    }
  }

  /** Drops what is kept in memory of a session that is erased. */
  forget(ref: SessionRef): void {
    this.#known.forget(ref);
  }

  #refuseLarger(ref: SessionRef, query: EventQuery): void {
    const { largest } = query;
    // Their sizes alone are read in no time: to make a text of a large row takes longer than to parse it.
    if (largest === undefined) return;
    const sizes = queried(this.#sizes, query).iterate(...valuesOf(ref, query));
    const asked = bounded(sizes, ({ bytes }) => bytes, query.max_bytes);
    if (asked.some(({ bytes }) => bytes > largest)) throw new ElsewhereError();
  }

  #read(ref: SessionRef, query: EventQuery, known: Known<StoredRow> | undefined): StoredRow[] {
    const statement = queried(this.#rows, query);
    const values = [knownHash(known), ...valuesOf(ref, query)] as const;
    const rows =
      query.max_bytes === undefined
        ? statement.all(...values)
        : bounded(
            statement.iterate(...values),
            ([, , , , data]) => (data === null ? (known?.bytes ?? 0) : Buffer.byteLength(data)),
            query.max_bytes,
          );
    return rows.map((columns) => rowOf(columns, known));
  }
}

function rowOf(
  [version, type, at, schema_version, data, hash]: Columns,
  known: Known<StoredRow> | undefined,
): StoredRow {
  if (data !== null) return { version, type, at, schema_version, data, hash };
  if (known === undefined) throw new Error(`the event of version ${version} has no data`);
  return known.row;
}

function withText(row: StoredRow): EventRow {
  return { ...row, data: textOf(row.data) };
}

function queried<V extends unknown[], Row>(
  ordered: Ordered<V, Row>,
  { newest_first, types }: EventQuery,
): Statement<V, Row> {
  return ordered[newest_first ? 'newest_first' : 'oldest_first'][selectionOf(types)];
}

function valuesOf(ref: SessionRef, query: EventQuery): Values {
  const types = query.types ? [JSON.stringify(query.types)] : [];
  // SQLite takes a negative limit as none.
  return [...rangeOf(ref, query), ...types, query.limit ?? -1];
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
