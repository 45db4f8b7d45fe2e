import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { Indexer } from '../../src/app/search/indexer.ts';
import { openSqlite } from '../../src/db/sqlite/driver.ts';
import { openSqliteStore } from '../../src/db/sqlite/sqlite-store.ts';
import { vacuumSqlite } from '../../src/db/sqlite/vacuum.ts';
import { AT, append, created, item } from '../contracts/session-events.ts';
import { conversation, on, openLab } from '../support/backup-lab.ts';
import { palimpsest } from '../support/palimpsest-command.ts';

const { places, dispose } = openLab();
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

test('says so when another process holds the file', async () => {
  const path = await storeWithErased();
  const writer = openSqlite(path);
  writer.exec('BEGIN IMMEDIATE');
  expect(() => vacuumSqlite(path, 100)).toThrow(
    `another process has been writing to ${path} for a minute: try again when there is less to do`,
  );
  writer.close();
});

test('is for files', async () => {
  const url = await places.postgres();
  await conversation(url);
  const { code, stderr } = await palimpsest(['vacuum'], on(url));
  expect([code, stderr]).toEqual([
    2,
    'DATABASE_URL: vacuum is for an SQLite file; PostgreSQL has a VACUUM of its own, which runs by itself\n',
  ]);
});
