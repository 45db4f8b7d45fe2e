import { StoreBusyError } from '../../app/ports/store-busy-error.ts';
import { StoreTroubleError } from '../../app/ports/store-trouble-error.ts';
import { isSqliteError } from './driver.ts';

/** Codes of SQLite that an operator has to do something about; extended ones begin with them. */
const TROUBLE = [
  ['SQLITE_FULL', 'full'],
  ['SQLITE_READONLY', 'read_only'],
  ['SQLITE_CORRUPT', 'damaged'],
  ['SQLITE_NOTADB', 'damaged'],
  ['SQLITE_IOERR_READ', 'damaged'],
  ['SQLITE_IOERR_SHORT_READ', 'damaged'],
  // A full disk that shows when a file is written, synced or made longer.
  ['SQLITE_IOERR_WRITE', 'full'],
  ['SQLITE_IOERR_FSYNC', 'full'],
  ['SQLITE_IOERR_TRUNCATE', 'full'],
  ['SQLITE_IOERR_SHMSIZE', 'full'],
] as const;

/** The store's own error for what SQLite threw, where it has one. */
export function asStoreError(error: unknown): unknown {
  if (isBusy(error)) return new StoreBusyError(error);
  if (!isSqliteError(error)) return error;
  const { code } = error;
  // Its JSON functions read what is stored, which was JSON when it was written.
  if (error.message === 'malformed JSON') return new StoreTroubleError('damaged', error);
  const [, kind] = TROUBLE.find(([prefix]) => code.startsWith(prefix)) ?? [];
  return kind === undefined ? error : new StoreTroubleError(kind, error);
}

/** Whether another connection holds a lock that was waited for in vain. */
export function isBusy(error: unknown): boolean {
  return isSqliteError(error) && error.code.startsWith('SQLITE_BUSY');
}

/** Whether a part of the file cannot be read. */
export function isDamage(error: unknown): boolean {
  const known = asStoreError(error);
  return known instanceof StoreTroubleError && known.kind === 'damaged';
}

/** What was read; throws the store's own errors. */
export function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw asStoreError(error);
  }
}
