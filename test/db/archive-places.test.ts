import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { ArchiveError } from '../../src/app/ports/archive.ts';
import type { SearchableStore } from '../../src/app/ports/search-index.ts';
import { S3Archive } from '../../src/db/archive/s3-archive.ts';
import { archiveContract } from '../contracts/archive.ts';
import {
  everyRow,
  filesIn,
  inFolder,
  isArchived,
  openWith,
  putAway,
  ref,
  write,
} from '../support/archive-lab.ts';
import { openLab } from '../support/backup-lab.ts';
import { BUCKET, S3Lab } from '../support/s3-lab.ts';

const folder = mkdtempSync(join(tmpdir(), 'palimpsest-places-'));
const { places, dispose } = openLab();
let lab: S3Lab;
let names = 0;

beforeAll(async () => {
  lab = await S3Lab.start(join(folder, 's3'));
});
beforeEach(() => {
  lab.wire = { kind: 'whole' };
  for (const [name, value] of Object.entries(lab.environment)) vi.stubEnv(name, value);
});
afterEach(() => vi.unstubAllEnvs());
afterAll(async () => {
  await lab.stop();
  await dispose();
  rmSync(folder, { recursive: true });
});

const ENDING = '.jsonl.gz';
const short = (name: string) => name.slice(0, -ENDING.length);

archiveContract('a folder', async () => {
  const archive = inFolder(folder, `folder-${names++}`);
  return { archive, files: () => filesIn(archive).map(short), away: inFolder(folder, 'not-there') };
});

archiveContract('a bucket', async () => {
  const prefix = `prefix-${names++}/inside`;
  const files = () =>
    lab
      .keys()
      .filter((key) => key.startsWith(`${prefix}/`))
      .map((key) => short(key.slice(prefix.length + 1)));
  const away = new S3Archive({ bucket: 'no-such-bucket', prefix });
  return { archive: new S3Archive({ bucket: BUCKET, prefix }), files, away };
});

const whyOf = async (asking: Promise<unknown>) => {
  const error = await asking.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ArchiveError) || !(error.cause instanceof Error)) throw error;
  return error.cause.message;
};

describe.skipIf(process.platform === 'win32')('in place of a file of a folder', () => {
  const FILE = 'ab'.repeat(32);

  test.each<[what: string, put: (path: string) => unknown]>([
    ['a pipe that nobody writes to', (path) => execFileSync('mkfifo', [path])],
    ['a device without an end', (path) => symlinkSync('/dev/zero', path)],
    ['a folder', (path) => mkdirSync(path)],
    [
      'a file that is longer than what was written',
      (path) => {
        writeFileSync(path, '');
        truncateSync(path, 900_000_000);
      },
    ],
  ])('%s is damage, and holds up nobody', async (_, put) => {
    const archive = inFolder(folder, `folder-${names++}`);
    await archive.prepare();
    put(join(archive.place, `${FILE}${ENDING}`));
    await expect(archive.read(FILE, 3)).rejects.toMatchObject({ kind: 'damaged' });
  });
});

describe('a bucket that cannot be used', () => {
  const FILE = 'ef'.repeat(32);
  const archive = (options = {}) => new S3Archive({ bucket: BUCKET, prefix: '' }, options);

  test('says that there is no such bucket', async () => {
    const none = new S3Archive({ bucket: 'nobody-made-it', prefix: '' });
    const why = 'there is no bucket "nobody-made-it": make it, or name another';
    expect(await whyOf(none.write(FILE, Buffer.from('one')))).toBe(why);
    expect(await whyOf(none.read(FILE, 3))).toBe(why);
    expect(await whyOf(none.remove(FILE))).toBe(why);
  });

  const refused = (code: string) =>
    `the key is refused (${code}): check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and that it may ` +
    'list the bucket "cold", and get, put and delete its objects';

  test('says that the key is refused', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'of-somebody-else');
    expect(await whyOf(archive().write(FILE, Buffer.from('one')))).toBe(
      refused('InvalidAccessKeyId'),
    );
    expect(lab.keys()).not.toContain(`${FILE}${ENDING}`);
  });

  test.each(['SignatureDoesNotMatch', 'AccessDenied'])(
    'says that the key is refused, when the server says %s',
    async (code) => {
      lab.wire = { kind: 'refused', code };
      expect(await whyOf(archive().read(FILE, 3))).toBe(refused(code));
    },
  );

  test('says whatever else the server has said', async () => {
    lab.wire = { kind: 'refused', code: 'AccountProblem' };
    expect(await whyOf(archive().read(FILE, 3))).toBe('AccountProblem: It is refused.');
  });

  test('quotes no more of it than fits on a screen', async () => {
    lab.wire = { kind: 'refused', code: 'Odd', message: 'x'.repeat(1_000_000) };
    expect((await whyOf(archive().read(FILE, 3))).length).toBeLessThan(400);
  });

  test('takes as removed what a server says is not there', async () => {
    lab.wire = { kind: 'strict' };
    await archive().write(FILE, Buffer.from('one'));
    await archive().remove(FILE);
    await archive().remove(FILE);
    expect(lab.keys()).not.toContain(`${FILE}${ENDING}`);
  });

  test('says that there is no key', async () => {
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, undefined);
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', join(folder, 'none'));
    vi.stubEnv('AWS_CONFIG_FILE', join(folder, 'none'));
    expect(await whyOf(archive().read(FILE, 3))).toBe(
      'there is no key: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE',
    );
  });

  test('says that the server is not there', async () => {
    vi.stubEnv('AWS_ENDPOINT_URL_S3', 'http://127.0.0.1:1');
    expect(await whyOf(archive().read(FILE, 3))).toBe(
      'the server does not answer (ECONNREFUSED): check AWS_ENDPOINT_URL_S3 and the network',
    );
  });

  test.each(['silent', 'stalled'] as const)('gives up on a server that is %s', async (kind) => {
    const impatient = archive({ idleMs: 300 });
    await impatient.write(FILE, Buffer.alloc(1_000_000, 'one'));
    lab.wire = { kind };
    expect(await whyOf(impatient.read(FILE, 1_000_000))).toMatch(
      /^the server does not answer \(\w+\): check AWS_ENDPOINT_URL_S3/,
    );
    lab.wire = { kind: 'whole' };
    expect((await impatient.read(FILE, 1_000_000))?.length).toBe(1_000_000);
    await impatient.remove(FILE);
  });

  test('keeps no versions of what is removed from it', async () => {
    lab.wire = { kind: 'versions' };
    const why =
      'the bucket "cold" keeps versions of what is removed from it, so nothing could be erased: name one ' +
      'that keeps none';
    lab.asked.length = 0;
    expect(await whyOf(archive().write(FILE, Buffer.from('one')))).toBe(why);
    // What was written is gone.
    expect(lab.asked).toEqual([
      expect.stringMatching(/^PUT /),
      expect.stringMatching(/^DELETE .*versionId=v1/),
    ]);
    expect(await whyOf(archive().remove(FILE))).toBe(why);
  });
});

describe.each(['sqlite', 'postgres'] as const)('sessions on %s, in a bucket', (kind) => {
  let store: SearchableStore;
  let url: string;
  let prefix: string;
  let archive: S3Archive;

  beforeEach(async () => {
    prefix = `sessions-${names++}`;
    archive = new S3Archive({ bucket: BUCKET, prefix });
    url = await places[kind]();
    store = await openWith(url, archive);
    await write(store, 'chat', ['Paint it blue.', 'two']);
  });
  afterEach(() => store.close());

  const keys = () => lab.keys().filter((key) => key.startsWith(`${prefix}/`));
  const rowsOf = () => store.rows(ref('chat'), everyRow);

  test('come back when they are read, and their object goes', async () => {
    const rows = await rowsOf();
    await putAway(store, archive, 'chat');
    const [key = ''] = keys();
    expect(key).toMatch(/^sessions-\d+\/[0-9a-f]{64}\.jsonl\.gz$/);
    expect(gunzipSync(lab.get(key)).toString()).toContain('Paint it blue.');
    expect(await store.verify()).toEqual({ sessions: 1, events: 3, problems: [] });
    expect(await rowsOf()).toEqual(rows);
    expect(keys()).toEqual([]);
    expect(await isArchived(store, 'chat')).toBe(false);
  });

  test('are erased with their object', async () => {
    await putAway(store, archive, 'chat');
    expect(keys()).toHaveLength(1);
    expect(await store.erase(ref('chat'))).toBe(true);
    expect(keys()).toEqual([]);
    expect(await store.head(ref('chat'))).toBe(null);
  });

  test('are refused when the object was changed or lost, and stay', async () => {
    const rows = await rowsOf();
    await putAway(store, archive, 'chat');
    const [key = ''] = keys();
    const good = lab.get(key);
    const changed = Buffer.from(good);
    changed[changed.length >> 1] = (changed[changed.length >> 1] ?? 0) ^ 1;
    lab.put(key, changed);
    await expect(rowsOf()).rejects.toThrow('is not what was written');
    lab.lose(key);
    await expect(rowsOf()).rejects.toThrow('that the archive does not have');
    expect((await store.verify()).problems).toEqual([
      expect.stringContaining('is not in the archive: put it back from a copy'),
    ]);
    expect(await isArchived(store, 'chat')).toBe(true);
    lab.put(key, good);
    expect(await rowsOf()).toEqual(rows);
  });

  test('stay in the store when the object cannot be written', async () => {
    const rows = await rowsOf();
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'of-somebody-else');
    const refused = new S3Archive({ bucket: BUCKET, prefix });
    await expect(putAway(store, refused, 'chat')).rejects.toThrow(
      'cannot be reached, read or written',
    );
    expect(await isArchived(store, 'chat')).toBe(false);
    expect(await rowsOf()).toEqual(rows);
    expect(keys()).toEqual([]);
  });

  test('are not erased while the server is away', async () => {
    await putAway(store, archive, 'chat');
    lab.wire = { kind: 'silent' };
    const impatient = new S3Archive({ bucket: BUCKET, prefix }, { idleMs: 200 });
    const other = await openWith(url, impatient);
    await expect(other.erase(ref('chat'))).rejects.toThrow('make it available again');
    expect(await other.head(ref('chat'))).not.toBe(null);
    await other.close();
    expect(keys()).toHaveLength(1);
  });
});
