import { Client } from 'pg';
import { openPostgresStore } from '../../src/db/postgres/postgres-store.ts';
import { eventStoreVerifyContract } from '../contracts/event-store-verify.ts';
import { freshDatabase } from '../support/servers/fresh.ts';

eventStoreVerifyContract('PostgreSQL', async () => {
  const { url, drop } = await freshDatabase();
  const store = await openPostgresStore({ url, onError: console.error });
  const tamperer = new Client({ connectionString: url });
  await tamperer.connect();
  // As the server that a replica applies changes with: no constraint is checked.
  await tamperer.query('SET session_replication_role = replica');
  return {
    store,
    execute: (sql) => tamperer.query(sql),
    close: async () => {
      await tamperer.end();
      await store.close();
      await drop();
    },
  };
});
