import { unseenMigrations } from '../unseen-migrations.ts';
import type { Database } from './driver.ts';

/**
 * Brings the file to the newest schema, or to version `upTo`: runs the numbered files of migrations/sqlite
 * that it has not seen, all in one transaction. `user_version` counts them. Throws when a newer release
 * has already migrated the file.
 */
export function migrate(db: Database, upTo = Number.POSITIVE_INFINITY): void {
  const unseen = () =>
    unseenMigrations('sqlite', db.name, schemaVersion(db)).filter(({ version }) => version <= upTo);
  if (unseen().length === 0) return;
  const run = db.transaction(() => {
    // Asked again: another process may have migrated while this one waited for the lock.
    for (const { version, sql } of unseen()) {
      db.exec(sql);
      db.pragma(`user_version = ${version}`);
    }
  });
  run.immediate();
}

/** How many migrations the file has seen. */
export function schemaVersion(db: Database): number {
  return Number(db.pragma('user_version', { simple: true }));
}
