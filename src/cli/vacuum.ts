import { SettingsError } from '../config/settings-error.ts';
import { readSettings } from '../config.ts';
import { vacuumSqlite } from '../db/sqlite/vacuum.ts';
import { openExistingStore } from './existing-store.ts';
import { plainText } from './terminal/plain-text.ts';

const kilobytes = (bytes: number) => `${Math.ceil(bytes / 1000).toLocaleString('en-US')} kB`;

/**
 * Gives the room of what was erased back to the disk, and leaves no trace of it in the file; prints the
 * sizes. Answers false when a reader kept the old pages. Throws SettingsError for another store than a file.
 */
export async function vacuumCommand(): Promise<boolean> {
  const { database } = readSettings(process.env);
  if (database.kind !== 'sqlite' || database.path === ':memory:') {
    throw new SettingsError(
      'DATABASE_URL: vacuum is for an SQLite file; PostgreSQL has a VACUUM of its own, which runs by itself',
    );
  }
  // With the newest schema.
  await (await openExistingStore()).close();
  const { before, after, isHeld } = vacuumSqlite(database.path);
  console.log(plainText(`${database.path}: ${kilobytes(before)} before, ${kilobytes(after)} now`));
  if (!isHeld) return true;
  console.error(
    'Another process is reading: what was erased is still in the write-ahead log beside the file. Run ' +
      'it again.',
  );
  return false;
}
