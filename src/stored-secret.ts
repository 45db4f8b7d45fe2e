import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { SettingsError } from './config/settings-error.ts';
import type { DatabaseSettings } from './config.ts';

const SECRET = /^[A-Za-z0-9_-]{43}$/;
const SECRET_BYTES = 32;

/** The file beside a SQLite database that keeps the secret of compaction items. */
function secretFileOf(databasePath: string): string {
  return `${databasePath}.compaction-secret`;
}

/**
 * The secret that compaction items are sealed with where the operator has set none: made once, and
 * kept in a file beside the database that only its owner may read. Of several processes that start
 * at once, all get the one that was written first. Without `create` only what is there is read. Null
 * where no file can be kept: in memory, and for PostgreSQL. Throws SettingsError for a file that holds
 * something else, and what the file system throws.
 */
export function storedSecret(database: DatabaseSettings, create: boolean): string | null {
  if (database.kind !== 'sqlite' || database.path === ':memory:') return null;
  const path = secretFileOf(database.path);
  const found = readSecret(path);
  if (found !== null || !create) return found;
  writeOnce(path, randomBytes(SECRET_BYTES).toString('base64url'));
  return readSecret(path);
}

/**
 * Keeps the secret of a backup for the database that is restored from it; answers false where no file can
 * keep one. Throws SettingsError as `refuseOtherSecret` does.
 */
export function keepSecret(database: DatabaseSettings, secret: string): boolean {
  if (database.kind !== 'sqlite') return false;
  refuseOtherSecret(database, secret);
  writeOnce(secretFileOf(database.path), secret);
  return true;
}

/** Throws SettingsError when a secret is there already that the backup was not made with. */
export function refuseOtherSecret(database: DatabaseSettings, secret: string): void {
  const found = storedSecret(database, false);
  if (found === null || found === secret || database.kind !== 'sqlite') return;
  throw new SettingsError(
    `${secretFileOf(database.path)} holds another secret than the backup: move it away, it is of another database`,
  );
}

function readSecret(path: string): string | null {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null;
    throw error;
  }
  if (SECRET.test(text)) return text;
  throw new SettingsError(
    `${path} does not hold the secret that this service wrote there: put the original file back, or ` +
      'remove it to have a new one made (compaction items made before then can no longer be read)',
  );
}

/** Whole or not at all, and never over a file that is there: a link fails where a rename replaces. */
function writeOnce(path: string, secret: string): void {
  const draft = `${path}.${process.pid}.${randomBytes(6).toString('hex')}`;
  const file = openSync(draft, 'wx', 0o600);
  try {
    try {
      writeSync(file, `${secret}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    linkSync(draft, path);
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error;
  } finally {
    rmSync(draft);
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
