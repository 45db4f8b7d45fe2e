import { type ClientConfig, Pool, type PoolClient, type QueryConfig, types } from 'pg';

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

/** How every connection of the store is made; `url` decides where it says something else. */
export function connectionConfig(url: string): ClientConfig {
  return {
    connectionString: url,
    fallback_application_name: 'palimpsest',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
  };
}

/** Opens a pool; connections are made when they are needed. `onError`: idle connections that break. */
export function openPool(url: string, size: number, onError: (error: unknown) => void): Pool {
  const pool = new Pool({
    ...connectionConfig(url),
    max: size,
    lock_timeout: LOCK_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    // Each statement has one good plan; to make it anew takes as long as to run it.
    options: '-c plan_cache_mode=force_generic_plan',
    // Statements that are sent without waiting for each other share one round trip.
    pipeline: true,
    // Versions, counts and sums are bigint, and far below 2^53.
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === INT8 ? Number : types.getTypeParser(oid, format),
    },
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
