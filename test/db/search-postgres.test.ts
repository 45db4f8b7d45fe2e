import { afterAll } from 'vitest';
import { openPostgresStore } from '../../src/db/postgres/postgres-store.ts';
import { searchContract } from '../contracts/search.ts';
import { searchOracle } from '../contracts/search-oracle.ts';
import { freshDatabase } from '../support/servers/fresh.ts';

const drops: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const drop of drops) await drop();
});

async function makeStore() {
  const { url, drop } = await freshDatabase();
  drops.push(drop);
  return openPostgresStore({
    url,
    onError: (error) => {
      throw error;
    },
  });
}

searchContract('PostgreSQL', makeStore);
searchOracle('PostgreSQL', makeStore);
