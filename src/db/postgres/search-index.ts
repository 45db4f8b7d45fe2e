import { isDeepStrictEqual } from 'node:util';
import type { Pool, PoolClient } from 'pg';
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
import { decodeEvent } from '../event-codec.ts';
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
  WITH_PLACE,
} from '../search.ts';
import { refuseArchived } from '../session-row.ts';
import { DeadPages } from './dead-pages.ts';
import { type SizedRow, withData } from './event-rows.ts';
import { jsonField } from './json-field.ts';
import { inTransaction, onSnapshot, select } from './open-pool.ts';
import {
  countOf,
  documentsWithTokens,
  Finder,
  idsWithSequences,
  type Range,
  segmentsOf,
  sequencesOf,
} from './search-lookup.ts';
import { addSegment, type Segment } from './search-segments.ts';
import { storeErrors } from './store-error.ts';

/** Documents whose rows, or whose words, are looked at in one go, newest first: few decide most queries. */
const FIRST_DOCUMENTS = 256;
const MOST_DOCUMENTS = 8_192;

const FORMAT = `${jsonField('s.settings', 'format')} AS format`;
const PLACE = `${PLACE_COLUMNS}, ${FORMAT}`;

/** What there is of a session besides how far it is indexed, by its key. */
const ROWS_OF_SESSION = [
  'search_pages WHERE first_id',
  'search_segments WHERE first_id',
  'search_words WHERE id',
  'search_documents WHERE id',
];

/** The index in segments: in each the tokens of some documents, with those that have them (decision 0045). */
export class PostgresSearchIndex implements SearchIndex {
  readonly #pool: Pool;
  readonly #deadPages: DeadPages;

  constructor(pool: Pool) {
    this.#pool = pool;
    this.#deadPages = new DeadPages(pool);
  }

  async position(ref: SessionRef): Promise<IndexPosition | null> {
    const place = await this.#place(ref);
    if (place === null) return null;
    return positionOf(place);
  }

  async positions(after: number, limit: number) {
    const places = await storeErrors(
      select<SessionRef & Place>(this.#pool, {
        name: 'positions',
        text: `SELECT s.tenant, s.session_id, ${PLACE} ${WITH_PLACE}
          WHERE s.created_order > $1 ORDER BY s.created_order LIMIT $2`,
        values: [after, limit],
      }),
    );
    const data = places.map((place) => ({
      ref: { tenant: place.tenant, session_id: place.session_id },
      ...positionOf(place),
    }));
    const next = places.length < limit ? null : (places.at(-1)?.session_order ?? null);
    return { data, next };
  }

  async behind(tenant: string | null, after: number, limit: number) {
    const rows = await storeErrors(
      select<SessionRef & { session_order: number }>(this.#pool, {
        name: tenant === null ? 'behind' : 'behind_of_tenant',
        text: `SELECT s.tenant, s.session_id, s.created_order AS session_order ${WITH_PLACE}
          WHERE s.created_order > $1 AND s.version > coalesce(p.version, 0)
            ${tenant === null ? '' : 'AND s.tenant = $3'}
          ORDER BY s.created_order LIMIT $2`,
        values: [after, limit, ...(tenant === null ? [] : [tenant])],
      }),
    );
    const next = rows.length < limit ? null : (rows.at(-1)?.session_order ?? null);
    return { data: rows.map(({ tenant, session_id }) => ({ tenant, session_id })), next };
  }

  async toolsOf(
    ref: SessionRef,
    callIds: readonly string[],
    before: number,
  ): Promise<Map<string, string>> {
    const place = await this.#place(ref);
    if (place === null) return new Map();
    const { first } = idsOf(place.session_order);
    const rows = await storeErrors(
      select<{ call_id: string; tool: string }>(this.#pool, {
        name: 'search_tools',
        text: `SELECT call_id, tool FROM search_documents
          WHERE call_id = ANY($1) AND id BETWEEN $2 AND $3 ORDER BY id`,
        values: [callIds, first, first + before - 1],
      }),
    );
    return new Map(rows.map(({ call_id, tool }) => [call_id, tool]));
  }

  async sessionsOfCall(tenant: string, callId: string, limit: number): Promise<string[]> {
    const rows = await storeErrors(
      select<{ session_id: string }>(this.#pool, {
        name: 'search_callers',
        text: `SELECT s.session_id FROM search_documents AS d
          JOIN sessions AS s ON s.created_order = d.id >> 26
          WHERE d.call_id = $1 AND s.tenant = $2
          GROUP BY s.created_order, s.session_id ORDER BY s.created_order DESC LIMIT $3`,
        values: [callId, tenant, limit],
      }),
    );
    return rows.map(({ session_id }) => session_id);
  }

  write(...asked: Parameters<SearchIndex['write']>): Promise<boolean> {
    return storeErrors(this.#write(...asked));
  }

  async #write(
    ref: SessionRef,
    from: Reached,
    to: number | null,
    documents: readonly NewDocument[],
  ): Promise<boolean> {
    const place = await this.#place(ref);
    if (place === null || !isAt(place, from, to)) return false;
    const { session_order } = place;
    // By itself: the foreign key locks the session's row, for which appends would wait.
    await this.#pool.query(
      `INSERT INTO search_sessions SELECT created_order, 0, 0, 0 FROM sessions WHERE created_order = $1
       ON CONFLICT DO NOTHING`,
      [session_order],
    );
    const written = await inTransaction(this.#pool, async (client) => {
      const { indexed, begun } = movedBy(from, to, documents.length);
      const [moved] = await select<{ documents: number }>(client, {
        name: 'search_move',
        text: `UPDATE search_sessions SET version = $4, begun = $5, documents = documents + $6
          WHERE session_order = $1 AND version = $2 AND begun = $3 RETURNING documents`,
        values: [session_order, from.indexed, from.begun, indexed, begun, documents.length],
      });
      let deleted = 0;
      if (moved !== undefined && documents.length > 0) {
        const firstId = idsOf(session_order).first + moved.documents - documents.length;
        await client.query({
          name: 'search_documents',
          text: 'INSERT INTO search_documents SELECT * FROM json_populate_recordset(NULL::search_documents, $1)',
          values: [JSON.stringify(rowsOf(documents, firstId))],
        });
        const isBehind = to === null || to < place.version;
        deleted = await addSegment(client, session_order, firstId, documents, isBehind);
      }
      return { moved: moved !== undefined, deleted };
    });
    await this.#deadPages.add(written.deleted);
    return written.moved;
  }

  async wrong(ref: SessionRef, first: number, documents: readonly NewDocument[]) {
    const place = await this.#place(ref);
    if (place === null) return documents.map(({ seq }) => seq);
    const rows = rowsOf(documents, idsOf(place.session_order).first + first);
    const [from, to] = [rows[0]?.id ?? 0, rows.at(-1)?.id ?? 0];
    const stored = await storeErrors(
      select<DocumentRow>(this.#pool, {
        text: `SELECT ${DOCUMENT_FIELDS} FROM search_documents WHERE id BETWEEN $1 AND $2 ORDER BY id`,
        values: [from, to],
      }),
    );
    const byId = new Map(stored.map((row) => [row.id, row]));
    const samples = documents.map(({ tokens }) => sampleOf(tokens));
    const found = await storeErrors(
      onSnapshot(this.#pool, async (client) => {
        const segments = await select<Segment>(client, {
          text: `SELECT first_id, documents, bytes FROM search_segments
            WHERE first_id <= $2 AND first_id + documents > $1`,
          values: [from, to],
        });
        const ids = segments.map(({ first_id }) => first_id);
        return documentsWithTokens(client, ids, samples.flat());
      }),
    );
    return rows.flatMap((row, index) => {
      const isFound = samples[index]?.every((token) => found.get(token)?.has(row.id)) ?? true;
      return isFound && isDeepStrictEqual(byId.get(row.id), row) ? [] : [row.seq];
    });
  }

  async find(query: IndexQuery): Promise<FoundDocument[]> {
    const range = await this.#rangeOf(query.scope);
    if (range === null) return [];
    const last = Math.min(range.last, (query.before_id ?? Number.MAX_SAFE_INTEGER) - 1);
    if (query.all.length === 0) {
      return this.#documents(this.#pool, query, 'd.id >= $1 AND d.id <= $2', [range.first, last]);
    }
    return storeErrors(
      onSnapshot(this.#pool, (client) => this.#findAmong(client, { ...range, last }, query)),
    );
  }

  async #findAmong(client: PoolClient, range: Range, query: IndexQuery): Promise<FoundDocument[]> {
    const { last } = range;
    const finder = new Finder(client, query);
    const sequences = sequencesOf(query.all);
    const found: FoundDocument[] = [];
    let count = FIRST_DOCUMENTS;
    for await (const segments of segmentsOf(client, range)) {
      const ids = await finder.idsIn(segments);
      const inRange = ids.filter((id) => id <= last);
      for (let from = 0; from < inRange.length; ) {
        const some = inRange.slice(from, from + count);
        from += some.length;
        count = Math.min(MOST_DOCUMENTS, 4 * count);
        const held = await idsWithSequences(client, some, sequences);
        const left = { ...query, limit: query.limit - found.length };
        if (held.length > 0) {
          found.push(...(await this.#documents(client, left, 'd.id = ANY($1)', [held])));
        }
        if (found.length >= query.limit) return found;
      }
    }
    return found;
  }

  async #documents(
    db: Pool | PoolClient,
    { scope, filters, limit }: Pick<IndexQuery, 'scope' | 'filters' | 'limit'>,
    which: string,
    values: unknown[],
  ): Promise<FoundDocument[]> {
    const conditions = conditionsOf(scope, filters);
    const numbered = conditions.map(({ sql }, index) =>
      sql.replace('?', `$${values.length + index + 1}`),
    );
    const all = [...values, ...conditions.map(({ value }) => value), limit];
    return storeErrors(
      select<FoundDocument>(db, {
        text: `SELECT ${FOUND_COLUMNS}, s.session_id FROM search_documents AS d
          JOIN sessions AS s ON s.created_order = d.id >> 26
          WHERE ${[which, ...numbered].join(' AND ')} ORDER BY d.id DESC LIMIT $${all.length}`,
        values: all,
      }),
    );
  }

  async frequency(scope: SearchScope, lookups: readonly Lookup[]): Promise<number> {
    const range = await this.#rangeOf(scope);
    return range === null ? 0 : countOf(this.#pool, range, lookups);
  }

  async size({ tenant, session }: SearchScope): Promise<number> {
    if (session !== null)
      return (await this.#place({ tenant, session_id: session.id }))?.documents ?? 0;
    const [row] = await storeErrors(
      select<{ documents: number }>(this.#pool, {
        name: 'search_size',
        text: `SELECT coalesce(sum(p.documents), 0)::bigint AS documents ${WITH_PLACE}
          WHERE s.tenant = $1`,
        values: [tenant],
      }),
    );
    return row?.documents ?? 0;
  }

  async events(documents: readonly FoundDocument[], maxBytes: number, largest?: number) {
    const asked = documents.map(({ id, seq }) => ({ id, seq, session_order: sessionOrderOf(id) }));
    const rows = await storeErrors(
      select<SizedRow & SessionRef & { id: number; format: Format; archive_file: string | null }>(
        this.#pool,
        {
          name: 'search_events',
          text: `SELECT * FROM (
            SELECT asked.id, asked.place, ${FORMAT},
              s.tenant, s.session_id, s.archive_file,
              e.version, e.type, e.at, e.schema_version, e.hash,
              CASE WHEN octet_length(e.data) <= $5::bigint THEN e.data END AS data,
              sum(coalesce(octet_length(e.data), 0)) OVER (ORDER BY asked.place) AS bytes
            FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) WITH ORDINALITY
              AS asked (id, session_order, seq, place)
            JOIN sessions AS s ON s.created_order = asked.session_order
            LEFT JOIN events AS e ON e.tenant = s.tenant AND e.session_id = s.session_id
              AND e.version = asked.seq
            WHERE e.version IS NOT NULL OR s.archive_file IS NOT NULL
          ) AS sized WHERE bytes <= $4 OR place = 1 ORDER BY place`,
          values: [
            asked.map(({ id }) => id),
            asked.map(({ session_order }) => session_order),
            asked.map(({ seq }) => seq),
            maxBytes,
            largest ?? Number.MAX_SAFE_INTEGER,
          ],
        },
      ),
    );
    for (const { tenant, session_id, archive_file } of rows) {
      refuseArchived({ tenant, session_id }, archive_file);
    }
    return new Map(
      withData(rows).map((row) => [row.id, { event: decodeEvent(row), format: row.format }]),
    );
  }

  async clear(): Promise<void> {
    await storeErrors(
      inTransaction(this.#pool, async (client) => {
        await client.query(
          'TRUNCATE search_sessions, search_documents, search_segments, search_pages, search_words',
        );
        await client.query('UPDATE search_version SET version = $1', [SEARCH_VERSION]);
      }),
    );
  }

  async forget(ref: SessionRef): Promise<void> {
    const place = await this.#place(ref);
    if (place === null) return;
    const { session_order } = place;
    const { first, last } = idsOf(session_order);
    await storeErrors(
      inTransaction(this.#pool, async (client) => {
        // First: it waits for who indexes the session, and sees what that has written.
        await client.query('DELETE FROM search_sessions WHERE session_order = $1', [session_order]);
        for (const rows of ROWS_OF_SESSION) {
          await client.query(`DELETE FROM ${rows} BETWEEN $1 AND $2`, [first, last]);
        }
      }),
    );
  }

  /** Clears an index that another release has written, which has other tokens. */
  async renew(): Promise<void> {
    const [stored] = await select<{ version: number }>(this.#pool, {
      text: 'SELECT version FROM search_version',
    });
    if (stored?.version !== SEARCH_VERSION) await this.clear();
  }

  async #place({ tenant, session_id }: SessionRef): Promise<Place | null> {
    const [place] = await storeErrors(
      select<Place>(this.#pool, {
        name: 'search_place',
        text: `SELECT ${PLACE} ${WITH_PLACE}
          WHERE s.tenant = $1 AND s.session_id = $2`,
        values: [tenant, session_id],
      }),
    );
    return place ?? null;
  }

  async #rangeOf({ tenant, session }: SearchScope): Promise<Range | null> {
    if (session === null) {
      return { tenant, first: 0, last: Number.MAX_SAFE_INTEGER, isSession: false };
    }
    const place = await this.#place({ tenant, session_id: session.id });
    return place === null ? null : { tenant, ...idsOf(place.session_order), isSession: true };
  }
}
