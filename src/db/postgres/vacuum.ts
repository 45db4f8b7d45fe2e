import { Client } from 'pg';
import { Hosts } from './hosts.ts';
import { connectionConfig } from './open-pool.ts';
import { sqlStateOf } from './store-error.ts';

/** How long to wait for a table that others use, in milliseconds: who asks for it after that waits as well. */
const PATIENCE_MS = 10_000;
const LOCK_NOT_AVAILABLE = '55P03';

/** Where what sessions say is, and the words of it: the rest is small. */
const TABLES = ['events', 'search_documents', 'search_segments', 'search_pages', 'search_words'];

/** Bytes of the database before and after; `notes`: what the server said of tables that it left out. */
export type Vacuumed = { before: number; after: number; notes: string[] };

/**
 * Writes the tables that grow with sessions anew without what was deleted, one after the other; nobody can use
 * a table meanwhile. Needs as much room again as the largest has. Throws what the server says, and an
 * error that names the table when others hold it for too long.
 */
export async function vacuumPostgres(url: string, patienceMs = PATIENCE_MS): Promise<Vacuumed> {
  const hosts = new Hosts(url);
  await hosts.find();
  // A table may take hours.
  const client = new Client({
    ...connectionConfig(hosts),
    lock_timeout: patienceMs,
    statement_timeout: 0,
  });
  const notes: string[] = [];
  // A break shows in the statement under way.
  client.on('error', () => {});
  client.on('notice', ({ severity, message }) => {
    if (severity === 'WARNING' && message !== undefined) notes.push(message);
  });
  await client.connect();
  try {
    const before = await sizeOf(client);
    for (const table of TABLES) await writeAnew(client, table);
    return { before, after: await sizeOf(client), notes };
  } finally {
    await client.end();
  }
}

async function writeAnew(client: Client, table: string): Promise<void> {
  try {
    await client.query(`VACUUM (FULL, ANALYZE) ${table}`);
  } catch (error) {
    if (sqlStateOf(error) !== LOCK_NOT_AVAILABLE) throw error;
    throw new Error(
      `others have been using the table ${table} for too long: try again when there is less to do. Tables ` +
        `before it are done: ${TABLES.slice(0, TABLES.indexOf(table)).join(', ') || 'none'}.`,
    );
  }
}

async function sizeOf(client: Client): Promise<number> {
  const { rows } = await client.query<{ bytes: string }>(
    'SELECT pg_database_size(current_database()) AS bytes',
  );
  return Number(rows[0]?.bytes);
}
