import type { PoolClient } from 'pg';
import type { NewDocument } from '../../app/ports/search-index.ts';
import { Slices } from '../../app/slices.ts';
import { idsOf } from '../search.ts';
import { select } from './open-pool.ts';
import {
  entriesIn,
  joined,
  keyOf,
  type Page,
  PageWriter,
  postingsOf,
  written,
} from './search-pages.ts';

export type Segment = { first_id: number; documents: number; bytes: number };

/** Joining more would hold up who writes next; a token's documents always fit into one page. */
const MOST_DOCUMENTS = 4_096;
const MOST_BYTES = 2_000_000;
/** So many of about one size become one; more where many are written one after the other. */
const FEWEST_JOINED = 4;
const MOST_JOINED = 32;

/**
 * Writes documents as one segment, the first of them with this id, and joins it with those before it
 * while these are not much larger: each document is written some five times, and a session of any
 * length has few segments. With more to come (`isBehind`) it waits until many can be joined. Answers how
 * many pages were deleted for that. To be called in a transaction.
 */
export async function addSegment(
  client: PoolClient,
  sessionOrder: number,
  firstId: number,
  documents: readonly NewDocument[],
  isBehind: boolean,
): Promise<number> {
  await client.query({
    name: 'search_add_words',
    text: 'INSERT INTO search_words SELECT * FROM unnest($1::bigint[], $2::bytea[])',
    values: [
      documents.map((_, index) => firstId + index),
      documents.map(({ tokens }) => bytesOfWords(tokens.words)),
    ],
  });
  await insertSegment(client, firstId, documents.length, pagesOf(documents));
  const fewest = isBehind ? MOST_JOINED : FEWEST_JOINED;
  for (let deleted = 0; ; ) {
    const joined = await joinNewest(client, sessionOrder, fewest);
    if (joined === 0) return deleted;
    deleted += joined;
  }
}

/** A byte for each word: phrases are looked for among them. */
export function bytesOfWords(words: readonly string[]): Buffer {
  return Buffer.from(words.map(byteOf));
}

function byteOf(word: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < word.length; at++) {
    hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193);
  }
  return (hash ^ (hash >>> 8) ^ (hash >>> 16) ^ (hash >>> 24)) & 0xff;
}

function pagesOf(documents: readonly NewDocument[]): Page[] {
  const places = new Map<string, number[]>();
  for (const [index, { tokens }] of documents.entries()) {
    for (const each of [...tokens.words, ...tokens.names]) {
      const token = written(each);
      const own = places.get(token);
      if (own === undefined) places.set(token, [index]);
      else if (own.at(-1) !== index) own.push(index);
    }
  }
  const writer = new PageWriter();
  const sorted = [...places].sort(([one], [other]) => (one < other ? -1 : 1));
  for (const [token, numbers] of sorted) writer.add({ token, postings: postingsOf(numbers) });
  writer.end();
  return writer.pages;
}

async function insertSegment(
  client: PoolClient,
  firstId: number,
  documents: number,
  pages: readonly Page[],
): Promise<void> {
  const bytes = pages.reduce((sum, { data }) => sum + data.length, 0);
  await client.query({
    name: 'search_add_segment',
    text: 'INSERT INTO search_segments VALUES ($1, $2, $3)',
    values: [firstId, documents, bytes],
  });
  await client.query({
    name: 'search_add_pages',
    text: 'INSERT INTO search_pages SELECT $1, * FROM unnest($2::bytea[], $3::bytea[])',
    values: [firstId, pages.map(({ token }) => keyOf(token)), pages.map(({ data }) => data)],
  });
}

/** As many of the newest segments as are of about one size, or none; newest first. */
function worthJoining(newest: readonly Segment[], fewest: number): Segment[] {
  for (let count = newest.length; count >= fewest; count--) {
    const some = newest.slice(0, count);
    const largest = Math.max(...some.slice(0, -1).map(({ documents }) => documents));
    const bytes = some.reduce((sum, segment) => sum + segment.bytes, 0);
    const isWorthWhile =
      (some.at(-1)?.documents ?? 0) < 2 * largest &&
      documentsIn(some) <= MOST_DOCUMENTS &&
      bytes <= MOST_BYTES;
    if (isWorthWhile) return some;
  }
  return [];
}

function documentsIn(segments: readonly Segment[]): number {
  return segments.reduce((sum, { documents }) => sum + documents, 0);
}

/** Joins the newest segments of the session if that is worth while; how many pages they had. */
async function joinNewest(
  client: PoolClient,
  sessionOrder: number,
  fewest: number,
): Promise<number> {
  const { first, last } = idsOf(sessionOrder);
  const newest = await select<Segment>(client, {
    name: 'search_newest_segments',
    text: `SELECT first_id, documents, bytes FROM search_segments
      WHERE first_id BETWEEN $1 AND $2 ORDER BY first_id DESC LIMIT $3`,
    values: [first, last, MOST_JOINED],
  });
  const segments = worthJoining(newest, fewest).reverse();
  const [oldest] = segments;
  if (oldest === undefined) return 0;
  const documents = documentsIn(segments);
  const ids = segments.map(({ first_id }) => first_id);
  const pages = await select<{ first_id: number; data: Buffer }>(client, {
    name: 'search_pages_of',
    text: 'SELECT first_id, data FROM search_pages WHERE first_id = ANY($1) ORDER BY first_id, token',
    values: [ids],
  });
  const parts = segments.map((segment) => ({
    documents: segment.documents,
    entries: entriesIn(
      pages.flatMap(({ first_id, data }) => (first_id === segment.first_id ? [data] : [])),
    ),
  }));
  const writer = new PageWriter();
  const slices = new Slices();
  for (const entry of joined(parts)) {
    writer.add(entry);
    if (slices.isOver) await slices.next();
  }
  writer.end();
  for (const table of ['search_pages', 'search_segments']) {
    await client.query(`DELETE FROM ${table} WHERE first_id = ANY($1)`, [ids]);
  }
  await insertSegment(client, oldest.first_id, documents, writer.pages);
  return pages.length;
}
