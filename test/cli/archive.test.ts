import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import type { InProcess } from '../../src/in-process.ts';
import { startInProcess } from '../../src/in-process.ts';
import { readText } from '../house/sources.ts';
import {
  idle,
  inFolder,
  isArchived,
  longAgo,
  openPlain,
  putAway,
  ref,
  write,
} from '../support/archive-lab.ts';
import { on, openLab } from '../support/backup-lab.ts';
import { palimpsest } from '../support/palimpsest-command.ts';
import { S3Lab } from '../support/s3-lab.ts';

const { fresh, places, dispose } = openLab();
afterAll(dispose);

const SECRET = 'quixotalpine';
/** The SDK says on Node 20 that it wants a newer one. */
const NO_WARNING = { NODE_NO_WARNINGS: '1' };
/** As many as an agent makes, so that a vacuum has something to give back. */
const TEXTS = Array.from({ length: 60 }, (_, n) => `${n} ${'word '.repeat(300)}`);

async function ask(
  { fetch }: InProcess,
  path: string,
  method = 'GET',
  body?: object,
): Promise<{ status: number; body: JsonObject }> {
  const answer = await fetch(
    new Request(`http://127.0.0.1${path}`, {
      method,
      ...(body !== undefined && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    }),
  );
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? {} : JSON.parse(text) };
}

/** Asks the service on a store with an archive. */
async function onServiceWith<T>(
  url: string,
  folder: string | null,
  work: (service: InProcess) => Promise<T>,
): Promise<T> {
  const archive = folder === null ? {} : { PALIMPSEST_ARCHIVE: folder };
  const service = await startInProcess({ ...on(url), ...archive, LOG_LEVEL: 'silent' });
  try {
    return await work(service);
  } finally {
    await service.stop();
  }
}

describe.each(['sqlite', 'postgres'] as const)('palimpsest archive, on %s', (kind) => {
  test('moves idle sessions away, and the service brings back what is asked for', async () => {
    const url = await places[kind]();
    const folder = fresh('archive');
    for (const id of ['one', 'two']) await longAgo(url, id, `Paint ${id} in ultramarine.`);
    const environment = { ...on(url), PALIMPSEST_ARCHIVE: folder };
    const dry = await palimpsest(['archive', '--before', '1d', '--dry-run'], environment);
    expect(dry).toEqual({
      code: 0,
      stdout: `would go into ${folder}: 2 sessions, 12 events\n`,
      stderr: '',
    });
    expect(existsSync(folder)).toBe(false);
    const run = await palimpsest(['archive', '--before', '1d'], environment);
    expect([run.code, run.stderr]).toEqual([0, '']);
    expect(run.stdout.split('\n')).toEqual([
      `${folder}: 2 sessions, 12 events archived, 2 kB`,
      '"palimpsest vacuum" gives their room in the store back to the disk.',
      '',
    ]);
    await onServiceWith(url, folder, async (service) => {
      const list = async () => {
        const { body } = await ask(service, '/sessions');
        return (body.data as JsonObject[]).map(({ id, archived }) => [id, archived]);
      };
      expect(await list()).toEqual([
        ['two', true],
        ['one', true],
      ]);
      const found = await ask(service, '/search?q=ultramarine+two');
      expect((found.body.data as JsonObject[])[0]).toMatchObject({ session_id: 'two' });
      expect((await ask(service, '/sessions/one')).body).toMatchObject({ version: 6 });
      const context = await ask(service, '/sessions/one/context');
      expect(JSON.stringify(context.body)).toContain('Paint one in ultramarine.');
      const item = { role: 'user', content: 'Go on.' };
      expect((await ask(service, '/sessions/two/items', 'POST', item)).status).toBe(201);
      expect(await list()).toEqual([
        ['two', false],
        ['one', false],
      ]);
    });
    expect(readdirSync(folder)).toEqual([]);
    expect((await palimpsest(['verify'], environment)).stdout).toBe('2 sessions, 13 events: ok\n');
  });

  test('says what to do when the archive is not there', async () => {
    const url = await places[kind]();
    const folder = fresh('archive');
    await longAgo(url);
    expect((await palimpsest(['archive', '--before', '1d', '--to', folder], on(url))).stderr).toBe(
      `Set PALIMPSEST_ARCHIVE=${folder} for the service, or it cannot bring them back.\n`,
    );
    const problem = { type: 'urn:palimpsest:problem:archive-unavailable', status: 503 };
    for (const [place, detail] of [
      [null, 'set PALIMPSEST_ARCHIVE'],
      [fresh('elsewhere'), 'cannot be reached'],
    ] as const) {
      await onServiceWith(url, place, async (service) => {
        for (const [path, method] of [
          ['/sessions/chat/context', 'GET'],
          ['/sessions/chat', 'DELETE'],
        ] as const) {
          const { status, body } = await ask(service, path, method);
          expect([status, body]).toEqual([503, expect.objectContaining(problem)]);
          expect(body.detail).toContain(detail);
        }
        // What needs no events goes on.
        expect((await ask(service, '/sessions/chat')).status).toBe(200);
      });
    }
    const verified = await palimpsest(['verify'], on(url));
    expect([verified.code, verified.stdout]).toEqual([
      1,
      expect.stringMatching(
        /is not checked: set PALIMPSEST_ARCHIVE.*\n1 session, 0 events: 1 problem\n$/,
      ),
    ]);
    await onServiceWith(url, folder, async (service) => {
      expect((await ask(service, '/sessions/chat', 'DELETE')).status).toBe(204);
    });
    expect(readdirSync(folder)).toEqual([]);
  });
});

test('a file that the archive has lost takes nothing from a search but its own session', async () => {
  const url = await places.sqlite();
  const archive = inFolder(dirname(url.slice('file:'.length)), basename(fresh('archive')));
  for (const id of ['kept', 'lost']) await longAgo(url, id, `Paint ${id} in ultramarine.`);
  const store = await openPlain(url);
  for (const id of ['kept', 'lost']) await putAway(store, archive, id);
  const lost = await store.archived.find(ref('lost'));
  await store.close();
  rmSync(join(archive.place, `${lost?.file}.jsonl.gz`));
  await onServiceWith(url, archive.place, async (service) => {
    const fork = await ask(service, '/sessions/kept/fork', 'POST', { id: 'fork' });
    expect(fork.status).toBe(201);
    for (const query of ['q=ultramarine', 'q=ultramarine+paint', 'regex=ultra%5Ba-z%5D%2B']) {
      const { status, body } = await ask(service, `/search?${query}`);
      expect([query, status, body.is_complete]).toEqual([query, 200, false]);
      const ids = (body.data as JsonObject[]).map(({ session_id }) => session_id);
      expect(new Set(ids)).toEqual(new Set(['kept', 'fork']));
      expect((await ask(service, `/sessions/kept/search?${query}`)).body.is_complete).toBe(true);
      expect((await ask(service, `/sessions/lost/search?${query}`)).status).toBe(503);
    }
  });
});

/** Every file of a store and an archive that has the secret, packed or not. */
function filesWithSecret(path: string, folder: string): string[] {
  const ofStore = readdirSync(dirname(path))
    .filter((name) => name.startsWith(basename(path)))
    .map((name) => join(dirname(path), name));
  const archived = readdirSync(folder).map((name) => join(folder, name));
  return [...ofStore, ...archived].filter((file) => {
    if (!statSync(file).isFile()) return false;
    const bytes = readFileSync(file);
    const text = file.endsWith('.gz') ? gunzipSync(bytes) : bytes;
    return text.toString('latin1').toLowerCase().includes(SECRET);
  });
}

test('an archived session is in one file, and after erasing in none; its room is back', async () => {
  const url = await places.sqlite();
  const path = url.slice('file:'.length);
  const archive = inFolder(dirname(path), `${basename(path)}-archive`);
  const environment = { ...on(url), PALIMPSEST_ARCHIVE: archive.place };
  const store = await openPlain(url);
  for (const id of ['stays', 'goes']) {
    await write(store, id, id === 'goes' ? [...TEXTS, `It is ${SECRET}.`] : TEXTS);
  }
  await store.close();
  const before = statSync(path).size;
  const again = await openPlain(url);
  await putAway(again, archive, 'goes');
  await again.close();
  expect((await palimpsest(['vacuum'], environment)).code).toBe(0);
  // The index knows the word: archived sessions are found.
  expect(filesWithSecret(path, archive.place)).toEqual([
    path,
    join(archive.place, readdirSync(archive.place)[0] ?? ''),
  ]);
  const after = statSync(path).size;
  expect(after).toBeLessThan(before * 0.7);
  await onServiceWith(url, archive.place, async (service) => {
    expect((await ask(service, '/sessions/goes', 'DELETE')).status).toBe(204);
    expect((await ask(service, `/search?q=${SECRET}`)).body.data).toEqual([]);
  });
  expect((await palimpsest(['vacuum'], environment)).code).toBe(0);
  expect(filesWithSecret(path, archive.place)).toEqual([]);
});

test('refuses what it cannot mean', async () => {
  const url = await places.sqlite();
  await longAgo(url);
  const run = (args: string[], environment = {}) =>
    palimpsest(['archive', ...args], { ...on(url), ...environment });
  expect(await run(['--before', 'soon'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('it must be a number of days or hours, such as 30d or 12h'),
  });
  expect(await run(['--before', '1d'])).toMatchObject({
    code: 2,
    stderr: 'say where the archive is: --to FOLDER or s3://BUCKET/PREFIX, or PALIMPSEST_ARCHIVE\n',
  });
  const typos = ['s3:/bucket', 's3:bucket', 'file:cold', 'FILE:/cold'];
  for (const place of ['s3://', 's3://key:secret@bucket', 's3://b/a?b', 'gs://bucket', ...typos]) {
    expect(await run(['--before', '1d', '--to', place])).toEqual({
      code: 2,
      stdout: '',
      stderr:
        '--to: must be a folder, or a bucket such as s3://bucket/prefix, of letters, digits, ".", "_", "-" ' +
        'and "/"; keys belong into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY\n',
    });
  }
  expect(await run(['--before', '1d', '--to', '/a'], { PALIMPSEST_ARCHIVE: '/b' })).toMatchObject({
    code: 2,
    stderr:
      '--to /a is not PALIMPSEST_ARCHIVE=/b, which sessions are brought back from: leave --to out\n',
  });
  const file = url.slice('file:'.length);
  const failed = await run(['--before', '1d', '--to', file]);
  expect([failed.code, failed.stdout]).toEqual([
    1,
    `${file}: 0 sessions, 0 events archived, 0 kB\n`,
  ]);
  expect(failed.stderr).toContain(`the archive ${file} cannot be used: EEXIST`);
  // One that can no longer be looked into, while the store wants a file there removed.
  const store = await openPlain(url);
  expect(await isArchived(store, 'chat')).toBe(false);
  const begun = { name: 'a'.repeat(64), bytes: 1, at: '2020-01-01T00:00:00.000Z' };
  await store.archived.begin(await idle(store, 'chat'), begun);
  await store.close();
  const left = await run(['--before', '9999d', '--to', file]);
  expect(left.stderr).toMatch(/^the archive cannot be used: [^\n]*\n$/);
});

test('archives into a bucket, from which the service brings back', async () => {
  const url = await places.sqlite();
  await longAgo(url);
  const lab = await S3Lab.start(fresh('s3'));
  try {
    const environment = { ...on(url), ...lab.environment, ...NO_WARNING };
    const into = (to: string, variables = {}) =>
      palimpsest(['archive', '--before', '1d', '--to', to], { ...environment, ...variables });
    expect(await into('s3://nobody-made-it')).toEqual({
      code: 1,
      stdout: 's3://nobody-made-it: 0 sessions, 0 events archived, 0 kB\n',
      stderr:
        'the archive s3://nobody-made-it cannot be used: there is no bucket "nobody-made-it": make it, ' +
        'or name another\n',
    });
    expect(await into('s3://cold/deep/')).toEqual({
      code: 0,
      stdout:
        's3://cold/deep: 1 session, 6 events archived, 1 kB\n' +
        '"palimpsest vacuum" gives their room in the store back to the disk.\n',
      stderr:
        'Set PALIMPSEST_ARCHIVE=s3://cold/deep for the service, or it cannot bring them back.\n',
    });
    expect(lab.keys()).toEqual([expect.stringMatching(/^deep\/[0-9a-f]{64}\.jsonl\.gz$/)]);
    const known = { PALIMPSEST_ARCHIVE: 's3://cold/deep' };
    expect(await palimpsest(['verify'], { ...environment, ...known })).toMatchObject({
      stdout: '1 session, 6 events: ok\n',
    });
    const shown = await palimpsest(['context', 'chat', '--tenant', 'local'], {
      ...environment,
      ...known,
    });
    expect(shown.stdout).toContain('Paint it blue.');
    expect(lab.keys()).toEqual([]);
    expect(await into('s3://cold/other', known)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is not PALIMPSEST_ARCHIVE=s3://cold/deep'),
    });
  } finally {
    await lab.stop();
  }
});

test('docs/archive.md shows what the commands do', async () => {
  const url = await places.sqlite();
  const folder = fresh('archive');
  await longAgo(url);
  const here = (text: string) => text.replaceAll('/var/lib/palimpsest/archive', folder);
  const blocks = [...readText('docs/archive.md').matchAll(/```console\n\$ ([^`]*)```/g)];
  expect(blocks).toHaveLength(3);
  const bucketOnly = await places.sqlite();
  await longAgo(bucketOnly);
  const lab = await S3Lab.start(fresh('s3'));
  for (const [, block = ''] of blocks) {
    const [command = '', ...printed] = here(block).trimEnd().split('\n');
    const environment = command.includes('s3://')
      ? { ...on(bucketOnly), ...lab.environment, ...NO_WARNING }
      : on(url);
    const { code, stdout, stderr } = await palimpsest(command.split(' ').slice(1), environment);
    expect(code).toBe(0);
    expect(`${stdout}${stderr}`.trimEnd().split('\n')).toEqual(printed);
  }
  await lab.stop();
});
