import { randomBytes } from 'node:crypto';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { Indexer } from '../../src/app/search/indexer.ts';
import { vacuumPostgres } from '../../src/db/postgres/vacuum.ts';
import { openSqlite } from '../../src/db/sqlite/driver.ts';
import { openSqliteStore } from '../../src/db/sqlite/sqlite-store.ts';
import { vacuumSqlite } from '../../src/db/sqlite/vacuum.ts';
import { AT, append, created, item } from '../contracts/session-events.ts';
import { inFolder, openPlain, putAway, write } from '../support/archive-lab.ts';
import { conversation, on, openLab } from '../support/backup-lab.ts';
import { palimpsest } from '../support/palimpsest-command.ts';
import { onServer } from '../support/servers/on-server.ts';
import { mountDisk, unmountDisk } from '../support/small-disk.ts';

const { folder, places, dispose } = openLab();
afterAll(dispose);

const SECRET = 'quixotalpine';
const ref = (session_id: string) => ({ tenant: 'local', session_id });

/** The files of a store that have a word, in whatever case. */
function filesWith(word: string, path: string): string[] {
  return readdirSync(dirname(path))
    .filter((name) => name.startsWith(basename(path)))
    .filter((name) =>
      readFileSync(join(dirname(path), name))
        .toString('latin1')
        .toLowerCase()
        .includes(word),
    );
}

/** A store with a session that stays and one with the secret that was erased; both were indexed. */
async function storeWithErased(): Promise<string> {
  const path = (await places.sqlite()).slice('file:'.length);
  const store = await openSqliteStore({ path });
  const indexer = new Indexer(store, () => {});
  for (const id of ['stays', 'erased']) {
    const texts = Array.from({ length: 60 }, (_, n) => `${id} ${n} ${'word '.repeat(300)}`);
    if (id === 'erased') texts.push(`The password is ${SECRET}.`);
    await store.commit(ref(id), append(created, ...texts.map((text) => item(text))), { at: AT });
    await indexer.catchUp(ref(id), Number.POSITIVE_INFINITY);
  }
  expect(await store.erase(ref('erased'))).toBe(true);
  await store.close();
  return path;
}

test('nothing of an erased session is in any file, and its room is back', async () => {
  const path = await storeWithErased();
  // Erasing alone leaves it in free pages and in the search index.
  expect(filesWith(SECRET, path)).toEqual([basename(path)]);
  const before = statSync(path).size;
  const { code, stdout, stderr } = await palimpsest(['vacuum'], on(`file:${path}`));
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/\.db: \d+ kB before, \d+ kB now\n$/);
  expect(filesWith(SECRET, path)).toEqual([]);
  expect(statSync(path).size).toBeLessThan(before * 0.8);
  expect((await palimpsest(['verify'], on(`file:${path}`))).stdout).toBe(
    '1 session, 61 events: ok\n',
  );
});

test('says so when a reader keeps the old pages', async () => {
  const path = await storeWithErased();
  const reader = openSqlite(path);
  reader.exec('BEGIN; SELECT count(*) FROM events;');
  expect(vacuumSqlite(path, 100).isHeld).toBe(true);
  reader.close();
  expect(vacuumSqlite(path, 100).isHeld).toBe(false);
  expect(filesWith(SECRET, path)).toEqual([]);
});

test('counts what a running service has in the log beside the file', async () => {
  const path = (await places.sqlite()).slice('file:'.length);
  const service = await openSqliteStore({ path });
  const texts = Array.from({ length: 60 }, (_, n) => item(`${n} ${'word '.repeat(300)}`));
  await service.commit(ref('stays'), append(created, ...texts), { at: AT });
  const inLog = statSync(`${path}-wal`).size;
  expect(inLog).toBeGreaterThan(statSync(path).size);
  const { before, after } = vacuumSqlite(path, 100);
  expect(before).toBeGreaterThanOrEqual(inLog);
  expect(after).toBeLessThan(before);
  await service.close();
});

test('says so when another process holds the file', async () => {
  const path = await storeWithErased();
  const writer = openSqlite(path);
  writer.exec('BEGIN IMMEDIATE');
  expect(() => vacuumSqlite(path, 100)).toThrow(
    `another process has been writing to ${path} for a minute: try again when there is less to do`,
  );
  writer.close();
});

describe('on a disk without room for a second copy', () => {
  const disk = mkdtempSync(join(folder, 'disk-'));
  const hasDisk = mountDisk(disk, 16);
  afterAll(() => hasDisk && unmountDisk(disk));

  test.runIf(hasDisk)('says what room it needs, and where', async () => {
    const path = join(disk, 'store.db');
    const store = await openSqliteStore({ path });
    const texts = Array.from({ length: 40 }, () => item(randomBytes(20_000).toString('hex')));
    await store.commit(ref('stays'), append(created, ...texts), { at: AT });
    await store.close();
    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(join(disk, 'filler'), Buffer.alloc(bavail * bsize - statSync(path).size / 2));
    const { code, stderr } = await palimpsest(['vacuum'], on(`file:${path}`));
    expect([code, stderr]).toEqual([1, expect.stringContaining(`to write ${path} anew`)]);
    expect(stderr).toMatch(/nothing was lost.* beside it, .* temporary files .* SQLITE_TMPDIR/);
    expect((await palimpsest(['verify'], on(`file:${path}`))).stdout).toMatch(/: ok\n$/);
  });
});

test('is not for a store in memory', async () => {
  const { code, stderr } = await palimpsest(['vacuum'], on('file::memory:'));
  expect([code, stderr]).toEqual([2, 'DATABASE_URL: a store in memory has no room on the disk\n']);
});

describe('on PostgreSQL', () => {
  /** Letters by chance: the server would compress what repeats itself. */
  const text = () => randomBytes(3_000).toString('base64');

  /** Bytes of the database, as the server says. */
  async function sizeOf(url: string): Promise<number> {
    return onServer(url, async (client) => {
      const { rows } = await client.query('SELECT pg_database_size(current_database()) AS bytes');
      return Number(rows[0].bytes);
    });
  }

  test('gives the room of archived and erased sessions back to the disk', async () => {
    const url = await places.postgres();
    const archive = inFolder(folder);
    const store = await openPlain(url);
    const empty = await sizeOf(url);
    const texts = (count: number) => Array.from({ length: count }, text);
    await write(store, 'stays', texts(50));
    const least = await sizeOf(url);
    await write(store, 'archived', texts(600));
    await write(store, 'erased', texts(600));
    const before = await sizeOf(url);
    await putAway(store, archive, 'archived');
    await store.erase({ tenant: 'local', session_id: 'erased' });
    await store.close();
    const deleted = await sizeOf(url);
    const { code, stdout, stderr } = await palimpsest(['vacuum'], {
      ...on(url),
      PALIMPSEST_ARCHIVE: archive.place,
    });
    expect([code, stderr]).toEqual([0, '']);
    const after = await sizeOf(url);
    console.log(
      `bytes: empty ${empty}, one session ${least}, all ${before}, deleted ${deleted}, vacuumed ${after}`,
    );
    // Deleting alone gives hardly anything back.
    expect(deleted - after).toBeGreaterThan(0.8 * (before - least));
    expect(before - after).toBeGreaterThan(0.8 * (before - least));
    const numbers = /: ([\d,]+) kB before, ([\d,]+) kB now\n$/.exec(stdout) ?? [];
    const [said, now] = numbers.slice(1).map((number) => Number(number.replaceAll(',', '')));
    expect(now).toBeLessThan(said ?? 0);
    expect(stdout).not.toContain('postgres@');
    const verified = await palimpsest(['verify'], {
      ...on(url),
      PALIMPSEST_ARCHIVE: archive.place,
    });
    expect(verified.stdout).toBe('2 sessions, 652 events: ok\n');
  });

  test('says which table others hold', async () => {
    const url = await places.postgres();
    await conversation(url);
    await onServer(url, async (client) => {
      await client.query('BEGIN; LOCK TABLE search_pages IN ACCESS SHARE MODE');
      await expect(vacuumPostgres(url, 100)).rejects.toThrow(
        'others have been using the table search_pages for too long: try again when there is less to do. ' +
          'Tables before it are done: events, search_documents, search_segments.',
      );
    });
    expect((await vacuumPostgres(url, 10_000)).notes).toEqual([]);
  });

  test('says which tables are not its own', async () => {
    const url = await places.postgres();
    await conversation(url);
    const reader = new URL(url);
    reader.searchParams.set('options', '-c role=pg_read_all_data');
    const { notes } = await vacuumPostgres(reader.href);
    expect(notes).toHaveLength(5);
    // Releases of PostgreSQL have different words for it.
    expect(notes[0]).toContain('"events"');
  });
});
