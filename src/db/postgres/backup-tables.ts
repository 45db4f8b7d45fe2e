import { Client } from 'pg';
import {
  BACKUP_TABLES,
  BackupError,
  type BackupTable,
  type Cell,
  columnList,
  partsOfRows,
  type StoreDraft,
  type StoreSnapshot,
  type TablePart,
} from '../backup/tables.ts';
import { unseenMigrations } from '../unseen-migrations.ts';
import { Hosts } from './hosts.ts';
import { migrateIn } from './migrate.ts';
import { BIGINT_AS_NUMBER, connectionConfig } from './open-pool.ts';

/** Few, as an event can be as large as a request. */
const ROWS_AT_A_TIME = 20;

/**
 * The store as it is now, whatever schema it has, in one transaction that sees nothing of what is
 * committed meanwhile. Reads through the driver: `pg_dump` need not be there, nor fit the server.
 */
export async function openPostgresSnapshot(url: string): Promise<StoreSnapshot> {
  const client = await connected(url);
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY');
    const { rows } = await client.query<{ there: boolean }>(
      "SELECT to_regclass('schema_migrations') IS NOT NULL AS there",
    );
    if (!rows[0]?.there) throw new BackupError('the database holds no store of Palimpsest');
    const migrated = await client.query<{ version: number }>(
      'SELECT max(version) AS version FROM schema_migrations',
    );
    const version = migrated.rows[0]?.version ?? 0;
    unseenMigrations('postgres', client.database, version);
    const tables: BackupTable[] = [];
    for (const table of BACKUP_TABLES) {
      if ((await columnsOf(client, table)).size > 0) tables.push(table);
    }
    return {
      schemaVersion: version,
      parts: async function* () {
        for (const table of tables) yield* partsOf(client, table);
      },
      close: () => client.end(),
    };
  } catch (error) {
    await client.end();
    throw error;
  }
}

async function* partsOf(client: Client, table: BackupTable): AsyncGenerator<TablePart> {
  await client.query(`DECLARE backed_up NO SCROLL CURSOR FOR SELECT * FROM ${table}`);
  for (;;) {
    const { rows, fields } = await client.query<Cell[]>({
      text: `FETCH ${ROWS_AT_A_TIME} FROM backed_up`,
      rowMode: 'array',
    });
    const columns = fields.map(({ name }) => name);
    yield* partsOfRows(table, columns, rows);
    if (rows.length < ROWS_AT_A_TIME) break;
  }
  await client.query('CLOSE backed_up');
}

/**
 * A database without sessions, filled in one transaction with the schema that the rows are of; whoever opens
 * it brings it to the newest one. Throws BackupError when there are some, or when
 * its schema is another one than that of the rows.
 */
export async function openPostgresDraft(url: string, version: number): Promise<StoreDraft> {
  const client = await connected(url);
  try {
    await client.query('BEGIN');
    const found = await migrateIn(client, version);
    await refuseOthers(client, found, version);
    const known = new Map<BackupTable, Set<string>>();
    for (const table of BACKUP_TABLES) known.set(table, await columnsOf(client, table));
    // The first schema has none; others come with a row of their own.
    if (known.get('head_version')?.size) await client.query('DELETE FROM head_version');
    return {
      write: async (part) => {
        const columns = columnList(part, known.get(part.table) ?? new Set());
        await client.query(
          `INSERT INTO ${part.table} (${columns}) OVERRIDING SYSTEM VALUE
           SELECT ${columns} FROM json_populate_recordset(NULL::${part.table}, $1::json)`,
          [JSON.stringify(part.rows.map((row) => objectOf(part.columns, row)))],
        );
      },
      finish: async () => {
        await client.query(
          `SELECT setval(pg_get_serial_sequence('sessions', 'created_order'),
             (SELECT coalesce(max(created_order), 0) + 1 FROM sessions), false)`,
        );
        await client.query('COMMIT');
        await client.query('ANALYZE');
        await client.end();
      },
      abandon: () => client.end(),
    };
  } catch (error) {
    await client.end();
    throw error;
  }
}

async function refuseOthers(client: Client, found: number, version: number): Promise<void> {
  if (found > 0 && found !== version) {
    throw new BackupError(
      `the database ${client.database} has schema version ${found}, the backup ${version}: ` +
        'restore it into a new database, which gets the schema of the backup first',
    );
  }
  // A service that starts on it now waits.
  await client.query('LOCK TABLE sessions IN ACCESS EXCLUSIVE MODE');
  const { rows } = await client.query<{ used: boolean }>(
    'SELECT EXISTS (SELECT 1 FROM sessions) AS used',
  );
  if (rows[0]?.used) {
    throw new BackupError(
      `the database ${client.database} holds sessions: restore into a new one, and set DATABASE_URL to it`,
    );
  }
}

function objectOf(columns: readonly string[], row: readonly Cell[]): Record<string, Cell> {
  return Object.fromEntries(columns.map((column, index) => [column, row[index] ?? null]));
}

async function columnsOf(client: Client, table: BackupTable): Promise<Set<string>> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT attname AS name FROM pg_attribute
     WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped`,
    [table],
  );
  return new Set(rows.map(({ name }) => name));
}

/** Connects to the server that takes writes. Statements may take as long as they need. */
async function connected(url: string): Promise<Client> {
  const hosts = new Hosts(url);
  await hosts.find();
  const client = new Client({
    ...connectionConfig(hosts),
    options: '-c statement_timeout=0 -c idle_in_transaction_session_timeout=0',
    types: BIGINT_AS_NUMBER,
  });
  // A break shows in the statement under way.
  client.on('error', () => {});
  await client.connect();
  return client;
}
