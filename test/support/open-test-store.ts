import { inject } from 'vitest';
import type { SearchableStore } from '../../src/app/ports/search-index.ts';
import { openPostgresStore } from '../../src/db/postgres/postgres-store.ts';
import { openSqliteStore } from '../../src/db/sqlite/sqlite-store.ts';
import { type Database, idle, made } from './servers/databases-of-file.ts';
import { freshDatabase } from './servers/fresh.ts';
import { onServer } from './servers/on-server.ts';

/** An empty store of the kind that the vitest project runs on, shared with nobody. */
export async function openTestStore(): Promise<SearchableStore> {
  if (inject('store') === 'sqlite') return openSqliteStore({ path: ':memory:' });
  const database = idle.pop() ?? (await makeDatabase());
  const store = await openPostgresStore({ url: database.url, onError: rethrow });
  const close = store.close.bind(store);
  return Object.assign(store, {
    close: async () => {
      await close();
      await empty(database.url);
      idle.push(database);
    },
  });
}

async function makeDatabase(): Promise<Database> {
  const database = await freshDatabase();
  made.push(database);
  return database;
}

async function empty(url: string): Promise<void> {
  // Everything else hangs on a session.
  await onServer(url, (client) => client.query('DELETE FROM sessions'));
}

/** Trouble that no call has caused fails the test. */
function rethrow(error: unknown): never {
  throw error;
}
