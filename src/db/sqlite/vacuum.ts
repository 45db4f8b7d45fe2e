import { statSync } from 'node:fs';
import { openSqlite } from './driver.ts';
import { isBusy } from './store-error.ts';

/** How long other processes may hold the file, in milliseconds. */
const PATIENCE_MS = 60_000;

/** Bytes of the file before and after; `isHeld`: a reader keeps the old pages in the log beside it. */
export type Vacuumed = { before: number; after: number; isHeld: boolean };

/**
 * Writes the file anew without what was erased, the words of the search index included. Others can read
 * meanwhile, not write. Throws SQLite's errors, and one that says so when another process holds the file.
 */
export function vacuumSqlite(path: string, patienceMs = PATIENCE_MS): Vacuumed {
  const db = openSqlite(path, { fileMustExist: true, timeout: patienceMs });
  try {
    const before = statSync(path).size;
    // Erased documents are only marked in it, until its segments are merged.
    db.exec("INSERT INTO search_tokens (search_tokens) VALUES ('optimize'); VACUUM;");
    const isHeld = db.pragma('wal_checkpoint(TRUNCATE)', { simple: true }) !== 0;
    return { before, after: statSync(path).size, isHeld };
  } catch (error) {
    if (!isBusy(error)) throw error;
    throw new Error(
      `another process has been writing to ${path} for a minute: try again when there is less to do`,
    );
  } finally {
    db.close();
  }
}
