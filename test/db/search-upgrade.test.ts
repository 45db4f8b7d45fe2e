import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import type { SearchableStore } from '../../src/app/ports/search-index.ts';
import { Indexer } from '../../src/app/search/indexer.ts';
import { verifySearch } from '../../src/app/search/verify-search.ts';
import { openPostgresStore } from '../../src/db/postgres/postgres-store.ts';
import { openSqlite } from '../../src/db/sqlite/driver.ts';
import { openSqliteStore } from '../../src/db/sqlite/sqlite-store.ts';
import { AT, append, created, item } from '../contracts/session-events.ts';
import { freshDatabase } from '../support/servers/fresh.ts';

const REF = { tenant: 'acme', session_id: 'old' };
const onError = (error: unknown) => {
  throw error;
};

type Place = {
  open: () => Promise<SearchableStore>;
  execute: (sql: string) => Promise<unknown>;
  /** Gives the index the tables that it had before migration 0006, and then those that it made of them. */
  again: string;
};

function migration(store: string): string {
  const file = `../../migrations/${store}/0006_search_phrases.sql`;
  return readFileSync(new URL(file, import.meta.url), 'utf8');
}

const cleanUps: (() => unknown)[] = [];
afterAll(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
});

async function onSqlite(): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-search-'));
  cleanUps.push(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'palimpsest.db');
  return {
    open: () => openSqliteStore({ path }),
    execute: async (sql) => {
      const db = openSqlite(path);
      db.exec(sql);
      db.close();
    },
    again: `DROP TABLE search_tokens;
      CREATE VIRTUAL TABLE search_tokens USING fts5 (
        tokens, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
      );
      ${migration('sqlite')}`,
  };
}

async function onPostgres(): Promise<Place> {
  const { url, drop } = await freshDatabase();
  const client = new Client({ connectionString: url });
  await client.connect();
  cleanUps.push(drop, () => client.end());
  return {
    open: () => openPostgresStore({ url, onError }),
    execute: (sql) => client.query(sql),
    again: `DROP TABLE search_segments, search_pages, search_words;
      CREATE TABLE search_blocks (first_id bigint PRIMARY KEY, tokens tsvector NOT NULL);
      ${migration('postgres')}`,
  };
}

const query = {
  scope: { tenant: 'acme', session: null },
  filters: {},
  all: [[{ tokens: ['night', 'heron'], prefixes: [], sequence: ['night', 'heron'] }]],
  none: [],
  limit: 10,
};

describe.each([
  ['SQLite', onSqlite],
  ['PostgreSQL', onPostgres],
])('an index of an older release, on %s', (_, makePlace) => {
  test('is written anew, and nothing is missing then', async () => {
    const { open, execute, again } = await makePlace();
    const before = await open();
    const said = append(created, item('a night heron'), item('a heron of the night'));
    await before.commit(REF, said, { at: AT });
    await new Indexer(before, onError).catchUp(REF, Number.POSITIVE_INFINITY);
    await before.close();
    // What it says of itself stays: version 1, and all sessions indexed.
    await execute(`${again}; UPDATE search_version SET version = 1`);

    const store = await open();
    expect(await store.search.position(REF)).toMatchObject({ version: 3, indexed: 0 });
    const indexer = new Indexer(store, onError);
    await indexer.catchUp(REF, Number.POSITIVE_INFINITY);
    expect((await store.search.find(query)).map(({ seq }) => seq)).toContain(2);
    const problems: string[] = [];
    for await (const problem of verifySearch(store)) problems.push(problem);
    expect(problems).toEqual([]);
    // Erasing reaches the new tables.
    await store.erase(REF);
    expect(await store.search.find(query)).toEqual([]);
    await store.close();
    const reopened = await open();
    expect(await reopened.search.find(query)).toEqual([]);
    await reopened.close();
  });
});
