import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Database } from 'better-sqlite3';
import { BetterSqlite3 } from './driver.ts';
import { migrate } from './migrate.ts';
import { isBusy } from './store-error.ts';

export type SqliteOptions = {
  /** Path of the file, or `:memory:`. Its folder is created. */
  path: string;
  /** FULL (default): an answered commit survives a power cut. NORMAL: only a crash of the process. */
  synchronous?: 'FULL' | 'NORMAL';
  /** Told of problems in the log, by their number, when heads of an older release were computed anew. */
  onDamage?: (problems: number) => void;
};

/** How long a connection waits for another process's write lock, in milliseconds. */
const BUSY_TIMEOUT_MS = 5_000;
const WAL_RETRY_MS = 10;

/** Opens the file with all settings made explicit and the schema brought up to date. */
export function openDatabase(options: SqliteOptions): Database {
  const { path, synchronous = 'FULL' } = options;
  if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true });
  const db = new BetterSqlite3(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    const mode = switchToWal(db);
    if (mode !== 'wal' && path !== ':memory:') {
      throw new Error(`The file system of ${path} does not support SQLite's WAL mode.`);
    }
    // Per connection: better-sqlite3 opens an existing WAL file with NORMAL, which would lose the
    // durability of the first run silently.
    db.pragma(`synchronous = ${synchronous}`);
    db.pragma('foreign_keys = ON');
    migrate(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * The journal mode that the file has then. SQLite's own waiting for locks does not cover the switch:
 * of several processes that open a new file at once, all but one would fail.
 */
function switchToWal(db: Database): unknown {
  const deadline = Date.now() + BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      return db.pragma('journal_mode = WAL', { simple: true });
    } catch (error) {
      if (!isBusy(error) || Date.now() > deadline) throw error;
      pause(WAL_RETRY_MS);
    }
  }
}

/** Holds up the thread: nothing else runs in it before the store is open. */
function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
