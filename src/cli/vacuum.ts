import { SettingsError } from '../config/settings-error.ts';
import { readSettings } from '../config.ts';
import { vacuumPostgres } from '../db/postgres/vacuum.ts';
import { vacuumSqlite } from '../db/sqlite/vacuum.ts';
import { describeDatabase } from '../open-store.ts';
import { openExistingStore } from './existing-store.ts';
import { plainText } from './terminal/plain-text.ts';
import { kilobytes } from './words.ts';

/**
 * Gives the room of what was erased or archived back to the disk; prints the sizes. Answers false when a
 * reader of a file kept the old pages, or the server left tables out. Throws SettingsError for a store in memory.
 */
export async function vacuumCommand(): Promise<boolean> {
  const { database } = readSettings(process.env);
  if (database.kind === 'sqlite' && database.path === ':memory:') {
    throw new SettingsError('DATABASE_URL: a store in memory has no room on the disk');
  }
  // With the newest schema.
  await (await openExistingStore()).close();
  if (database.kind === 'postgres') {
    const { before, after, notes } = await vacuumPostgres(database.url);
    say(describeDatabase(database), before, after);
    for (const note of notes) console.error(plainText(note));
    return notes.length === 0;
  }
  const { before, after, isHeld } = vacuumSqlite(database.path);
  say(database.path, before, after);
  if (!isHeld) return true;
  console.error(
    'Another process is reading: what was erased is still in the write-ahead log beside the file. Run ' +
      'it again.',
  );
  return false;
}

function say(place: string, before: number, after: number): void {
  console.log(plainText(`${place}: ${kilobytes(before)} before, ${kilobytes(after)} now`));
}
