import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { SearchableStore } from '../app/ports/search-index.ts';
import { SettingsError } from '../config/settings-error.ts';
import { type DatabaseSettings, readSettings } from '../config.ts';
import { openStore } from '../open-store.ts';
import { tellTrouble } from './archive-trouble.ts';

/**
 * Opens the configured store for a command that only looks at it. Throws SettingsError when there is
 * no SQLite file.
 */
export function openExistingStore(): Promise<SearchableStore> {
  const { database, archive } = readSettings(process.env);
  refuseMissingStore(database);
  return openStore(database, tellTrouble, { archive });
}

/**
 * Throws SettingsError: a mistyped DATABASE_URL must not look like an empty, healthy store. `orElse`: what
 * else the command could be told. The path is told whole: mostly it is the folder that is another one.
 */
export function refuseMissingStore(database: DatabaseSettings, orElse = ''): void {
  if (database.kind === 'sqlite' && !existsSync(database.path)) {
    throw new SettingsError(
      `there is no database at ${resolve(database.path)}: set DATABASE_URL=file:PATH to the one you mean${orElse}`,
    );
  }
}
