import { Client } from 'pg';
import { unseenMigrations } from '../unseen-migrations.ts';
import type { Hosts } from './hosts.ts';
import { connectionConfig } from './open-pool.ts';

/** Any number that everybody who migrates agrees on, and hardly anybody else uses. */
const ADVISORY_LOCK = 7_061_696_805;

/** How long to wait for another process that migrates, in milliseconds. */
const LOCK_TIMEOUT_MS = 60_000;

/**
 * Brings the database to the newest schema: runs the numbered files of migrations/postgres that it
 * has not seen, all in one transaction that one process at a time may be in. `schema_migrations`
 * counts them. Throws when a newer release has already migrated the database, and when the database
 * does not keep Unicode.
 */
export async function migrate(hosts: Hosts): Promise<void> {
  const client = new Client({ ...connectionConfig(hosts), lock_timeout: LOCK_TIMEOUT_MS });
  // A break shows in the statement under way.
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query('BEGIN');
    await migrateIn(client);
    await client.query('COMMIT');
  } finally {
    await client.end();
  }
}

/**
 * The same in a transaction of the caller, which is the only one that migrates until it ends; to version
 * `upTo` where that is given. Answers the version that the database had before.
 */
export async function migrateIn(client: Client, upTo = Number.POSITIVE_INFINITY): Promise<number> {
  await refuseOtherEncodings(client);
  await client.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCK]);
  return runUnseenFiles(client, upTo);
}

async function refuseOtherEncodings(client: Client): Promise<void> {
  const { rows } = await client.query<{ server_encoding: string }>('SHOW server_encoding');
  const encoding = rows[0]?.server_encoding;
  if (encoding === 'UTF8') return;
  throw new Error(
    `The database ${client.database} has the encoding ${encoding}: create one with ENCODING 'UTF8'.`,
  );
}

async function runUnseenFiles(client: Client, upTo: number): Promise<number> {
  const current = await schemaVersion(client);
  const unseen = unseenMigrations('postgres', client.database, current);
  for (const { version, file, sql } of unseen.filter(({ version }) => version <= upTo)) {
    await client.query(sql);
    await client.query('INSERT INTO schema_migrations (version, file) VALUES ($1, $2)', [
      version,
      file,
    ]);
  }
  return current;
}

async function schemaVersion(client: Client): Promise<number> {
  // Asked first: a role that may not create tables can use a database that is up to date.
  const { rows: found } = await client.query<{ exists: boolean }>(
    `SELECT to_regclass('schema_migrations') IS NOT NULL AS exists`,
  );
  if (!found[0]?.exists) {
    await client.query(
      `CREATE TABLE schema_migrations (
         version integer PRIMARY KEY,
         file text NOT NULL,
         migrated_at timestamptz NOT NULL DEFAULT now()
       )`,
    );
  }
  const { rows } = await client.query<{ version: number }>(
    'SELECT coalesce(max(version), 0) AS version FROM schema_migrations',
  );
  return rows[0]?.version ?? 0;
}
