import type { PoolClient } from 'pg';
import type { NewDocument } from '../../app/ports/search-index.ts';
import { idsOf, tenantToken } from '../search.ts';
import { select } from './open-pool.ts';
import { quoted, sessionToken } from './search-query.ts';

/** A lexeme has 255 positions at most, and a tsvector one megabyte. */
const MOST_DOCUMENTS = 128;
const MOST_BYTES = 300_000;
/** What a lexeme takes beside its letters. */
const AROUND_TOKEN = 10;

type Block = { first_id: number; documents: number; bytes: number; tokens: string };

/** Where the documents belong; `firstId` is the id of the first of them. */
type Owner = { tenant: string; session_order: number; firstId: number };

/**
 * Writes documents as blocks. Blocks that follow each other become one as soon as the older one is not
 * much larger, so that whoever appends one item at a time ends with full blocks as well, and each
 * document is written some seven times at most. To be called in a transaction.
 */
export async function addBlocks(
  client: PoolClient,
  owner: Owner,
  documents: readonly NewDocument[],
): Promise<void> {
  for (const { first_id, documents: count, bytes, tokens } of blocksOf(owner, documents)) {
    await client.query({
      name: 'search_add_block',
      text: 'INSERT INTO search_blocks VALUES ($1, $2, $3, $4::tsvector)',
      values: [first_id, count, bytes, tokens],
    });
    while (await mergeNewest(client, owner)) {}
  }
}

function blocksOf(owner: Owner, documents: readonly NewDocument[]): Block[] {
  const blocks: Block[] = [];
  let some: NewDocument[] = [];
  let bytes = 0;
  const end = () => {
    if (some.length > 0) blocks.push(blockOf(owner, blocks, some, bytes));
    some = [];
    bytes = 0;
  };
  for (const document of documents) {
    const own = document.tokens.reduce((sum, token) => sum + 3 * token.length + AROUND_TOKEN, 0);
    if (some.length === MOST_DOCUMENTS || bytes + own > MOST_BYTES) end();
    some.push(document);
    bytes += own;
  }
  end();
  return blocks;
}

function blockOf(
  { tenant, session_order, firstId }: Owner,
  before: readonly Block[],
  documents: readonly NewDocument[],
  bytes: number,
): Block {
  const places = new Map<string, number[]>();
  for (const [index, { tokens }] of documents.entries()) {
    for (const token of tokens) {
      const own = places.get(token);
      if (own === undefined) places.set(token, [index + 1]);
      else own.push(index + 1);
    }
  }
  // The largest position is the number of documents: so far those of the next block are moved when
  // PostgreSQL joins the two.
  for (const scope of [tenantToken(tenant), sessionToken(session_order)]) {
    places.set(scope, [documents.length]);
  }
  return {
    first_id: before.reduce((id, block) => id + block.documents, firstId),
    documents: documents.length,
    bytes,
    tokens: [...places].map(([token, own]) => `${quoted(token)}:${own.join(',')}`).join(' '),
  };
}

/** Joins the two newest blocks of the session if that is worth while. */
async function mergeNewest(client: PoolClient, { session_order }: Owner): Promise<boolean> {
  const { first, last } = idsOf(session_order);
  const [newest, before] = await select<Omit<Block, 'tokens'>>(client, {
    name: 'search_newest_blocks',
    text: `SELECT first_id, documents, bytes FROM search_blocks
      WHERE first_id BETWEEN $1 AND $2 ORDER BY first_id DESC LIMIT 2`,
    values: [first, last],
  });
  if (newest === undefined || before === undefined) return false;
  const isWorthWhile =
    before.documents <= 2 * newest.documents &&
    before.documents + newest.documents <= MOST_DOCUMENTS &&
    before.bytes + newest.bytes <= MOST_BYTES;
  if (!isWorthWhile) return false;
  await client.query({
    name: 'search_join_blocks',
    text: `WITH joined AS (DELETE FROM search_blocks WHERE first_id = $2 RETURNING *)
      UPDATE search_blocks AS b SET tokens = b.tokens || joined.tokens,
        documents = b.documents + joined.documents, bytes = b.bytes + joined.bytes
      FROM joined WHERE b.first_id = $1`,
    values: [before.first_id, newest.first_id],
  });
  return true;
}
