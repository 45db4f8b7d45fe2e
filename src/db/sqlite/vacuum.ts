import { statSync } from 'node:fs';
import { StoreTroubleError } from '../../app/ports/store-trouble-error.ts';
import { isSqliteError, openSqlite } from './driver.ts';
import { asStoreError, isBusy } from './store-error.ts';

/** How long other processes may hold the file, in milliseconds. */
const PATIENCE_MS = 60_000;

/** Bytes of the file and its log before and after; `isHeld`: a reader keeps the old pages in the log beside it. */
export type Vacuumed = { before: number; after: number; isHeld: boolean };

/**
 * Writes the file anew without what was erased, the words of the search index included. Others can read
 * meanwhile, not write. Throws SQLite's errors, and ones that say what to do when another process holds the
 * file, and when there is no room.
 */
export function vacuumSqlite(path: string, patienceMs = PATIENCE_MS): Vacuumed {
  const db = openSqlite(path, { fileMustExist: true, timeout: patienceMs });
  try {
    const before = bytesOf(path);
    // Erased documents are only marked in it, until its segments are merged.
    db.exec("INSERT INTO search_tokens (search_tokens) VALUES ('optimize'); VACUUM;");
    const isHeld = db.pragma('wal_checkpoint(TRUNCATE)', { simple: true }) !== 0;
    return { before, after: bytesOf(path), isHeld };
  } catch (error) {
    throw why(error, path);
  } finally {
    db.close();
  }
}

/** What a person can do about it, where that is known. */
function why(error: unknown, path: string): unknown {
  if (isBusy(error)) {
    return new Error(
      `another process has been writing to ${path} for a minute: try again when there is less to do`,
    );
  }
  if (!isFull(error) && !hasNoTemporaryFolder(error)) return error;
  return new Error(
    `there is not enough room to write ${path} anew: nothing was lost. It takes as much room as the file has ` +
      'beside it, and as much again in the folder for temporary files (/var/tmp or /tmp): name one with ' +
      'room with SQLITE_TMPDIR=FOLDER',
  );
}

function isFull(error: unknown): boolean {
  const known = asStoreError(error);
  return known instanceof StoreTroubleError && known.kind === 'full';
}

function hasNoTemporaryFolder(error: unknown): boolean {
  return isSqliteError(error) && error.code === 'SQLITE_IOERR_GETTEMPPATH';
}

/** With the write-ahead log beside it, in which what was written last may stand alone. */
function bytesOf(path: string): number {
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  return statSync(path).size + (log?.size ?? 0);
}
