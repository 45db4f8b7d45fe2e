import { readdirSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { FolderArchive } from '../../src/db/archive/folder-archive.ts';
import { append, created, item, requested } from '../contracts/session-events.ts';
import { LONG_AGO, longAgo, openPlain, openWith, putAway, ref } from '../support/archive-lab.ts';
import { on, openLab } from '../support/backup-lab.ts';
import { palimpsest } from '../support/palimpsest-command.ts';

const { fresh, places, dispose } = openLab();
afterAll(dispose);

const YOUNG = '2100-01-01T00:00:00.000Z';

describe.each(['sqlite', 'postgres'] as const)('palimpsest retention, on %s', (kind) => {
  async function ids(url: string): Promise<string[]> {
    const store = await openPlain(url);
    const { data } = await store.sessions('local', { limit: 9 });
    await store.close();
    return data.map(({ ref }) => ref.session_id);
  }

  test('says what would be erased, and erases it when it is told to', async () => {
    const url = await places[kind]();
    const archive = new FolderArchive(fresh('archive'));
    for (const id of ['archived', 'old']) await longAgo(url, id);
    const store = await openPlain(url);
    await store.commit(ref('busy'), append(created, requested('c-1')), { at: LONG_AGO });
    await store.commit(ref('young'), append(created, item('x')), { at: YOUNG });
    await store.commit(ref('theirs', 'other'), append(created), { at: LONG_AGO });
    await putAway(store, archive, 'archived');
    await store.close();
    const environment = { ...on(url), PALIMPSEST_ARCHIVE: archive.place };
    const args = ['retention', '--tenant', 'local', '--days', '365'];
    const told = [
      expect.stringMatching(/^archived {2}2020-01-01 {2}1 kB$/),
      expect.stringMatching(/^old {2}2020-01-01 {2}1 kB$/),
    ];
    const dry = await palimpsest(args, environment);
    expect([dry.code, dry.stderr]).toEqual([0, '']);
    expect(dry.stdout.split('\n')).toEqual([
      ...told,
      expect.stringMatching(/^would be erased: 2 sessions, \d kB of local$/),
      '--erase erases them',
      'by its times written to after now, so that it counts as new: 1 session',
      '',
    ]);
    expect(await ids(url)).toEqual(['young', 'busy', 'old', 'archived']);
    const done = await palimpsest([...args, '--erase'], environment);
    expect(done.stdout.split('\n')).toEqual([
      ...told,
      expect.stringMatching(/^erased: 2 sessions, \d kB of local$/),
      'by its times written to after now, so that it counts as new: 1 session',
      '',
    ]);
    expect(await ids(url)).toEqual(['young', 'busy']);
    expect(readdirSync(archive.place)).toEqual([]);
    const all = ['retention', '--tenant', 'local', '--bytes', '0', '--erase'];
    expect((await palimpsest(all, environment)).stdout).toMatch(
      /\nerased: 1 session, 1 kB of local/,
    );
    // Something is under way in the one, and the other is of another tenant.
    expect(await ids(url)).toEqual(['busy']);
    expect((await palimpsest(['verify'], environment)).stdout).toBe('2 sessions, 3 events: ok\n');
  });

  test('does not erase what was written to meanwhile', async () => {
    const url = await places[kind]();
    await longAgo(url);
    const store = await openWith(url, null);
    const [found] = await store.archived.sizes({ tenant: 'local', after: 0, limit: 9 });
    if (found === undefined) throw new Error('it was not found');
    expect(found.is_at_rest).toBe(true);
    await store.commit(ref('chat'), append(item('late')), { at: LONG_AGO });
    expect(await store.archived.eraseUnchanged(found)).toBe(false);
    expect(await store.rows(ref('chat'), { after: 0, limit: 9 })).toHaveLength(7);
    await store.close();
  });

  test('takes no file of what was written to and archived again meanwhile', async () => {
    const url = await places[kind]();
    const archive = new FolderArchive(fresh('archive'));
    await longAgo(url);
    const store = await openWith(url, archive);
    await putAway(store, archive, 'chat');
    const [found] = await store.archived.sizes({ tenant: 'local', after: 0, limit: 9 });
    if (found === undefined) throw new Error('it was not found');
    await store.commit(ref('chat'), append(item('late')), { at: LONG_AGO });
    await putAway(store, archive, 'chat');
    expect(await store.archived.eraseUnchanged(found)).toBe(false);
    expect(await store.rows(ref('chat'), { after: 0, limit: 9 })).toHaveLength(7);
    await store.close();
  });

  test('stops where the archive is away, and erases nothing of that session', async () => {
    const url = await places[kind]();
    const archive = new FolderArchive(fresh('archive'));
    await longAgo(url);
    const store = await openPlain(url);
    await putAway(store, archive, 'chat');
    await store.close();
    const args = ['retention', '--tenant', 'local', '--days', '1', '--erase'];
    const { code, stderr } = await palimpsest(args, on(url));
    expect([code, stderr]).toEqual([1, expect.stringContaining('stopped: The events of this')]);
    expect(await ids(url)).toEqual(['chat']);
    expect(readdirSync(archive.place)).toHaveLength(1);
  });
});

test('wants to know what may stay', async () => {
  const url = await places.sqlite();
  await longAgo(url);
  expect(await palimpsest(['retention', '--tenant', 'local'], on(url))).toEqual({
    code: 2,
    stdout: '',
    stderr: 'say what may stay: --days N, --bytes N, or both\n',
  });
});
