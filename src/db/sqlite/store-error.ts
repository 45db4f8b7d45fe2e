import BetterSqlite3 from 'better-sqlite3';
import { StoreBusyError } from '../store-busy-error.ts';

/** The store's own error for what SQLite threw, where it has one. */
export function asStoreError(error: unknown): unknown {
  const isBusy = error instanceof BetterSqlite3.SqliteError && error.code.startsWith('SQLITE_BUSY');
  return isBusy ? new StoreBusyError(error) : error;
}
