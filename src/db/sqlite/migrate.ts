import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Database } from './driver.ts';

/** The same relative path from src/db/sqlite and from dist/db/sqlite. */
const FOLDER = fileURLToPath(new URL('../../../migrations/sqlite', import.meta.url));

/**
 * Brings the file to the newest schema: runs the numbered files of migrations/sqlite that it has not
 * seen, all in one transaction. `user_version` counts them. Throws when a newer release has already
 * migrated the file, because this one cannot know what changed.
 */
export function migrate(db: Database): void {
  if (unseenFiles(db).length === 0) return;
  const run = db.transaction(() => {
    // Asked again: another process may have migrated while this one waited for the lock.
    for (const file of unseenFiles(db)) {
      db.exec(readFileSync(join(FOLDER, file), 'utf8'));
      db.pragma(`user_version = ${schemaVersion(db) + 1}`);
    }
  });
  run.immediate();
}

function unseenFiles(db: Database): string[] {
  const files = readdirSync(FOLDER)
    .filter((name) => name.endsWith('.sql'))
    .sort();
  const current = schemaVersion(db);
  if (current > files.length) {
    throw new Error(
      `The database ${db.name} has schema version ${current}, this release of Palimpsest knows ` +
        `${files.length}: start a release that is at least as new as the one that wrote it.`,
    );
  }
  return files.slice(current);
}

function schemaVersion(db: Database): number {
  return Number(db.pragma('user_version', { simple: true }));
}
