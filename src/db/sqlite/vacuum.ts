import { statSync } from 'node:fs';
import { openSqlite } from './driver.ts';
import { isBusy } from './store-error.ts';

/** How long other processes may hold the file, in milliseconds. */
const PATIENCE_MS = 60_000;

/** Bytes of the file and its log before and after; `isHeld`: a reader keeps the old pages in the log beside it. */
export type Vacuumed = { before: number; after: number; isHeld: boolean };

/**
 * Writes the file anew without what was erased, the words of the search index included. Others can read
 * meanwhile, not write. Throws SQLite's errors, and one that says so when another process holds the file.
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
    if (!isBusy(error)) throw error;
    throw new Error(
      `another process has been writing to ${path} for a minute: try again when there is less to do`,
    );
  } finally {
    db.close();
  }
}

/** With the write-ahead log beside it, in which what was written last may stand alone. */
function bytesOf(path: string): number {
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  return statSync(path).size + (log?.size ?? 0);
}
