import type { Archive } from './app/ports/archive.ts';
import type { SearchableStore } from './app/ports/search-index.ts';
import type { DatabaseSettings } from './config.ts';
import { FolderArchive } from './db/archive/folder-archive.ts';
import { withArchive } from './db/archive/with-archive.ts';
import type { StoreCallbacks } from './db/listeners.ts';
import { openPostgresStore } from './db/postgres/postgres-store.ts';
import { openSqliteStore } from './db/sqlite/sqlite-store.ts';
import { urlsOfHosts } from './domain/url-text.ts';

/**
 * Opens the event store that the settings name, migrated to the newest schema, with the archive behind it.
 * `onError` is told of trouble that belongs to no call. Throws an error that names the store when it cannot be opened.
 */
export async function openStore(
  database: DatabaseSettings,
  onError: (error: unknown) => void,
  { archive = null, ...callbacks }: StoreCallbacks & { archive?: string | null } = {},
): Promise<SearchableStore> {
  try {
    const store: SearchableStore =
      database.kind === 'sqlite'
        ? await openSqliteStore({ ...database, ...callbacks })
        : await openPostgresStore({ url: database.url, onError, ...callbacks });
    return withArchive(store, archive === null ? null : openArchive(archive), onError);
  } catch (error) {
    throw cannotBeOpened(database, error);
  }
}

/** The archive that a setting names: a folder. */
export function openArchive(place: string): Archive {
  return new FolderArchive(place);
}

/** Names the store, and says why in the words of its driver. */
export function cannotBeOpened(database: DatabaseSettings, error: unknown): Error {
  return new Error(`DATABASE_URL: ${describeDatabase(database)} cannot be opened: ${why(error)}`, {
    cause: error,
  });
}

/** The store for people: a path, or host and database; never a password. */
export function describeDatabase(database: DatabaseSettings): string {
  if (database.kind === 'sqlite') return database.path;
  const servers = urlsOfHosts(database.url).map((url) => new URL(url));
  return `postgres://${servers.map(({ host }) => host).join(',')}${servers[0]?.pathname}`;
}

/** The reason of the driver where there is one: it says what to look at. */
function why(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? why(error.cause) : error.message;
}
