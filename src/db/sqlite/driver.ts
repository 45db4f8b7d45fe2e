import { closeSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import type Driver from 'better-sqlite3';
import type { Database } from 'better-sqlite3';

export type { Database, Statement } from 'better-sqlite3';

/** Release 13 of better-sqlite3 is built on this version of Node-API, which came with Node 22. */
const NEEDED_NODE_API = 10;

/**
 * The package that is SQLite on the Node that runs. Release 12 of better-sqlite3 aborts the process on
 * Node 24.19 and later as soon as a statement is collected, and release 13 does not load on Node 20. So
 * it is 13, and on Node 20 alone 12, an optional dependency that may have to be compiled.
 */
export const SQLITE_PACKAGE =
  Number(process.versions.napi) >= NEEDED_NODE_API ? 'better-sqlite3' : 'better-sqlite3-node20';

/**
 * Opens a file with SQLite, whose compiled part is loaded with the first one: who stores elsewhere does
 * not need it. Only the owner may read one that is new: it holds all conversations. SQLite gives its log the
 * same rights. Throws SQLite's own errors, and one that says what to do where it cannot run.
 */
export function openSqlite(path: string, options: Driver.Options = {}): Database {
  try {
    const driver: typeof Driver = createRequire(import.meta.url)(SQLITE_PACKAGE);
    if (path !== ':memory:' && !options.fileMustExist && !options.readonly) makeForOwner(path);
    return new driver(path, options);
  } catch (error) {
    if (isSqliteError(error) || error instanceof TypeError) throw error;
    throw new Error(
      `the package ${SQLITE_PACKAGE} is not installed, or not compiled. On Node 20 it has to be compiled: install ` +
        'python3, make and g++, then run npm ci again, or use Node 22 or later.',
      { cause: null },
    );
  }
}

/** By its name: there is no class to compare with where SQLite is not loaded. */
export function isSqliteError(error: unknown): error is Error & { code: string } {
  return error instanceof Error && error.name === 'SqliteError' && 'code' in error;
}

const OWNER_ONLY = 0o600;

/** An empty file, which is a new database; does nothing where there is one already. */
function makeForOwner(path: string): void {
  try {
    closeSync(openSync(path, 'wx', OWNER_ONLY));
  } catch {
    // It is there, or SQLite says why it cannot be.
  }
}
