import { afterAll } from 'vitest';
import { openPostgresStore } from '../../src/db/postgres/postgres-store.ts';
import { searchContract } from '../contracts/search.ts';
import { freshDatabase } from '../support/servers/fresh.ts';

const drops: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const drop of drops) await drop();
});

searchContract('PostgreSQL', async () => {
  const { url, drop } = await freshDatabase();
  drops.push(drop);
  return openPostgresStore({
    url,
    onError: (error) => {
      throw error;
    },
  });
});
