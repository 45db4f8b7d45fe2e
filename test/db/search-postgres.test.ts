import { afterAll, expect, test } from 'vitest';
import { Indexer } from '../../src/app/search/indexer.ts';
import { openPostgresStore } from '../../src/db/postgres/postgres-store.ts';
import { searchContract } from '../contracts/search.ts';
import { searchOracle } from '../contracts/search-oracle.ts';
import { AT, append, created, item } from '../contracts/session-events.ts';
import { freshDatabase } from '../support/servers/fresh.ts';
import { onServer } from '../support/servers/on-server.ts';

const drops: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const drop of drops) await drop();
});

async function makeStore() {
  return (await makeStoreAt()).store;
}

async function makeStoreAt() {
  const { url, drop } = await freshDatabase();
  drops.push(drop);
  const store = await openPostgresStore({
    url,
    onError: (error) => {
      throw error;
    },
  });
  return { store, url };
}

searchContract('PostgreSQL', makeStore);
searchOracle('PostgreSQL', makeStore);

test('the room of joined pages is used again without waiting for the server', async () => {
  const { store, url } = await makeStoreAt();
  const ref = { tenant: 'local', session_id: 'long' };
  const indexer = new Indexer(store, () => {});
  await store.commit(ref, append(created), { at: AT });
  const bytesOf = (what: string) =>
    onServer(url, async (client) => {
      const { rows } = await client.query<{ bytes: string }>(`SELECT ${what} AS bytes`);
      return Number(rows[0]?.bytes);
    });
  await onServer(url, (client) =>
    client.query('ALTER TABLE search_pages SET (autovacuum_enabled = off)'),
  );
  for (let count = 0; count < 1_000; count++) {
    const words = Array.from({ length: 100 }, (_, at) => `word${(count * at * 7919) % 9973}`);
    await store.commit(ref, append(item(words.join(' '))), { at: AT });
    await indexer.catchUp(ref, Number.POSITIVE_INFINITY);
  }
  const live = await bytesOf('(SELECT sum(octet_length(data)) FROM search_pages)');
  // Each text was written some five times.
  expect(await bytesOf("pg_relation_size('search_pages')")).toBeLessThan(live + 1_500_000);
  await store.close();
}, 600_000);
