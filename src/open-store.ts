import type { EventStore } from './app/ports/event-store.ts';
import type { DatabaseSettings } from './config.ts';
import { openPostgresStore } from './db/postgres/postgres-store.ts';
import { openSqliteStore } from './db/sqlite/sqlite-store.ts';

type Listening = {
  /** Told how many problems the log has, when an upgrade found any. */
  onDamage?: (problems: number) => void;
  /**
   * Only in a thread of a process that has opened the store: told of each commit, for the `ring` of
   * the process's own store. It hears of no commits but its own.
   */
  onCommitted?: (key: string) => void;
};

/**
 * Opens the event store that the settings name, migrated to the newest schema. `onError` is told of
 * trouble that belongs to no call. Throws an error that names the store when it cannot be opened.
 */
export async function openStore(
  database: DatabaseSettings,
  onError: (error: unknown) => void,
  listening: Listening = {},
): Promise<EventStore> {
  try {
    return database.kind === 'sqlite'
      ? await openSqliteStore({ ...database, ...listening })
      : await openPostgresStore({ url: database.url, onError, ...listening });
  } catch (error) {
    throw new Error(`DATABASE_URL: ${describeDatabase(database)} cannot be opened: ${why(error)}`, {
      cause: error,
    });
  }
}

/** The store for people: a path, or host and database; never a password. */
export function describeDatabase(database: DatabaseSettings): string {
  if (database.kind === 'sqlite') return database.path;
  const { host, pathname } = new URL(database.url);
  return `postgres://${host}${pathname}`;
}

/** The reason of the driver where there is one: it says what to look at. */
function why(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? why(error.cause) : error.message;
}
