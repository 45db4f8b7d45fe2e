import { isDeepStrictEqual } from 'node:util';
import type { SessionRef } from '../../app/ports/event-store.ts';
import type {
  FoundDocument,
  IndexPosition,
  IndexQuery,
  NewDocument,
  Reached,
  SearchIndex,
  SearchScope,
} from '../../app/ports/search-index.ts';
import type { Format } from '../../domain/items/codecs.ts';
import type { Lookup } from '../../domain/search/query.ts';
import { decodeEvent, type StoredRow } from '../event-codec.ts';
import {
  conditionsOf,
  DOCUMENT_FIELDS,
  type DocumentRow,
  FOUND_COLUMNS,
  idsOf,
  isAt,
  movedBy,
  PLACE_COLUMNS,
  type Place,
  positionOf,
  rowsOf,
  SEARCH_VERSION,
  sampleOf,
  sessionOrderOf,
  tenantToken,
  WITH_PLACE,
} from '../search.ts';
import { refuseArchived } from '../session-row.ts';
import type { Database, Statement } from './driver.ts';
import type { EventRows } from './event-rows.ts';
import type { GroupWriter } from './group-writer.ts';
import { reading } from './store-error.ts';

/** Where the events of a document are. */
type FoundSession = SessionRef & { format: Format; archive_file: string | null };

type Late = SessionRef & { session_order: number };

/** Beyond so many, one more says nothing: a word is frequent. */
const MOST_COUNTED = 20_000;

const FORMAT = "json_extract(s.settings, '$.format') AS format";
const PLACE = `${PLACE_COLUMNS}, ${FORMAT}`;

/** The index in FTS5, one row for each document. */
export class SqliteSearchIndex implements SearchIndex {
  readonly #db: Database;
  readonly #events: EventRows;
  readonly #writer: GroupWriter;
  readonly #place: Statement<[string, string], Place>;
  readonly #places: Statement<[number, number], SessionRef & Place>;
  readonly #behind: Statement<[number, number], Late>;
  readonly #behindOfTenant: Statement<[string, number, number], Late>;
  readonly #move: Statement<[order: number, version: number, documents: number, begun: number]>;
  readonly #insert: Statement<[DocumentRow]>;
  readonly #insertTokens: Statement<[id: number, words: string, names: string]>;
  readonly #tool: Statement<[string, number, number], string>;
  readonly #callers: Statement<[callId: string, tenant: string, limit: number], string>;
  readonly #row: Statement<[id: number], DocumentRow>;
  readonly #hasTokens: Statement<[match: string, id: number], { rowid: number }>;
  readonly #size: Statement<[tenant: string], number>;
  readonly #session: Statement<[order: number], FoundSession>;

  constructor(db: Database, events: EventRows, writer: GroupWriter) {
    this.#db = db;
    this.#events = events;
    this.#writer = writer;
    this.#place = db.prepare(
      `SELECT ${PLACE} ${WITH_PLACE} WHERE s.tenant = ? AND s.session_id = ?`,
    );
    this.#places = db.prepare(
      `SELECT s.tenant, s.session_id, ${PLACE} ${WITH_PLACE}
       WHERE s.created_order > ? ORDER BY s.created_order LIMIT ?`,
    );
    const behind = (of: string) => `SELECT s.tenant, s.session_id, s.created_order AS session_order
      ${WITH_PLACE} WHERE ${of} s.created_order > ? AND s.version > coalesce(p.version, 0)
      ORDER BY s.created_order LIMIT ?`;
    this.#behind = db.prepare(behind(''));
    this.#behindOfTenant = db.prepare(behind('s.tenant = ? AND'));
    this.#move = db.prepare(
      `INSERT INTO search_sessions (session_order, version, documents, begun) VALUES (?, ?, ?, ?)
       ON CONFLICT (session_order) DO UPDATE
       SET version = excluded.version, documents = excluded.documents, begun = excluded.begun`,
    );
    this.#insert = db.prepare(
      `INSERT INTO search_documents (${DOCUMENT_FIELDS})
       VALUES (${DOCUMENT_FIELDS.map((name) => `@${name}`)})`,
    );
    this.#insertTokens = db.prepare(
      'INSERT INTO search_tokens (rowid, words, names) VALUES (?, ?, ?)',
    );
    this.#tool = db
      .prepare<[string, number, number], string>(
        `SELECT tool FROM search_documents WHERE call_id = ? AND id BETWEEN ? AND ?
         ORDER BY id DESC LIMIT 1`,
      )
      .pluck();
    this.#callers = db
      .prepare<[string, string, number], string>(
        `SELECT DISTINCT s.session_id FROM search_documents AS d
         JOIN sessions AS s ON s.created_order = d.id >> 26
         WHERE d.call_id = ? AND s.tenant = ? ORDER BY s.created_order DESC LIMIT ?`,
      )
      .pluck();
    this.#row = db.prepare(`SELECT ${DOCUMENT_FIELDS} FROM search_documents WHERE id = ?`);
    this.#hasTokens = db.prepare(
      'SELECT rowid FROM search_tokens WHERE search_tokens MATCH ? AND rowid = ?',
    );
    this.#size = db
      .prepare<[string], number>(
        `SELECT coalesce(sum(p.documents), 0) FROM sessions AS s
         JOIN search_sessions AS p ON p.session_order = s.created_order WHERE s.tenant = ?`,
      )
      .pluck();
    this.#session = db.prepare(
      `SELECT s.tenant, s.session_id, s.archive_file, ${FORMAT} FROM sessions AS s WHERE s.created_order = ?`,
    );
  }

  async position({ tenant, session_id }: SessionRef): Promise<IndexPosition | null> {
    const place = reading(() => this.#place.get(tenant, session_id));
    if (place === undefined) return null;
    return positionOf(place);
  }

  async positions(after: number, limit: number) {
    const places = reading(() => this.#places.all(after, limit));
    const data = places.map((place) => ({
      ref: { tenant: place.tenant, session_id: place.session_id },
      ...positionOf(place),
    }));
    const next = places.length < limit ? null : (places.at(-1)?.session_order ?? null);
    return { data, next };
  }

  async behind(tenant: string | null, after: number, limit: number) {
    const rows = reading(() =>
      tenant === null
        ? this.#behind.all(after, limit)
        : this.#behindOfTenant.all(tenant, after, limit),
    );
    const next = rows.length < limit ? null : (rows.at(-1)?.session_order ?? null);
    return { data: rows.map(({ tenant, session_id }) => ({ tenant, session_id })), next };
  }

  async toolsOf(
    ref: SessionRef,
    callIds: readonly string[],
    before: number,
  ): Promise<Map<string, string>> {
    const tools = new Map<string, string>();
    const place = reading(() => this.#place.get(ref.tenant, ref.session_id));
    if (place === undefined) return tools;
    const { first } = idsOf(place.session_order);
    for (const id of callIds) {
      const tool = reading(() => this.#tool.get(id, first, first + before - 1));
      if (tool !== undefined) tools.set(id, tool);
    }
    return tools;
  }

  async sessionsOfCall(tenant: string, callId: string, limit: number): Promise<string[]> {
    return reading(() => this.#callers.all(callId, tenant, limit));
  }

  write(
    ref: SessionRef,
    from: Reached,
    to: number | null,
    documents: readonly NewDocument[],
  ): Promise<boolean> {
    const always = tenantToken(ref.tenant);
    const write = this.#db.transaction(() => {
      const place = this.#place.get(ref.tenant, ref.session_id);
      if (place === undefined || !isAt(place, from, to)) return false;
      const firstId = idsOf(place.session_order).first + place.documents;
      for (const [index, row] of rowsOf(documents, firstId).entries()) {
        this.#insert.run(row);
        const { words, names } = documents[index]?.tokens ?? { words: [], names: [] };
        this.#insertTokens.run(row.id, words.join(' '), [always, ...names].join(' '));
      }
      const { indexed, begun } = movedBy(from, to, documents.length);
      this.#move.run(place.session_order, indexed, place.documents + documents.length, begun);
      return true;
    });
    // It stands in the log as well, from where it is indexed again.
    return this.#writer.alone(() => write.immediate(), { isDurable: false });
  }

  async wrong(ref: SessionRef, first: number, documents: readonly NewDocument[]) {
    const place = reading(() => this.#place.get(ref.tenant, ref.session_id));
    if (place === undefined) return documents.map(({ seq }) => seq);
    const rows = rowsOf(documents, idsOf(place.session_order).first + first);
    return rows.flatMap((row, index) => {
      const stored = reading(() => this.#row.get(row.id));
      const tokens = documents[index]?.tokens;
      const match = tokens === undefined ? '' : sampleOf(tokens).map(quoted).join(' AND ');
      const isFound =
        match === '' || reading(() => this.#hasTokens.get(match, row.id)) !== undefined;
      return isFound && isDeepStrictEqual(stored, row) ? [] : [row.seq];
    });
  }

  async find({ scope, filters, all, none, before_id, limit }: IndexQuery) {
    const place = this.#placeOf(scope);
    if (place === null) return [];
    const match = matchOf(scope, all, none);
    // What is matched leads: SQLite would rather walk through all documents.
    const from =
      match === null
        ? 'search_documents AS d'
        : 'search_tokens AS t CROSS JOIN search_documents AS d ON d.id = t.rowid';
    const id = match === null ? 'd.id' : 't.rowid';
    const conditions = [
      ...(match === null ? [] : [{ sql: 't.search_tokens MATCH ?', value: match }]),
      { sql: `${id} >= ?`, value: place.first },
      {
        sql: `${id} <= ?`,
        value: Math.min(place.last, (before_id ?? Number.MAX_SAFE_INTEGER) - 1),
      },
      ...conditionsOf(scope, filters),
    ];
    const sql = `SELECT ${FOUND_COLUMNS}, s.session_id
      FROM ${from} CROSS JOIN sessions AS s ON s.created_order = d.id >> 26
      WHERE ${conditions.map(({ sql }) => sql).join(' AND ')} ORDER BY ${id} DESC LIMIT ?`;
    return reading(() =>
      this.#db
        .prepare<(string | number)[], FoundDocument>(sql)
        .all(...conditions.map(({ value }) => value), limit),
    );
  }

  async frequency(scope: SearchScope, lookups: readonly Lookup[]): Promise<number> {
    const place = this.#placeOf(scope);
    // A sequence counts as its words, which is quicker and what the other store does.
    const words = lookups.map((lookup) => ({ ...lookup, sequence: [] }));
    const match = matchOf(scope, [words], []);
    if (place === null || match === null) return 0;
    const sql = `SELECT count(*) AS count FROM (SELECT rowid FROM search_tokens
      WHERE search_tokens MATCH ? AND rowid >= ? AND rowid <= ? LIMIT ${MOST_COUNTED})`;
    const { count } = reading(() =>
      this.#db
        .prepare<[string, number, number], { count: number }>(sql)
        .get(match, place.first, place.last),
    ) ?? { count: 0 };
    return count;
  }

  async size({ tenant, session }: SearchScope): Promise<number> {
    if (session === null) return reading(() => this.#size.get(tenant)) ?? 0;
    return reading(() => this.#place.get(tenant, session.id))?.documents ?? 0;
  }

  async events(documents: readonly FoundDocument[], maxBytes: number, largest?: number) {
    const sized = largest === undefined ? {} : { largest };
    const found: Awaited<ReturnType<SearchIndex['events']>> = new Map();
    let bytes = 0;
    for (const { id, seq } of documents) {
      const read = reading(() => this.#read(sessionOrderOf(id), seq, sized));
      if (read === null) continue;
      const { row, format } = read;
      bytes += row.data.length;
      if (found.size > 0 && bytes > maxBytes) break;
      found.set(id, { event: decodeEvent(row), format });
    }
    return found;
  }

  /** Null for what was erased. */
  #read(
    order: number,
    seq: number,
    sized: { largest?: number },
  ): { row: StoredRow; format: Format } | null {
    // As one: it may go into the archive meanwhile, or come back.
    const read = this.#db.transaction(() => {
      const session = this.#session.get(order);
      if (session === undefined) return null;
      const { format, archive_file, ...ref } = session;
      const [row] = this.#events.list(ref, { after: seq - 1, up_to: seq, ...sized });
      if (row === undefined) refuseArchived(ref, archive_file);
      return row === undefined ? null : { row, format };
    });
    return read.deferred();
  }

  async clear(): Promise<void> {
    const clear = this.#db.transaction(() => {
      this.#db.exec('DELETE FROM search_sessions; DELETE FROM search_documents');
      this.#db.exec("INSERT INTO search_tokens (search_tokens) VALUES ('delete-all')");
      this.#db.prepare('UPDATE search_version SET version = ?').run(SEARCH_VERSION);
    });
    await this.#writer.alone(() => clear.immediate());
  }

  async forget({ tenant, session_id }: SessionRef): Promise<void> {
    const forget = this.#db.transaction(() => {
      const place = this.#place.get(tenant, session_id);
      if (place === undefined) return;
      const { first, last } = idsOf(place.session_order);
      const remove = (from: string) => this.#db.prepare(`DELETE FROM ${from} BETWEEN ? AND ?`);
      remove('search_tokens WHERE rowid').run(first, last);
      remove('search_documents WHERE id').run(first, last);
      remove('search_sessions WHERE session_order').run(place.session_order, place.session_order);
    });
    await this.#writer.alone(() => forget.immediate());
  }

  /** Clears an index that another release has written, which has other tokens. */
  async renew(): Promise<void> {
    const version = this.#db.prepare<[], number>('SELECT version FROM search_version').pluck();
    if (version.get() !== SEARCH_VERSION) await this.clear();
  }

  #placeOf({ tenant, session }: SearchScope): { first: number; last: number } | null {
    if (session === null) return { first: 0, last: Number.MAX_SAFE_INTEGER };
    const place = reading(() => this.#place.get(tenant, session.id));
    return place === undefined ? null : idsOf(place.session_order);
  }
}

/** The query as FTS5 writes it; null when nothing is looked up. */
function matchOf(
  { tenant, session }: SearchScope,
  all: IndexQuery['all'],
  none: IndexQuery['none'],
): string | null {
  const wanted = all.map((lookups) => `(${lookups.map(allOf).join(' OR ')})`);
  if (wanted.length === 0) return null;
  // The ids of a session are a range of their own.
  if (session === null) wanted.unshift(quoted(tenantToken(tenant)));
  const unwanted = none.map((lookup) => ` NOT (${allOf(lookup)})`).join('');
  return `(${wanted.join(' AND ')})${unwanted}`;
}

function allOf({ tokens, prefixes, sequence }: Lookup): string {
  if (sequence.length > 0) return `words : ${quoted(sequence.join(' '))}`;
  return `(${[...tokens.map(quoted), ...prefixes.map((prefix) => `${quoted(prefix)}*`)].join(' AND ')})`;
}

function quoted(token: string): string {
  return `"${token.replaceAll('"', '""')}"`;
}
