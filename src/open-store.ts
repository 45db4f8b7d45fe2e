import type { Archive } from './app/ports/archive.ts';
import type { SearchableStore } from './app/ports/search-index.ts';
import type { ArchivePlace } from './config/archive-place.ts';
import { SettingsError } from './config/settings-error.ts';
import type { DatabaseSettings } from './config.ts';
import { FolderArchive } from './db/archive/folder-archive.ts';
import { S3Archive } from './db/archive/s3-archive.ts';
import { type BringBackElsewhere, withArchive } from './db/archive/with-archive.ts';
import type { StoreCallbacks } from './db/listeners.ts';
import { openSqliteStore } from './db/sqlite/sqlite-store.ts';
import { urlsOfHosts } from './domain/url-text.ts';
import { missingPart } from './optional-parts.ts';

type OpenOptions = StoreCallbacks & {
  archive?: ArchivePlace | null;
  /** Brings large sessions back from it in another thread. */
  bringBack?: BringBackElsewhere;
};

/**
 * Opens the event store that the settings name, migrated to the newest schema, with the archive behind it.
 * `onError` is told of trouble that belongs to no call. Throws an error that names the store when it cannot be opened.
 */
export async function openStore(
  database: DatabaseSettings,
  onError: (error: unknown) => void,
  { archive: place = null, bringBack, ...callbacks }: OpenOptions = {},
): Promise<SearchableStore> {
  const archive = place === null ? null : openArchive(place);
  try {
    const store: SearchableStore =
      database.kind === 'sqlite'
        ? await openSqliteStore({ ...database, ...callbacks })
        : await openServer(database.url, { onError, ...callbacks });
    return withArchive(store, { archive, onLeft: onError, elsewhere: bringBack });
  } catch (error) {
    throw cannotBeOpened(database, error);
  }
}

/** Its driver is loaded where it is needed: who stores in a file does without its memory. */
async function openServer(
  url: string,
  callbacks: StoreCallbacks & { onError: (error: unknown) => void },
): Promise<SearchableStore> {
  const { openPostgresStore } = await import('./db/postgres/postgres-store.ts');
  return openPostgresStore({ url, ...callbacks });
}

/**
 * The archive that a setting names: a folder, or a bucket. Throws SettingsError for the latter where its
 * package is not installed.
 */
export function openArchive(place: ArchivePlace): Archive {
  if (place.kind === 'folder') return new FolderArchive(place.folder);
  const missing = missingPart('bucket');
  if (missing !== null) throw new SettingsError(`the archive in S3 cannot be used: ${missing}`);
  return new S3Archive(place);
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
