import type { Pool, PoolClient } from 'pg';
import type { IndexQuery } from '../../app/ports/search-index.ts';
import type { Lookup } from '../../domain/search/query.ts';
import { select } from './open-pool.ts';
import { entriesIn, entryOf, keyOf, numbersOf, type Postings, written } from './search-pages.ts';
import { bytesOfWords, type Segment } from './search-segments.ts';
import { storeErrors } from './store-error.ts';

/** Whose segments: all of a tenant, or those with these ids. */
export type Range = { tenant: string; first: number; last: number; isSession: boolean };

/** Segments that are looked at in one go, newest first: so many decide most queries. */
const FIRST_SEGMENTS = 4;
const MOST_SEGMENTS = 512;
/** So many tokens of segments are read together; of more the rarest comes first. */
const READ_TOGETHER = 256;
/** Of so many documents one has to be looked at, and all are. */
const DENSE = 8;
/** Larger than every token that begins like it. */
const END_OF_PREFIX = '\uffff';

/** Beyond so many, one more says nothing: a word is frequent. */
const MOST_COUNTED = 20_000;

/** Segments are joined meanwhile: what belongs together is read from one snapshot. */
type Db = Pool | PoolClient;

/** The numbers of documents in their segments, in ascending order, by the first ids of these. */
type Documents = Map<number, readonly number[]>;

/**
 * The segments of a range, newest first, in growing portions; the oldest may begin before the range.
 */
export async function* segmentsOf(db: Db, range: Range): AsyncGenerator<Segment[]> {
  const { tenant, first, isSession } = range;
  let { last } = range;
  for (let limit = FIRST_SEGMENTS; ; limit = Math.min(MOST_SEGMENTS, 4 * limit)) {
    const segments = await storeErrors(
      select<Segment>(db, {
        name: isSession ? 'search_segments' : 'search_segments_of_tenant',
        text: `SELECT g.first_id, g.documents, g.bytes FROM search_segments AS g
          ${isSession ? '' : 'JOIN sessions AS s ON s.created_order = g.first_id >> 26'}
          WHERE g.first_id BETWEEN $1 AND $2 ${isSession ? '' : 'AND s.tenant = $4'}
          ORDER BY g.first_id DESC LIMIT $3`,
        values: [first, last, limit, ...(isSession ? [] : [tenant])],
      }),
    );
    yield segments;
    const oldest = segments.at(-1);
    if (oldest === undefined || segments.length < limit) return;
    last = oldest.first_id - 1;
  }
}

/** Finds the documents that have one of each of `all` and none of `none`. */
export class Finder {
  readonly #db: Db;
  readonly #all: IndexQuery['all'];
  readonly #none: IndexQuery['none'];
  /** What the segments that were looked at first hold: what is rare there is rare in the others. */
  #sample: Read | null = null;

  constructor(db: Db, { all, none }: Pick<IndexQuery, 'all' | 'none'>) {
    this.#db = db;
    this.#all = all;
    this.#none = none;
  }

  /** The ids of those of these segments, newest first. */
  async idsIn(segments: readonly Segment[]): Promise<number[]> {
    let found: Documents | null = null;
    const steps = this.#steps(segments.length);
    for (const step of steps) {
      const ids = found === null ? segments.map(({ first_id }) => first_id) : [...found.keys()];
      if (ids.length === 0) return [];
      const read = await tokensIn(this.#db, ids, step.flat());
      if (steps.length === 1) this.#sample ??= read;
      for (const lookups of step) {
        const own = anyOf(read, lookups);
        found = found === null ? own : both(found, own);
      }
    }
    const documents: Documents = found ?? new Map();
    if (this.#none.length > 0 && documents.size > 0) {
      const read = await tokensIn(this.#db, [...documents.keys()], this.#none);
      for (const [segment, numbers] of anyOf(read, this.#none)) {
        const without = new Set(numbers);
        const left = (documents.get(segment) ?? []).filter((number) => !without.has(number));
        documents.set(segment, left);
      }
    }
    return segments.flatMap(({ first_id }) =>
      (documents.get(first_id) ?? []).map((number) => first_id + number).reverse(),
    );
  }

  /** What is read in one go: all, or where that is much the rarest first. */
  #steps(segments: number): (readonly Lookup[])[][] {
    const tokens = this.#all.flat().flatMap(tokensOf).length;
    if (tokens * segments <= READ_TOGETHER) return [[...this.#all]];
    const steps = this.#all.flatMap((lookups): (readonly Lookup[])[] => {
      const [only] = lookups;
      if (only === undefined || lookups.length > 1) return [lookups];
      return [
        ...only.tokens.map((token) => [{ tokens: [token], prefixes: [], sequence: [] }]),
        ...only.prefixes.map((prefix) => [{ tokens: [], prefixes: [prefix], sequence: [] }]),
      ];
    });
    return steps
      .map((step) => ({ step, frequency: frequencyIn(this.#sample, step) }))
      .sort((a, b) => a.frequency - b.frequency || shortest(b.step) - shortest(a.step))
      .map(({ step }) => [step]);
  }
}

/** In how many documents of the sample some lookup is found, at most; 0 where nothing is known. */
function frequencyIn(sample: Read | null, lookups: readonly Lookup[]): number {
  if (sample === null) return 0;
  const frequencies = lookups.map(({ tokens, prefixes }) =>
    Math.min(
      ...tokens.map((token) => documentsOf(sample.tokens.get(token))),
      ...prefixes.map((prefix) => documentsOf(sample.prefixes.get(prefix))),
    ),
  );
  return frequencies.reduce((sum, frequency) => sum + frequency, 0);
}

function documentsOf(found: Documents | undefined): number {
  return [...(found?.values() ?? [])].reduce((sum, { length }) => sum + length, 0);
}

function shortest(lookups: readonly Lookup[]): number {
  return Math.min(...lookups.flatMap(tokensOf).map(({ length }) => length));
}

function tokensOf({ tokens, prefixes }: Lookup): string[] {
  return [...tokens, ...prefixes];
}

/** A token or prefix, and the documents of the segments that have it. */
type Read = { tokens: Map<string, Documents>; prefixes: Map<string, Documents> };

async function tokensIn(
  db: Db,
  segments: readonly number[],
  lookups: readonly Lookup[],
): Promise<Read> {
  const tokens = [...new Set(lookups.flatMap((lookup) => lookup.tokens))];
  const prefixes = [...new Set(lookups.flatMap((lookup) => lookup.prefixes))];
  const asked = [...tokens, ...prefixes].map(written);
  const read: Read = { tokens: new Map(), prefixes: new Map() };
  for (const { first_id, place, data } of await pagesWith(db, segments, tokens, prefixes)) {
    const isToken = place <= tokens.length;
    const into = isToken ? read.tokens : read.prefixes;
    const name = (isToken ? tokens[place - 1] : prefixes[place - 1 - tokens.length]) ?? '';
    const own: Documents = into.get(name) ?? new Map<number, readonly number[]>();
    into.set(name, own);
    const wanted = asked[place - 1] ?? '';
    const found = isToken ? [entryOf(data, wanted)] : [...beginningWith(data, wanted)];
    const lists = found.flatMap((postings) => (postings === null ? [] : [numbersOf(postings)]));
    if (lists.length > 0) own.set(first_id, anyOfLists([own.get(first_id) ?? [], ...lists]));
  }
  return read;
}

function* beginningWith(page: Buffer, prefix: string): Generator<Postings> {
  for (const { token, postings } of entriesIn([page])) {
    if (token.startsWith(prefix)) yield postings;
  }
}

/** The pages in which these tokens, and beginnings of tokens, are; `place` counts them from 1. */
function pagesWith(
  db: Db,
  segments: readonly number[],
  tokens: readonly string[],
  prefixes: readonly string[],
): Promise<{ first_id: number; place: number; data: Buffer }[]> {
  const asked = [...tokens, ...prefixes].map(written);
  return storeErrors(
    select<{ first_id: number; place: number; data: Buffer }>(db, {
      name: 'search_read_pages',
      // The page that a token is in begins with it or before it; beginnings of words go on in the next.
      text: `SELECT s.first_id, t.place::integer, p.data
        FROM unnest($1::bigint[]) AS s (first_id)
        CROSS JOIN unnest($2::bytea[], $3::bytea[]) WITH ORDINALITY AS t (token, until, place)
        CROSS JOIN LATERAL (
          (SELECT data FROM search_pages AS p WHERE p.first_id = s.first_id AND p.token <= t.token
            ORDER BY p.token DESC LIMIT 1)
          UNION ALL
          (SELECT data FROM search_pages AS p WHERE p.first_id = s.first_id
            AND p.token > t.token AND p.token < t.until)
        ) AS p`,
      values: [
        segments,
        asked.map(keyOf),
        asked.map((token, index) => keyOf(index < tokens.length ? token : token + END_OF_PREFIX)),
      ],
    }),
  );
}

/** The documents that have all of one of the lookups. */
function anyOf(read: Read, lookups: readonly Lookup[]): Documents {
  const found: Documents = new Map();
  for (const { tokens, prefixes } of lookups) {
    const lists = [
      ...tokens.map((token) => read.tokens.get(token)),
      ...prefixes.map((prefix) => read.prefixes.get(prefix)),
    ].map((documents): Documents => documents ?? new Map());
    const [first, ...others] = lists;
    if (first === undefined) continue;
    for (const [segment, numbers] of others.reduce(both, first)) {
      found.set(segment, anyOfLists([found.get(segment) ?? [], numbers]));
    }
  }
  return found;
}

function both(one: Documents, other: Documents): Documents {
  const shared: Documents = new Map();
  for (const [segment, numbers] of one) {
    const own = bothLists(numbers, other.get(segment) ?? []);
    if (own.length > 0) shared.set(segment, own);
  }
  return shared;
}

/** What stands in both of two lists in ascending order. */
function bothLists(one: readonly number[], other: readonly number[]): number[] {
  const shared: number[] = [];
  let at = 0;
  for (const number of one) {
    while ((other[at] ?? Infinity) < number) at += 1;
    if (other[at] === number) shared.push(number);
  }
  return shared;
}

/** What stands in any of these lists, each once and in ascending order, as they are. */
function anyOfLists(lists: readonly (readonly number[])[]): readonly number[] {
  const [first = [], ...others] = lists.filter((list) => list.length > 0);
  if (others.length === 0) return first;
  return [...new Set([first, ...others].flat())].sort((a, b) => a - b);
}

/** The sequences that a document has to hold: those that are no alternative of something else. */
export function sequencesOf(all: IndexQuery['all']): Buffer[] {
  return all.flatMap(([only, ...others]) =>
    only === undefined || others.length > 0 || only.sequence.length === 0
      ? []
      : [bytesOfWords(only.sequence)],
  );
}

/** Those of the documents, newest first, that may hold the sequences. */
export async function idsWithSequences(
  db: Db,
  ids: readonly number[],
  sequences: readonly Buffer[],
): Promise<number[]> {
  const [newest, oldest] = [ids[0], ids.at(-1)];
  if (newest === undefined || oldest === undefined || sequences.length === 0) return [...ids];
  const isDense = newest - oldest < DENSE * ids.length;
  const rows = await storeErrors(
    select<{ id: number }>(db, {
      text: `SELECT id FROM search_words
        WHERE ${isDense ? 'id BETWEEN $1 AND $2' : 'id = ANY($1)'}
        AND ${sequences.map((_, index) => `position($${index + (isDense ? 3 : 2)}::bytea in words) > 0`).join(' AND ')}`,
      values: [...(isDense ? [oldest, newest] : [ids]), ...sequences],
    }),
  );
  const held = new Set(rows.map(({ id }) => id));
  return ids.filter((id) => held.has(id));
}

/** How many documents of the range one of the lookups finds, wherever the words of a sequence stand in them. */
export async function countOf(db: Db, range: Range, lookups: readonly Lookup[]): Promise<number> {
  const finder = new Finder(db, { all: [lookups], none: [] });
  let found = 0;
  for await (const segments of segmentsOf(db, range)) {
    const ids = segments.map(({ first_id }) => first_id);
    const [only, ...others] = lookups;
    const isToken = others.length === 0 && only?.tokens.length === 1 && only.prefixes.length === 0;
    found += isToken
      ? await countOfToken(db, ids, only.tokens[0] ?? '')
      : (await finder.idsIn(segments)).length;
    if (found >= MOST_COUNTED) return MOST_COUNTED;
  }
  return found;
}

async function countOfToken(db: Db, segments: readonly number[], token: string): Promise<number> {
  const rows = await pagesWith(db, segments, [token], []);
  const entries = rows.map(({ data }) => entryOf(data, token));
  return entries.reduce((sum, entry) => sum + (entry?.count ?? 0), 0);
}

/** The ids of the documents of these segments that have each of the tokens. */
export async function documentsWithTokens(
  db: Db,
  segments: readonly number[],
  tokens: readonly string[],
): Promise<Map<string, Set<number>>> {
  const read = await tokensIn(db, segments, [{ tokens, prefixes: [], sequence: [] }]);
  const idsOf = (documents: Documents) =>
    [...documents].flatMap(([first_id, numbers]) =>
      [...numbers].map((number) => first_id + number),
    );
  return new Map([...read.tokens].map(([token, documents]) => [token, new Set(idsOf(documents))]));
}
