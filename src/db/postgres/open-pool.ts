import { type ClientConfig, Pool, type PoolClient, type QueryConfig, types } from 'pg';
import { clientsOf, type Hosts } from './hosts.ts';

/** Also how long a call waits for a connection of a pool that is busy. */
const CONNECT_TIMEOUT_MS = 5_000;
/** How long one command waits for the row of a session that another process holds. */
const LOCK_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 30_000;
/** For a server that has gone without a word: longer than it may take to answer. */
const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 5_000;
/** A process that hangs inside a transaction must not hold its session for ever. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 30_000;

const INT8 = types.builtins.INT8;
/** Versions, counts and sums are bigint, and far below 2^53. */
export const BIGINT_AS_NUMBER: NonNullable<ClientConfig['types']> = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? Number : types.getTypeParser(oid, format),
};

/** How every connection of the store is made; the URL decides where it says something else. */
export function connectionConfig(hosts: Hosts): ClientConfig {
  return {
    connectionString: hosts.url,
    fallback_application_name: 'palimpsest',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
  };
}

/** Each statement has one good plan; to make it anew takes as long as to run it. */
const ONE_PLAN = '-c plan_cache_mode=force_generic_plan';
/**
 * For statements that find all rows by their keys. A plan that was made while a table was small would
 * read it whole until somebody analyses it.
 */
const BY_KEYS = `${ONE_PLAN} -c enable_seqscan=off -c jit=off`;

/** Opens a pool; connections are made when they are needed. `onError`: idle connections that break. */
export function openPool(hosts: Hosts, size: number, onError: (error: unknown) => void): Pool {
  return open(hosts, size, onError, ONE_PLAN);
}

/** A pool for writes of many sessions at once. */
export function openWriters(hosts: Hosts, size: number, onError: (error: unknown) => void): Pool {
  return open(hosts, size, onError, BY_KEYS);
}

function open(
  hosts: Hosts,
  size: number,
  onError: (error: unknown) => void,
  options: string,
): Pool {
  const pool = new Pool({
    ...connectionConfig(hosts),
    Client: clientsOf(hosts),
    max: size,
    lock_timeout: LOCK_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    options,
    // Statements that are sent without waiting for each other share one round trip.
    pipeline: true,
    types: BIGINT_AS_NUMBER,
  });
  // Without a listener the process would end when a connection breaks, and the pool takes its own away
  // before a promise of a connection is resolved. The statements under way are told of it themselves.
  pool.on('connect', (client) => client.on('error', () => {}));
  pool.on('error', (error) => {
    // The pool hangs its client on the error, which would fill the log.
    Reflect.deleteProperty(error, 'client');
    // A pool has ended before the last of its connections is closed.
    if (!pool.ending) onError(error);
  });
  return pool;
}

/** The rows of a statement; one with a name is prepared once per connection. */
export async function select<Row extends object>(
  db: Pool | PoolClient,
  query: QueryConfig,
): Promise<Row[]> {
  const { rows } = await db.query<Row>(query);
  return rows;
}

/**
 * Runs a transaction on one connection; the work begins and commits it. When anything throws, the
 * connection is closed: whatever state it is in, the server rolls back.
 */
export async function onConnection<T>(
  pool: Pool,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let isDone = false;
  try {
    const value = await work(client);
    isDone = true;
    return value;
  } finally {
    client.release(!isDone);
  }
}

/** Begins and commits a transaction around the work. */
export function inTransaction<T>(
  pool: Pool,
  work: (client: PoolClient) => Promise<T>,
  begin: `BEGIN${string}` = 'BEGIN',
): Promise<T> {
  return onConnection(pool, async (client) => {
    await client.query(begin);
    const value = await work(client);
    await client.query('COMMIT');
    return value;
  });
}

/** Runs statements that read, one after the other, and see the database as the first of them found it. */
export function onSnapshot<T>(pool: Pool, read: (client: PoolClient) => Promise<T>): Promise<T> {
  return inTransaction(pool, read, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
}
