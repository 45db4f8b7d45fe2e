import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ArchivePlace } from '../config/archive-place.ts';
import { SettingsError } from '../config/settings-error.ts';
import { type DatabaseSettings, readSettings } from '../config.ts';
import { type Counted, type OpenBackup, openBackup } from '../db/backup/backup-file.ts';
import { BackupError, type StoreDraft } from '../db/backup/tables.ts';
import { openPostgresDraft } from '../db/postgres/backup-tables.ts';
import { openSqliteDraft } from '../db/sqlite/backup-tables.ts';
import { makeFolder } from '../db/sqlite/open-database.ts';
import { unseenMigrations } from '../db/unseen-migrations.ts';
import { cannotBeOpened, describeDatabase, openStore } from '../open-store.ts';
import { keepSecret, refuseOtherSecret } from '../stored-secret.ts';
import { tellTrouble } from './archive-trouble.ts';
import { quantity } from './quantity.ts';
import { stopped } from './stopped.ts';
import { plainText } from './terminal/plain-text.ts';

const NO_PLACE_FOR_SECRET =
  'The backup has the secret that compaction items of /v1/responses/compact were made with, and a store ' +
  'on PostgreSQL keeps none. Restored into an SQLite file, it stands beside that: set ' +
  'PALIMPSEST_COMPACTION_SECRET to it.';

/** Makes the configured store from a backup, prints what it holds, and answers whether it is right. */
export async function restoreCommand(from: string): Promise<boolean> {
  const { database, archive } = readSettings(process.env);
  const restored = await restoreBackup(database, from, stopped(), archive);
  const { sessions, events, madeAt, problems, isSecretKept } = restored;
  for (const problem of problems) console.log(plainText(problem));
  if (!isSecretKept) console.error(NO_PLACE_FOR_SECRET);
  const what = `${quantity(sessions, 'session')}, ${quantity(events, 'event')}`;
  const verdict = problems.length === 0 ? 'ok' : quantity(problems.length, 'problem');
  console.log(plainText(`${describeDatabase(database)}: ${what} of ${madeAt}: ${verdict}`));
  return problems.length === 0;
}

type Restored = Counted & { madeAt: string; problems: string[]; isSecretKept: boolean };

/**
 * Makes a store from a backup, then compares all of it with its events as `verify` does. Throws
 * BackupError or SettingsError, with nothing restored, when the file is not as it was written, or there
 * is a store already, or the signal stops it.
 */
export async function restoreBackup(
  database: DatabaseSettings,
  from: string,
  stop: AbortSignal,
  archive: ArchivePlace | null = null,
): Promise<Restored> {
  refuseExisting(database);
  const backup = await openBackup(from).catch((error) => {
    throw why(error, from);
  });
  try {
    const { schema_version, release, made_at: madeAt, secret } = backup.header;
    refuseNewer(schema_version, release, database, from);
    if (secret !== null) refuseOtherSecret(database, secret);
    const counted =
      database.kind === 'sqlite'
        ? await fillFile(database.path, backup, stop)
        : await fill(await emptyDatabase(database, schema_version), backup, stop);
    const isSecretKept = secret === null || keepSecret(database, secret);
    return { ...counted, madeAt, problems: await problemsOf(database, archive), isSecretKept };
  } catch (error) {
    throw why(error, describeDatabase(database));
  } finally {
    backup.close();
  }
}

/** A restored file takes no other's place, and no log of another one is replayed into it. */
function refuseExisting(database: DatabaseSettings): void {
  if (database.kind !== 'sqlite') return;
  const { path } = database;
  if (path === ':memory:') {
    throw new SettingsError('DATABASE_URL: a store in memory is gone with its process');
  }
  const there = [path, `${path}-wal`, `${path}-shm`].find((file) => existsSync(file));
  if (there === undefined) return;
  throw new BackupError(
    `there is already something at ${there}: stop what runs on it and move it away, or set ` +
      'DATABASE_URL to a new file',
  );
}

function refuseNewer(
  version: number,
  release: string,
  { kind }: DatabaseSettings,
  from: string,
): void {
  const newest = unseenMigrations(kind, undefined, 0).length;
  if (version <= newest) return;
  throw new BackupError(
    `${from} has schema version ${version}, this release of Palimpsest knows ${newest}: restore it ` +
      `with release ${release} or a newer one`,
  );
}

/** Under another name, until all of it is on disk. */
async function fillFile(path: string, backup: OpenBackup, stop: AbortSignal): Promise<Counted> {
  makeFolder(dirname(path));
  const draft = `${path}.${randomBytes(6).toString('hex')}.partial`;
  const counted = await fill(openSqliteDraft(draft, backup.header.schema_version), backup, stop);
  const file = openSync(draft, 'r+');
  fsyncSync(file);
  closeSync(file);
  renameSync(draft, path);
  return counted;
}

async function emptyDatabase(
  database: Extract<DatabaseSettings, { kind: 'postgres' }>,
  version: number,
): Promise<StoreDraft> {
  try {
    return await openPostgresDraft(database.url, version);
  } catch (error) {
    throw error instanceof BackupError ? error : cannotBeOpened(database, error);
  }
}

async function fill(draft: StoreDraft, backup: OpenBackup, stop: AbortSignal): Promise<Counted> {
  try {
    const parts = backup.parts();
    for (;;) {
      const next = await parts.next();
      if (stop.aborted) throw new BackupError('stopped: nothing was restored');
      if (next.done) {
        await draft.finish();
        return next.value;
      }
      await draft.write(next.value);
    }
  } catch (error) {
    await draft.abandon();
    throw error;
  }
}

async function problemsOf(
  database: DatabaseSettings,
  archive: ArchivePlace | null,
): Promise<string[]> {
  const store = await openStore(database, tellTrouble, { archive });
  try {
    return (await store.verify()).problems;
  } finally {
    await store.close();
  }
}

/** What a person can do about it, where that is known. */
function why(error: unknown, place: string): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  switch (code) {
    case 'ENOENT':
      return new BackupError(`there is no file at ${place}`);
    case 'EISDIR':
      return new BackupError(
        `${place} is a folder: name a file that "palimpsest backup" has written`,
      );
    case 'EACCES':
      return new BackupError(`${place}: this user may not read it`);
    case 'SQLITE_FULL':
    case '53100':
      return new BackupError(`there is not enough room for ${place}: nothing was restored`);
    default:
      return error;
  }
}
