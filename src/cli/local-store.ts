import { existsSync } from 'node:fs';
import { readSettings, SettingsError } from '../config.ts';
import { openSqliteStore, type SqliteStore } from '../db/sqlite/sqlite-store.ts';

/**
 * Opens the local store for a command that only looks at it. Throws SettingsError when there is none:
 * a mistyped DATABASE_URL must not look like an empty, healthy store.
 */
export async function openLocalStore(): Promise<SqliteStore> {
  const { database_path } = readSettings(process.env);
  if (!existsSync(database_path)) {
    throw new SettingsError(
      `there is no database at ${database_path}: set DATABASE_URL=file:PATH to the one you mean`,
    );
  }
  return openSqliteStore({ path: database_path });
}
