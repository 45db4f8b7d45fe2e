import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { z } from 'zod';
import { openSqlite } from '../../src/db/sqlite/driver.ts';
import type { Json, JsonObject } from '../../src/domain/json.ts';
import { freshDatabase } from './servers/fresh.ts';

/** The migrations that release 3571f63 had; what came later is up to the store that opens it. */
const OLD_MIGRATIONS = ['0001_initial.sql', '0002_heads_and_wake_ups.sql'];

const json = z.json();
const headerLine = z.strictObject({ table: z.string(), columns: z.array(z.string()) });

/** The lines of a file that the release left: test/fixtures/upgrade/README.md. */
export function fixture(name: string): Json[] {
  const text = readFileSync(new URL(`../fixtures/upgrade/${name}`, import.meta.url), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => json.parse(JSON.parse(line)));
}

/** A database as the old release left it: its tables by its own migrations, and its rows. */
export type OldDatabase = {
  url: string;
  /** Runs one statement, past the store. */
  execute: (sql: string, values?: (string | number | null)[]) => Promise<JsonObject[]>;
  drop: () => Promise<void>;
};

export async function oldSqlite(): Promise<OldDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-upgrade-'));
  const db = openSqlite(join(folder, 'palimpsest.db'));
  db.pragma('journal_mode = WAL');
  for (const file of OLD_MIGRATIONS) db.exec(migration('sqlite', file));
  db.pragma(`user_version = ${OLD_MIGRATIONS.length}`);
  const execute: OldDatabase['execute'] = async (sql, values = []) => {
    const statement = db.prepare<unknown[], JsonObject>(sql.replaceAll(/\$\d+/g, '?'));
    if (statement.reader) return statement.all(...values);
    statement.run(...values);
    return [];
  };
  const drop = async () => {
    db.close();
    rmSync(folder, { recursive: true });
  };
  return restored({ url: `file:${db.name}`, execute, drop });
}

export async function oldPostgres(): Promise<OldDatabase> {
  const { url, drop } = await freshDatabase();
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(
    `CREATE TABLE schema_migrations
       (version integer PRIMARY KEY, file text NOT NULL, migrated_at timestamptz NOT NULL DEFAULT now())`,
  );
  for (const [index, file] of OLD_MIGRATIONS.entries()) {
    await client.query(migration('postgres', file));
    await client.query('INSERT INTO schema_migrations VALUES ($1, $2)', [index + 1, file]);
  }
  const execute: OldDatabase['execute'] = async (sql, values) =>
    (await client.query(sql, values)).rows;
  const end = async () => {
    await client.end();
    await drop();
  };
  const database = await restored({ url, execute, drop: end });
  await client.query(
    `SELECT setval(pg_get_serial_sequence('sessions', 'created_order'), max(created_order)) FROM sessions`,
  );
  return database;
}

function migration(store: string, file: string): string {
  return readFileSync(new URL(`../../migrations/${store}/${file}`, import.meta.url), 'utf8');
}

async function restored(database: OldDatabase): Promise<OldDatabase> {
  await database.execute('DELETE FROM head_version');
  let insert = '';
  for (const line of fixture('rows.jsonl')) {
    if (Array.isArray(line)) {
      await database.execute(insert, line.map(columnValue));
    } else {
      const { table, columns } = headerLine.parse(line);
      const places = columns.map((_, at) => `$${at + 1}`);
      const names = columns.map((column) => `"${column}"`);
      const own = table === 'sessions' && database.url.startsWith('postgres');
      insert = `INSERT INTO ${table} (${names}) ${own ? 'OVERRIDING SYSTEM VALUE' : ''} VALUES (${places})`;
    }
  }
  return database;
}

function columnValue(value: Json): string | number | null {
  if (typeof value === 'boolean') throw new Error('no column holds these');
  return value !== null && typeof value === 'object' ? JSON.stringify(value) : value;
}
