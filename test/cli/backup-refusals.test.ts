import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { makeBackup } from '../../src/cli/backup.ts';
import { restoreBackup } from '../../src/cli/restore.ts';
import { openSqlite } from '../../src/db/sqlite/driver.ts';
import {
  backUp,
  CLI,
  conversation,
  inShell,
  on,
  openLab,
  restore,
  settings,
} from '../support/backup-lab.ts';
import { palimpsest } from '../support/palimpsest-command.ts';
import { onServer } from '../support/servers/on-server.ts';

const { folder, fresh, drafts, places, dispose } = openLab();
afterAll(dispose);

const pathOf = (store: string) => store.slice('file:'.length);
const secretOf = (store: string) => `${pathOf(store)}.compaction-secret`;

let url: string;
let file: string;
beforeAll(async () => {
  url = await places.sqlite();
  await conversation(url);
  writeFileSync(secretOf(url), `${'s'.repeat(43)}\n`, { mode: 0o600 });
});
beforeEach(() => {
  file = fresh('backup');
});

test('the secret of compaction items comes back beside the file', async () => {
  await backUp(url, file);
  const target = await places.sqlite();
  await restore(file, target);
  expect(readFileSync(secretOf(target), 'utf8')).toBe(readFileSync(secretOf(url), 'utf8'));
  expect(statSync(secretOf(target)).mode & 0o777).toBe(0o600);
});

test('on PostgreSQL it is said where the secret has to go', async () => {
  await backUp(url, file);
  const restored = await palimpsest(['restore', file], on(await places.postgres()));
  expect(restored.code).toBe(0);
  expect(restored.stderr).toContain('set PALIMPSEST_COMPACTION_SECRET to it.');
  expect(restored.stdout + restored.stderr).not.toContain('s'.repeat(43));
});

test('a secret of another database is not replaced', async () => {
  await backUp(url, file);
  const target = await places.sqlite();
  writeFileSync(secretOf(target), `${'o'.repeat(43)}\n`);
  await expect(restore(file, target)).rejects.toThrow(
    `${secretOf(target)} holds another secret than the backup: move it away, it is of another database`,
  );
  expect(existsSync(pathOf(target))).toBe(false);
});

test('no file is written over', async () => {
  writeFileSync(file, 'mine');
  await expect(backUp(url, file)).rejects.toThrow(
    `there is already something at ${file}: backup writes new files only`,
  );
  expect(readFileSync(file, 'utf8')).toBe('mine');
});

test('the log of another file is not replayed into a restored one', async () => {
  await backUp(url, file);
  const target = await places.sqlite();
  writeFileSync(`${pathOf(target)}-wal`, 'of another');
  await expect(restore(file, target)).rejects.toThrow(`something at ${pathOf(target)}-wal: `);
});

test.each([
  ['a folder that is not there', () => join(folder, 'none', 'x')],
  ['a file as a folder', () => join(pathOf(url), 'x')],
])('%s takes no backup', async (_, to) => {
  await expect(backUp(url, to())).rejects.toThrow(`${to()}: there is no such folder`);
});

test('one that is stopped leaves nothing behind', async () => {
  const stopped = makeBackup(settings(url), file, AbortSignal.abort());
  await expect(stopped).rejects.toThrow('stopped: no backup was written');
  expect([existsSync(file), drafts()]).toEqual([false, []]);
});

test('a restore that is stopped leaves nothing behind', async () => {
  await backUp(url, file);
  for (const target of [await places.sqlite(), await places.postgres()]) {
    const stopped = restoreBackup(settings(target), file, AbortSignal.abort());
    await expect(stopped).rejects.toThrow('stopped: nothing was restored');
    expect(drafts()).toEqual([]);
    expect(await restore(file, target)).toMatchObject({ sessions: 1, problems: [] });
  }
});

test('what does not fit leaves nothing behind', async () => {
  const large = await places.sqlite();
  // More than is read before the first of it was written.
  for (let chat = 0; chat < 40; chat++)
    await conversation(large, `chat-${chat}`, randomBytes(100_000).toString('base64'));
  // The shell lets no file grow beyond 50 KB, as a full disk does not.
  const line = `trap '' XFSZ; ulimit -f 100; exec "${process.execPath}" "${CLI}" backup "${file}"`;
  expect(await inShell(line, large, folder)).toEqual({
    code: 1,
    said: `there is not enough room for ${file}: nothing was left of it\n`,
  });
  expect(drafts()).toEqual([]);
});

test.each([
  ['no file', () => join(folder, 'none'), /^there is no file at /],
  ['a folder', () => folder, / is a folder: name a file that "palimpsest backup" has written$/],
  ['something else', () => pathOf(url), / is not a backup of Palimpsest: name a file/],
])('%s is not restored', async (_, from, said) => {
  await expect(restore(from(), await places.sqlite())).rejects.toThrow(said);
});

test.each([
  ['another form', /"backup_version":1/, '"backup_version":7', / is a backup of version 7, this /],
  ['a newer schema', /"schema_version":\d+/, '"schema_version":99', / has schema version 99, /],
])('%s names the release that can read it', async (_, from, to, said) => {
  await backUp(url, file);
  const text = gunzipSync(readFileSync(file)).toString();
  writeFileSync(file, gzipSync(text.replace(from, to)));
  const target = await places.sqlite();
  await expect(restore(file, target)).rejects.toThrow(said);
  await expect(restore(file, target)).rejects.toThrow(/ release \d+\.\d+\.\d+ or a newer one$/);
});

test('a store that was damaged comes back as it was, and is told of', async () => {
  const damaged = await places.postgres();
  await conversation(damaged);
  const change = "UPDATE events SET data = replace(data, 'vendor', 'VENDOR')";
  await onServer(damaged, (client) => client.query(change));
  await backUp(damaged, file);
  const restored = await palimpsest(['restore', file], on(await places.sqlite()));
  expect(restored.code).toBe(1);
  expect(restored.stdout).toContain('does not match its hash: it was changed');
  expect(restored.stdout).toMatch(/: 1 session, 5 events of .+: \d problems?\n$/);
});

test('a database that is not of Palimpsest, or not there', async () => {
  await expect(backUp(await places.postgres(), file)).rejects.toThrow(
    'cannot be opened: the database holds no store of Palimpsest',
  );
  await expect(backUp(await places.sqlite(), file)).rejects.toThrow('there is no database at');
  const other = fresh('db');
  writeFileSync(other, 'not a database, but long enough to be taken for one'.repeat(20));
  await expect(backUp(`file:${other}`, file)).rejects.toThrow(
    `DATABASE_URL: ${other} cannot be opened: file is not a database`,
  );
  const foreign = fresh('db');
  openSqlite(foreign).exec('CREATE TABLE events (x)').close();
  await expect(backUp(`file:${foreign}`, file)).rejects.toThrow(
    'cannot be opened: the file holds no store of Palimpsest',
  );
  await expect(backUp('file::memory:', file)).rejects.toThrow('a store in memory is gone');
  await expect(restore(file, 'file::memory:')).rejects.toThrow('a store in memory is gone');
  expect(existsSync(file)).toBe(false);
});

test('a store that has lost its log', async () => {
  const damaged = await places.sqlite();
  await conversation(damaged);
  openSqlite(pathOf(damaged)).exec('DROP TABLE events').close();
  await expect(backUp(damaged, file)).rejects.toThrow('it has no table "events"');
  expect(existsSync(file)).toBe(false);
});

test('both stores number the same migrations: a backup goes into either', () => {
  const [sqlite, postgres] = ['sqlite', 'postgres'].map((store) =>
    readdirSync(fileURLToPath(new URL(`../../migrations/${store}`, import.meta.url))),
  );
  expect(sqlite).toEqual(postgres);
});
