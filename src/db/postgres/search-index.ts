import { isDeepStrictEqual } from 'node:util';
import type { Pool } from 'pg';
import type { EventRow, SessionRef } from '../../app/ports/event-store.ts';
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
  DOCUMENT_FIELDS,
  type DocumentRow,
  FOUND_COLUMNS,
  filterConditions,
  idsOf,
  isAt,
  movedBy,
  positionOf,
  rowsOf,
  SEARCH_VERSION,
  sampleOf,
  sessionOrderOf,
} from '../search.ts';
import { onConnection, select } from './open-pool.ts';
import { addBlocks } from './search-blocks.ts';
import { blockQuery, documentsIn, lexemesOf, type Positions } from './search-query.ts';
import { storeErrors } from './store-error.ts';

type Place = IndexPosition & { session_order: number };

/** Blocks whose documents are looked at in one go, newest first: so many decide most queries. */
const BLOCKS_AT_A_TIME = 16;
/** Blocks that are counted one by one; of more the frequency of a word is estimated. */
const MOST_COUNTED = 64;

const WITH_PLACE = `FROM sessions AS s LEFT JOIN search_sessions AS p ON p.session_order = s.created_order`;
const PLACE = `s.created_order AS session_order, s.version, coalesce(p.version, 0) AS indexed,
  coalesce(p.documents, 0) AS documents, coalesce(p.begun, 0) AS begun,
  s.settings::json ->> 'format' AS format`;

/**
 * The index in a GIN index over blocks of documents: it answers in which blocks all tokens stand, and
 * the positions of their lexemes in which documents of those.
 */
export class PostgresSearchIndex implements SearchIndex {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async position(ref: SessionRef): Promise<IndexPosition | null> {
    const place = await this.#place(ref);
    if (place === null) return null;
    return positionOf(place);
  }

  async positions(tenant: string | null, after: number, limit: number) {
    const places = await storeErrors(
      select<SessionRef & Place>(this.#pool, {
        name: tenant === null ? 'behind' : 'behind_of_tenant',
        text: `SELECT s.tenant, s.session_id, ${PLACE} ${WITH_PLACE}
          WHERE s.created_order > $1 ${tenant === null ? '' : 'AND s.tenant = $3'}
          ORDER BY s.created_order LIMIT $2`,
        values: [after, limit, ...(tenant === null ? [] : [tenant])],
      }),
    );
    const data = places.map((place) => ({
      ref: { tenant: place.tenant, session_id: place.session_id },
      ...positionOf(place),
    }));
    const next = places.length < limit ? null : (places.at(-1)?.session_order ?? null);
    return { data, next };
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

  async write(
    ref: SessionRef,
    from: Reached,
    to: number | null,
    documents: readonly NewDocument[],
  ): Promise<boolean> {
    return storeErrors(this.#write(ref, from, to, documents));
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
    return onConnection(this.#pool, async (client) => {
      await client.query('BEGIN');
      const { indexed, begun } = movedBy(from, to, documents.length);
      const [moved] = await select<{ documents: number }>(client, {
        name: 'search_move',
        text: `UPDATE search_sessions SET version = $4, begun = $5, documents = documents + $6
          WHERE session_order = $1 AND version = $2 AND begun = $3 RETURNING documents`,
        values: [session_order, from.indexed, from.begun, indexed, begun, documents.length],
      });
      if (moved !== undefined && documents.length > 0) {
        const firstId = idsOf(session_order).first + moved.documents - documents.length;
        await client.query({
          name: 'search_documents',
          text: 'INSERT INTO search_documents SELECT * FROM json_populate_recordset(NULL::search_documents, $1)',
          values: [JSON.stringify(rowsOf(documents, firstId))],
        });
        await addBlocks(client, { tenant: ref.tenant, session_order, firstId }, documents);
      }
      await client.query('COMMIT');
      return moved !== undefined;
    });
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
    const blocks = await storeErrors(
      select<{ first_id: number }>(this.#pool, {
        text: 'SELECT first_id FROM search_blocks WHERE first_id <= $2 AND first_id + documents > $1',
        values: [from, to],
      }),
    );
    const positions = await this.#positions(
      blocks.map(({ first_id }) => first_id),
      [{ tokens: samples.flat(), prefixes: [] }],
    );
    const found = new Set(
      positions.flatMap(({ first_id, lexeme, positions }) =>
        positions.map((place) => `${first_id + place - 1} ${lexeme}`),
      ),
    );
    return rows.flatMap((row, index) => {
      const isFound = samples[index]?.every((token) => found.has(`${row.id} ${token}`)) ?? true;
      return isFound && isDeepStrictEqual(byId.get(row.id), row) ? [] : [row.seq];
    });
  }

  async find(query: IndexQuery): Promise<FoundDocument[]> {
    const place = await this.#idsOf(query.scope);
    if (place === null) return [];
    const range = {
      first: place.first,
      last: Math.min(place.last, (query.before_id ?? Number.MAX_SAFE_INTEGER) - 1),
    };
    if (query.all.length === 0) {
      return this.#documents(query, 'd.id >= $1 AND d.id <= $2', [range.first, range.last]);
    }
    const blocks = await this.#blocks(
      blockQuery(query.scope.tenant, place.session, query.all),
      range,
    );
    const found: FoundDocument[] = [];
    for (let from = 0; from < blocks.length && found.length < query.limit; ) {
      const some = blocks.slice(from, from + BLOCKS_AT_A_TIME);
      const ids = await this.#idsIn(some, query.all, query.none);
      const inRange = ids.filter((id) => id >= range.first && id <= range.last);
      const left = { ...query, limit: query.limit - found.length };
      found.push(...(await this.#documents(left, 'd.id = ANY($1)', [inRange])));
      from += some.length;
    }
    return found;
  }

  /** The first ids of the blocks in which all tokens stand, newest first; a little before the range too. */
  async #blocks(
    match: string,
    { first, last }: { first: number; last: number },
  ): Promise<number[]> {
    const rows = await storeErrors(
      select<{ first_id: number }>(this.#pool, {
        name: 'search_blocks',
        // What is matched leads: the planner cannot know how rare the tokens are.
        text: `WITH matched AS MATERIALIZED (
            SELECT first_id FROM search_blocks WHERE tokens @@ $1::tsquery
          ) SELECT first_id FROM matched WHERE first_id >= $2 AND first_id <= $3 ORDER BY first_id DESC`,
        values: [match, first, last],
      }),
    );
    return rows.map(({ first_id }) => first_id);
  }

  /** The documents of blocks that have what is asked for. */
  async #idsIn(
    blocks: readonly number[],
    all: IndexQuery['all'],
    none: IndexQuery['none'],
  ): Promise<number[]> {
    return documentsIn(await this.#positions(blocks, [...all.flat(), ...none]), all, none);
  }

  #positions(blocks: readonly number[], lookups: readonly Lookup[]): Promise<Positions[]> {
    const { tokens, prefixes } = lexemesOf(lookups);
    return storeErrors(
      select<Positions>(this.#pool, {
        name: 'search_positions',
        text: `SELECT b.first_id, t.lexeme, t.positions FROM search_blocks AS b, unnest(b.tokens) AS t
          WHERE b.first_id = ANY($1) AND (t.lexeme = ANY($2) OR t.lexeme ^@ ANY($3))`,
        values: [blocks, tokens, prefixes],
      }),
    );
  }

  async #documents(
    { scope, filters, limit }: Pick<IndexQuery, 'scope' | 'filters' | 'limit'>,
    which: string,
    values: unknown[],
  ): Promise<FoundDocument[]> {
    const conditions = [
      { sql: 's.tenant = ?', value: scope.tenant },
      ...(scope.session === null ? [] : [{ sql: 'd.seq <= ?', value: scope.session.up_to }]),
      ...filterConditions(filters),
    ];
    const numbered = conditions.map(({ sql }, index) =>
      sql.replace('?', `$${values.length + index + 1}`),
    );
    const all = [...values, ...conditions.map(({ value }) => value), limit];
    return storeErrors(
      select<FoundDocument>(this.#pool, {
        text: `SELECT ${FOUND_COLUMNS}, s.session_id FROM search_documents AS d
          JOIN sessions AS s ON s.created_order = d.id >> 26
          WHERE ${[which, ...numbered].join(' AND ')} ORDER BY d.id DESC LIMIT $${all.length}`,
        values: all,
      }),
    );
  }

  async frequency(scope: SearchScope, lookups: readonly Lookup[]): Promise<number> {
    const place = await this.#idsOf(scope);
    if (place === null) return 0;
    const blocks = await this.#blocks(blockQuery(scope.tenant, place.session, [lookups]), place);
    const counted = blocks.slice(0, MOST_COUNTED);
    const ids = await this.#idsIn(counted, [lookups], []);
    return Math.round((ids.length * blocks.length) / Math.max(1, counted.length));
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

  async events(documents: readonly FoundDocument[], maxBytes: number) {
    const asked = documents.map(({ id, seq }) => ({ id, seq, session_order: sessionOrderOf(id) }));
    const rows = await storeErrors(
      select<EventRow & { id: number; format: Format }>(this.#pool, {
        name: 'search_events',
        text: `SELECT * FROM (
            SELECT asked.id, asked.place, s.settings::json ->> 'format' AS format,
              e.version, e.type, e.at, e.schema_version, e.data, e.hash,
              sum(octet_length(e.data)) OVER (ORDER BY asked.place) AS bytes
            FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) WITH ORDINALITY
              AS asked (id, session_order, seq, place)
            JOIN sessions AS s ON s.created_order = asked.session_order
            JOIN events AS e ON e.tenant = s.tenant AND e.session_id = s.session_id
              AND e.version = asked.seq
          ) AS sized WHERE bytes <= $4 OR place = 1 ORDER BY place`,
        values: [
          asked.map(({ id }) => id),
          asked.map(({ session_order }) => session_order),
          asked.map(({ seq }) => seq),
          maxBytes,
        ],
      }),
    );
    return new Map(rows.map((row) => [row.id, { event: decodeEvent(row), format: row.format }]));
  }

  async clear(): Promise<void> {
    await storeErrors(
      onConnection(this.#pool, async (client) => {
        await client.query('BEGIN');
        await client.query('TRUNCATE search_sessions, search_documents, search_blocks');
        await client.query('UPDATE search_version SET version = $1', [SEARCH_VERSION]);
        await client.query('COMMIT');
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

  async #idsOf({ tenant, session }: SearchScope) {
    if (session === null) return { first: 0, last: Number.MAX_SAFE_INTEGER, session: null };
    const place = await this.#place({ tenant, session_id: session.id });
    return place === null ? null : { ...idsOf(place.session_order), session: place.session_order };
  }
}
