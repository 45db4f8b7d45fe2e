import { randomBytes } from 'node:crypto';
import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { SettingsError } from '../config/settings-error.ts';
import { type DatabaseSettings, readSettings } from '../config.ts';
import { type Counted, writeBackup } from '../db/backup/backup-file.ts';
import { BackupError, type StoreSnapshot } from '../db/backup/tables.ts';
import { openPostgresSnapshot } from '../db/postgres/backup-tables.ts';
import { openSqliteSnapshot } from '../db/sqlite/backup-tables.ts';
import { cannotBeOpened } from '../open-store.ts';
import { packageVersion } from '../package-version.ts';
import { storedSecret } from '../stored-secret.ts';
import { refuseMissingStore } from './existing-store.ts';
import { quantity } from './quantity.ts';
import { stopped } from './stopped.ts';
import { plainText } from './terminal/plain-text.ts';
import { kilobytes } from './words.ts';

/** Writes the configured store as it is at this moment into a new file, and prints what it holds. */
export async function backupCommand(to: string): Promise<void> {
  const { database } = readSettings(process.env);
  const counted = await makeBackup(database, to, stopped());
  const what = `${quantity(counted.sessions, 'session')}, ${quantity(counted.events, 'event')}`;
  console.log(plainText(`${to}: ${what}, ${kilobytes(statSync(to).size)}`));
}

/**
 * Throws BackupError, with nothing left behind, when there is such a file, it cannot be written, or the
 * signal stops it.
 */
export async function makeBackup(
  database: DatabaseSettings,
  to: string,
  stop: AbortSignal,
): Promise<Counted> {
  if (database.kind === 'sqlite' && database.path === ':memory:') {
    throw new SettingsError('DATABASE_URL: a store in memory is gone with its process');
  }
  refuseMissingStore(database);
  refuseExisting(to);
  const draft = `${to}.${randomBytes(6).toString('hex')}.partial`;
  const snapshot = await openSnapshot(database);
  try {
    const header = {
      release: packageVersion(),
      made_at: new Date().toISOString(),
      secret: storedSecret(database, false),
    };
    const counted = await writeBackup(draft, header, snapshot, stop);
    refuseExisting(to);
    renameSync(draft, to);
    return counted;
  } catch (error) {
    if (existsSync(draft)) rmSync(draft);
    throw stop.aborted ? new BackupError('stopped: no backup was written') : why(error, to);
  } finally {
    await snapshot.close();
  }
}

async function openSnapshot(database: DatabaseSettings): Promise<StoreSnapshot> {
  try {
    return database.kind === 'sqlite'
      ? openSqliteSnapshot(database.path)
      : await openPostgresSnapshot(database.url);
  } catch (error) {
    throw cannotBeOpened(database, error);
  }
}

function refuseExisting(to: string): void {
  if (existsSync(to)) {
    throw new BackupError(`there is already something at ${to}: backup writes new files only`);
  }
}

/** What a person can do about it, where that is known. */
function why(error: unknown, to: string): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
      return new BackupError(`there is not enough room for ${to}: nothing was left of it`);
    case 'ENOENT':
    case 'ENOTDIR':
      return new BackupError(`${to}: there is no such folder`);
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new BackupError(`${to}: this user may not write there`);
    case 'SQLITE_CORRUPT':
      return new BackupError(
        'a part of the store cannot be read: "palimpsest verify" names the sessions, "palimpsest ' +
          'export" writes the others one by one',
      );
    default:
      return error;
  }
}
