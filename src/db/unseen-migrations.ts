import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The same relative path from src/db and from dist/db. */
const FOLDER = fileURLToPath(new URL('../../migrations', import.meta.url));

type Migration = { version: number; file: string; sql: string };

/**
 * The numbered files of a store that a database at schema version `current` has not seen. Throws when
 * a newer release has already migrated it, because this one cannot know what changed.
 */
export function unseenMigrations(
  store: 'sqlite' | 'postgres',
  database: string | undefined,
  current: number,
): Migration[] {
  const folder = join(FOLDER, store);
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort();
  if (current > files.length) {
    throw new Error(
      `The database ${database} has schema version ${current}, this release of Palimpsest knows ` +
        `${files.length}: start a release that is at least as new as the one that wrote it.`,
    );
  }
  return files.slice(current).map((file, index) => ({
    version: current + index + 1,
    file,
    sql: readFileSync(join(folder, file), 'utf8'),
  }));
}
