import { Client } from 'pg';
import type { Target } from '../src/cli/target.ts';
import { openSqlite } from '../src/db/sqlite/driver.ts';
import { BenchClient } from './client.ts';
import type { Figure } from './figures.ts';
import { withLocalService, withService } from './local-service.ts';
import { appendedItem } from './sample-items.ts';
import type { Servers } from './servers.ts';

const SESSIONS = 20;
const ITEMS_PER_SESSION = 200;
const ITEMS = SESSIONS * ITEMS_PER_SESSION;

/** Bytes in the database for each appended item, against the bytes of its JSON. */
export async function spacePerItem(servers: Servers): Promise<Figure[]> {
  const items = Array.from({ length: ITEMS_PER_SESSION }, (_, index) => appendedItem(index));
  const fill = async (target: Target) => {
    const client = new BenchClient(target);
    for (let session = 0; session < SESSIONS; session++) {
      const id = `space-${session}`;
      await client.create(id, { config: { auto_compact_enabled: false } });
      // One at a time, as an agent does.
      for (const item of items) await client.append(id, [item]);
    }
  };
  const sqlite = await withLocalService(
    { summarizer: 'extractive', synchronous: 'NORMAL' },
    async ({ target, databasePath }) => {
      const before = sqliteBytes(databasePath);
      await fill(target);
      return sqliteBytes(databasePath) - before;
    },
  );
  const url = await servers.newDatabase();
  const postgres = await withService({ DATABASE_URL: url }, async ({ target }) => {
    const before = await postgresBytes(url);
    await fill(target);
    return (await postgresBytes(url)) - before;
  });
  const posted = Buffer.byteLength(JSON.stringify(items)) / ITEMS_PER_SESSION;
  const figure = (where: string, bytes: number): Figure => ({
    what: `space of an item${where}`,
    unit: 'bytes',
    ours: bytes / ITEMS,
    baseline: { what: 'its JSON', value: posted },
  });
  return [figure('', sqlite), figure(' (PostgreSQL)', postgres)];
}

function sqliteBytes(path: string): number {
  const db = openSqlite(path, { readonly: true });
  try {
    // What the file will have once the journal is written back.
    const pages = Number(db.pragma('page_count', { simple: true }));
    return pages * Number(db.pragma('page_size', { simple: true }));
  } finally {
    db.close();
  }
}

/** After a vacuum: what each update of a session leaves behind is used again, and no cost per item. */
async function postgresBytes(url: string): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('VACUUM');
    const { rows } = await client.query<{ bytes: string }>(
      'SELECT pg_database_size(current_database()) AS bytes',
    );
    return Number(rows[0]?.bytes);
  } finally {
    await client.end();
  }
}
