import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { sweepArchive } from '../../src/db/archive/sweep-archive.ts';
import { everyRow, inFolder, openPlain, openWith, ref, write } from '../support/archive-lab.ts';
import { CLI, on, openLab } from '../support/backup-lab.ts';
import { atScale } from '../support/scale.ts';

const SESSIONS = 60;
const TEXTS = Array.from({ length: 20 }, (_, n) => `${n} ${'word '.repeat(200)}`);
/** A round kills after so many files at most. */
const MOST_FILES = 40;

const { folder, fresh, places, dispose } = openLab();
afterAll(dispose);

const fail = (error: unknown) => {
  throw error;
};

describe.each(['sqlite', 'postgres'] as const)('on %s', (kind) => {
  test('archiving can be killed at any moment, and begun again', async () => {
    const url = await places[kind]();
    const archive = inFolder(folder, fresh('archive').slice(folder.length + 1));
    const plain = await openPlain(url);
    const ids = Array.from({ length: SESSIONS }, (_, n) => `session-${n}`);
    for (const id of ids) await write(plain, id, TEXTS);
    const rows = new Map<string, unknown>();
    for (const id of ids) rows.set(id, await plain.rows(ref(id), everyRow));
    await plain.close();
    const files = () => (existsSync(archive.place) ? readdirSync(archive.place).length : 0);
    for (let round = 0; round < atScale({ brief: 2, short: 3, long: 20 }); round++) {
      const args = [CLI, 'archive', '--before', '1d', '--to', archive.place];
      const env = { PATH: process.env.PATH, LOG_LEVEL: 'silent', ...on(url) };
      const child = spawn(process.execPath, args, { env, stdio: 'ignore' });
      const ended = once(child, 'exit');
      const wanted = 1 + Math.floor(Math.random() * MOST_FILES);
      while (files() < wanted && child.exitCode === null) await sleep(1);
      child.kill('SIGKILL');
      await ended;
      const store = await openWith(url, archive);
      expect(await store.verify()).toEqual({
        sessions: SESSIONS,
        events: SESSIONS * (TEXTS.length + 1),
        problems: [],
      });
      for (const id of ids) {
        expect(await store.rows(ref(id), everyRow), id).toEqual(rows.get(id));
      }
      // A file that was begun, and that nobody has.
      await sweepArchive(store, archive, fail, Date.now() + 86_400_000);
      expect(files()).toBe(0);
      await store.close();
    }
  });
});
