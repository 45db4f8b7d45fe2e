import { StoreBusyError } from '../store-busy-error.ts';
import { BetterSqlite3 } from './driver.ts';

/** The store's own error for what SQLite threw, where it has one. */
export function asStoreError(error: unknown): unknown {
  return isBusy(error) ? new StoreBusyError(error) : error;
}

/** Whether another connection holds a lock that was waited for in vain. */
export function isBusy(error: unknown): boolean {
  return error instanceof BetterSqlite3.SqliteError && error.code.startsWith('SQLITE_BUSY');
}
