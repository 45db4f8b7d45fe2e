import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../src/db/sqlite/open-database.ts';
import { openSqliteStore } from '../../src/db/sqlite/sqlite-store.ts';
import { eventStoreVerifyContract } from '../contracts/event-store-verify.ts';

eventStoreVerifyContract('SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-verify-'));
  const path = join(folder, 'store.db');
  const store = await openSqliteStore({ path });
  const tamperer = openDatabase({ path });
  tamperer.pragma('foreign_keys = OFF');
  return {
    store,
    execute: (sql) => tamperer.exec(sql),
    close: async () => {
      tamperer.close();
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
});
