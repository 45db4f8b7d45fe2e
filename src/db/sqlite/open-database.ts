import { mkdirSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { StoreCallbacks } from '../listeners.ts';
import { type Database, isSqliteError, openSqlite } from './driver.ts';
import { migrate, schemaVersion } from './migrate.ts';
import { isBusy } from './store-error.ts';

export type SqliteOptions = StoreCallbacks & {
  /** Path of the file, or `:memory:`. Its folder is created. */
  path: string;
  /** FULL (default): an answered commit survives a power cut. NORMAL: only a crash of the process. */
  synchronous?: 'FULL' | 'NORMAL';
};

/** How long a connection waits for another process's write lock, in milliseconds. */
const BUSY_TIMEOUT_MS = 5_000;
const WAL_RETRY_MS = 10;
/**
 * Pages of 4 KiB in the write-ahead log after which they are written into the file. The same pages change
 * again and again, and to write them holds up all requests: so less often than SQLite's 1,000.
 */
const WAL_PAGES = 4_000;

/** Opens the file with all settings made explicit and the schema brought up to date. */
export function openDatabase(options: SqliteOptions): Database {
  const { path, synchronous = 'FULL' } = options;
  if (path !== ':memory:') {
    makeFolder(dirname(path));
    if (existing(path)?.isDirectory()) {
      throw new Error('it is a folder: name a file in it, such as palimpsest.db');
    }
  }
  const db = openFile(path);
  try {
    refuseForeign(db);
    const mode = switchToWal(db);
    if (mode !== 'wal' && path !== ':memory:') {
      throw new Error(
        `The file system of ${path} does not support SQLite's WAL mode: choose a path on another one.`,
      );
    }
    // Per connection: better-sqlite3 opens an existing WAL file with NORMAL, which would lose the
    // durability of the first run silently.
    db.pragma(`synchronous = ${synchronous}`);
    db.pragma(`wal_autocheckpoint = ${WAL_PAGES}`);
    db.pragma('foreign_keys = ON');
    migrate(db);
    return db;
  } catch (error) {
    db.close();
    throw isClosed(error) ? closed(path) : error;
  }
}

function openFile(path: string): Database {
  try {
    return openSqlite(path, { timeout: BUSY_TIMEOUT_MS });
  } catch (error) {
    throw isClosed(error) ? closed(path) : error;
  }
}

/** A log beside a file that can be read is opened with the first statement. */
function isClosed(error: unknown): boolean {
  return isSqliteError(error) && /^SQLITE_(?:CANTOPEN|READONLY)/.test(error.code);
}

/** For a file that only others may read or write: also who only looks at a store writes beside it. */
function closed(path: string): Error {
  const why = `the file cannot be opened: this user must be able to write to it and to its folder, ${dirname(path)}`;
  return new Error(why, { cause: null });
}

/** What every store of ours has had since its first release. */
const OURS = ['sessions', 'events'];

/**
 * A file with the tables of another program stays as it is. The first migration writes tables and version
 * in one transaction, so a new file has both or neither.
 */
function refuseForeign(db: Database): void {
  const tables = db.prepare<[], string>('SELECT name FROM sqlite_schema').pluck();
  const isForeign = db.transaction(() => {
    const names = tables.all();
    if (schemaVersion(db) === 0) return names.length > 0;
    return !OURS.some((name) => names.includes(name));
  });
  if (isForeign.deferred()) {
    throw new Error('it is a database of another program: name another file');
  }
}

/** Folder by folder: where none can be made, as below /proc, Node's own recursion never ends. */
export function makeFolder(path: string): void {
  const found = existing(path);
  if (found?.isDirectory()) return;
  if (found !== undefined) throw new Error(`${path} is a file, not a folder: choose another path`);
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent);
  try {
    mkdirSync(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    // Another process was faster.
    if (code === 'EEXIST') return;
    throw new Error(
      `the folder ${path} cannot be created (${code}): choose a path that this user may write to`,
    );
  }
}

/** Undefined where there is nothing, also below a file. */
function existing(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
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
