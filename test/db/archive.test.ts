import { createHash } from 'node:crypto';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Archive, ArchiveError } from '../../src/app/ports/archive.ts';
import type { SearchableStore } from '../../src/app/ports/search-index.ts';
import { StoreTroubleError } from '../../src/app/ports/store-trouble-error.ts';
import { Indexer } from '../../src/app/search/indexer.ts';
import { reindex, verifySearch } from '../../src/app/search/verify-search.ts';
import { withMembers } from '../../src/app/with-members.ts';
import { archiveSession } from '../../src/db/archive/archive-session.ts';
import type { FolderArchive } from '../../src/db/archive/folder-archive.ts';
import { sweepArchive } from '../../src/db/archive/sweep-archive.ts';
import { withArchive } from '../../src/db/archive/with-archive.ts';
import { readExport } from '../../src/db/session-export.ts';
import { AT, append, cancelled, created, item, requested } from '../contracts/session-events.ts';
import {
  everyRow,
  filesIn,
  idle,
  inFolder,
  isArchived,
  LATER,
  openPlain,
  openWith,
  putAway,
  ref,
  write,
} from '../support/archive-lab.ts';
import { openLab } from '../support/backup-lab.ts';
import { onServer } from '../support/servers/on-server.ts';

const { folder, fresh, places, dispose } = openLab();
afterAll(dispose);

describe.each(['sqlite', 'postgres'] as const)('an archive behind a store on %s', (kind) => {
  let url: string;
  let archive: FolderArchive;
  let store: SearchableStore;
  const open: SearchableStore[] = [];

  async function another(behind: Archive | null = archive): Promise<SearchableStore> {
    const opened = await openWith(url, behind);
    open.push(opened);
    return opened;
  }

  beforeEach(async () => {
    url = await places[kind]();
    archive = inFolder(folder, fresh('archive').slice(folder.length + 1));
    store = await another();
  });
  afterEach(async () => {
    for (const opened of open.splice(0)) await opened.close();
  });

  /** The archive, which writes in another way. */
  const writing = (write: Archive['write']): Archive => ({
    place: '',
    prepare: () => archive.prepare(),
    write,
    read: (file, bytes) => archive.read(file, bytes),
    remove: (file) => archive.remove(file),
  });

  /** A session of five events, one of them a compaction that was cancelled. */
  async function course(id = 'chat') {
    const events = [
      created,
      item('Paint it blue.'),
      requested('c-1'),
      cancelled('c-1'),
      item('bye'),
    ];
    await store.commit(ref(id), append(...events), { at: AT });
    await new Indexer(store, () => {}).catchUp(ref(id), Number.POSITIVE_INFINITY);
    return store.rows(ref(id), everyRow);
  }

  const fileOf = async (id: string) => {
    const found = await store.archived.find(ref(id));
    return join(archive.place, `${found?.file}.jsonl.gz`);
  };

  test('has the events, and the store everything else', async () => {
    const rows = await course();
    const before = [
      await store.head(ref('chat')),
      await store.compactions(ref('chat'), { limit: 5 }),
    ];
    await putAway(store, archive, 'chat');
    const plain = await openPlain(url);
    open.push(plain);
    await expect(plain.rows(ref('chat'), everyRow)).rejects.toThrow('in the archive');
    expect([
      await plain.head(ref('chat')),
      await plain.compactions(ref('chat'), { limit: 5 }),
    ]).toEqual(before);
    const { data } = await plain.sessions('local', { limit: 5 });
    expect(data.map(({ ref, is_archived }) => [ref.session_id, is_archived])).toEqual([
      ['chat', true],
    ]);
    const text = gunzipSync(readFileSync(await fileOf('chat'))).toString();
    expect(readExport(text)).toMatchObject({ ref: ref('chat'), rows });
    expect(await isArchived(store, 'chat')).toBe(true);
  });

  test('has files that say nothing by their names, for their owner alone', async () => {
    await course('customer-4711');
    await putAway(store, archive, 'customer-4711');
    const [name = ''] = filesIn(archive);
    const bytes = readFileSync(join(archive.place, name));
    expect(name).toBe(`${createHash('sha256').update(bytes).digest('hex')}.jsonl.gz`);
    expect(statSync(join(archive.place, name)).mode & 0o777).toBe(0o600);
    expect(statSync(archive.place).mode & 0o777).toBe(0o700);
    // Not even whoever knows all of a session could tell whether it is there.
    await store.rows(ref('customer-4711'), everyRow);
    await putAway(store, archive, 'customer-4711');
    expect(filesIn(archive)).not.toEqual([name]);
  });

  const READS: [string, (store: SearchableStore) => Promise<unknown>, unknown][] = [
    [
      'reading events',
      async (store) => {
        const events = await store.events(ref('chat'), { types: ['compaction.cancelled'] });
        return events.map(({ version }) => version);
      },
      [4],
    ],
    [
      'reading rows',
      async (store) => (await store.rows(ref('chat'), { after: 3, limit: 1 })).length,
      1,
    ],
    ['following the log', (store) => store.events(ref('chat'), { after: 5 }), []],
    [
      'looking up an item of the gateway',
      (store) => store.gatewayKeys.items('local', ['item-2'], 10_000),
      [
        {
          key: 'item-2',
          session_id: 'chat',
          item: { role: 'user', content: 'Paint it blue.' },
        },
      ],
    ],
    [
      'an append',
      async (store) => (await store.commit(ref('chat'), append(item('again')), { at: AT })).ok,
      true,
    ],
    [
      'a hit of a search',
      async (store) => {
        const scope = { tenant: 'local', session: null };
        const found = await store.search.find({ scope, filters: {}, all: [], none: [], limit: 9 });
        const events = await store.search.events(found, 1_000_000);
        return [...events.values()].map(({ event }) => event.version);
      },
      [5, 2],
    ],
  ];
  test.each(READS)('%s brings a session back', async (_, read, expected) => {
    const rows = await course();
    await store.gatewayKeys.note(ref('chat'), [{ key: 'item-2', version: 2 }]);
    await putAway(store, archive, 'chat');
    expect(await read(await another())).toEqual(expected);
    expect(await isArchived(store, 'chat')).toBe(false);
    expect(filesIn(archive)).toEqual([]);
    expect((await store.rows(ref('chat'), everyRow)).slice(0, 5)).toEqual(rows);
    expect(await store.verify()).toMatchObject({ sessions: 1, problems: [] });
    for await (const problem of verifySearch(store)) expect.fail(problem);
  });

  test('what only asks for the head leaves it there', async () => {
    await course();
    await putAway(store, archive, 'chat');
    await store.head(ref('chat'));
    await store.sessions('local', { limit: 5 });
    await store.compaction(ref('chat'), 'c-1');
    await store.search.position(ref('chat'));
    expect(await isArchived(store, 'chat')).toBe(true);
  });

  test('a head of an older release is computed anew', async () => {
    await course();
    const head = await store.head(ref('chat'));
    await putAway(store, archive, 'chat');
    await age();
    const other = await another();
    expect((await other.sessions('local', { limit: 5 })).data).toMatchObject([
      { head, is_archived: false },
    ]);
    await putAway(store, archive, 'chat');
    await age();
    expect(await (await another()).head(ref('chat'))).toEqual(head);
    expect(await isArchived(store, 'chat')).toBe(false);
  });

  /** As if a release with other heads had archived it. */
  async function age(): Promise<void> {
    const sql = 'UPDATE sessions SET archive_head_version = 1';
    if (kind === 'sqlite') {
      const { openSqlite } = await import('../../src/db/sqlite/driver.ts');
      const db = openSqlite(url.slice('file:'.length));
      db.exec(sql);
      db.close();
      return;
    }
    await onServer(url, (client) => client.query(sql));
  }

  test('an append that was sent twice is answered from the store', async () => {
    await course();
    const options = { at: AT, idempotency: { key: 'once', fingerprint: 'f' } };
    const send = () => store.commit(ref('chat'), append(item('again')), options);
    expect(await send()).toMatchObject({ ok: true, value: { replayed: false } });
    await putAway(store, archive, 'chat');
    expect(await send()).toMatchObject({ ok: true, value: { replayed: true } });
    expect(await isArchived(store, 'chat')).toBe(true);
  });

  test('sessions keep their places in lists, and their keys', async () => {
    for (const id of ['first', 'second', 'third']) await course(id);
    await store.gatewayKeys.note(ref('second'), [{ key: 'key-2', version: null }]);
    const list = async () =>
      (await store.sessions('local', { limit: 5 })).data.map(({ ref }) => ref.session_id);
    const before = await list();
    await putAway(store, archive, 'second');
    expect(await list()).toEqual(before);
    await store.rows(ref('second'), everyRow);
    expect(await list()).toEqual(before);
    expect(await store.gatewayKeys.find('local', ['key-2'])).toMatchObject({
      session_id: 'second',
    });
  });

  test('takes only what is idle, of the tenant that is named', async () => {
    await course('idle');
    await store.commit(ref('under-way'), append(created, requested('c-9')), { at: AT });
    await store.commit(ref('later'), append(created), { at: LATER });
    await store.commit(ref('theirs', 'other'), append(created), { at: AT });
    const ids = async (tenant: string | null, before: string) =>
      (await store.archived.idle({ before, tenant, after: 0, limit: 9 })).map(
        ({ ref }) => ref.session_id,
      );
    expect(await ids(null, LATER)).toEqual(['idle', 'theirs']);
    expect(await ids('other', LATER)).toEqual(['theirs']);
    expect(await ids(null, AT)).toEqual([]);
    await putAway(store, archive, 'idle');
    expect(await ids(null, LATER)).toEqual(['theirs']);
  });

  test('nothing is dropped that came after the export', async () => {
    await course();
    const found = await idle(store, 'chat');
    const late = writing(async (file, bytes) => {
      await archive.write(file, bytes);
      await store.commit(ref('chat'), append(item('late')), { at: AT });
    });
    expect(await archiveSession(store, late, found)).toBe(null);
    expect(await store.rows(ref('chat'), everyRow)).toHaveLength(6);
    expect(filesIn(archive)).toEqual([]);
    // And nothing was before.
    expect(await archiveSession(store, archive, found)).toBe(null);
    expect(await isArchived(store, 'chat')).toBe(false);
  });

  test('a session that is erased while it is archived leaves no file', async () => {
    await course();
    const found = await idle(store, 'chat');
    const erasing = writing(async (file, bytes) => {
      await store.erase(ref('chat'));
      await archive.write(file, bytes);
    });
    expect(await archiveSession(store, erasing, found)).toBe(null);
    expect([await store.head(ref('chat')), filesIn(archive)]).toEqual([null, []]);
  });

  test('a session that is erased when its file is written is left, and no trouble', async () => {
    await course();
    const found = await idle(store, 'chat');
    const erased = writing(async (file, bytes) => {
      await archive.write(file, bytes);
      await store.erase(ref('chat'));
    });
    expect(await archiveSession(store, erased, found)).toBe(null);
    expect([await store.head(ref('chat')), filesIn(archive)]).toEqual([null, []]);
    expect(await store.archived.filesOf(ref('chat'))).toEqual([]);
  });

  test('a file that comes after its session was erased is swept, whoever was killed', async () => {
    await course();
    const found = await idle(store, 'chat');
    await new Promise<void>((resolve) => {
      const killed = writing(async (file, bytes) => {
        await store.erase(ref('chat'));
        await archive.write(file, bytes);
        resolve();
        await new Promise(() => {});
      });
      void archiveSession(store, killed, found);
    });
    expect(filesIn(archive)).toHaveLength(1);
    const fail = (error: unknown) => {
      throw error;
    };
    await sweepArchive(store, archive, fail, Date.now() + 86_400_000);
    expect(filesIn(archive)).toEqual([]);
    expect(await store.archived.filesOf(ref('chat'))).toEqual([]);
  });

  test('two processes bring one session back at once', async () => {
    const rows = await course();
    const stores = await Promise.all([another(), another(), another()]);
    for (let round = 0; round < 5; round++) {
      await putAway(store, archive, 'chat');
      const read = await Promise.all(
        stores.flatMap((one) => [one.rows(ref('chat'), everyRow), one.rows(ref('chat'), everyRow)]),
      );
      expect(read).toEqual(Array.from({ length: 6 }, () => rows));
      expect(filesIn(archive)).toEqual([]);
    }
  });

  test('erasing says so where the file is gone and the store cannot be written', async () => {
    await course();
    await putAway(store, archive, 'chat');
    const full = withMembers(await openPlain(url), {
      erase: () => Promise.reject(new StoreTroubleError('full', null)),
    });
    open.push(full);
    const behind = withArchive(full, { archive, onLeft: () => {} });
    await expect(behind.erase(ref('chat'))).rejects.toThrow(/removed from the archive.* erase the/);
    expect(filesIn(archive)).toEqual([]);
    expect(await store.erase(ref('chat'))).toBe(true);
    expect(await store.head(ref('chat'))).toBe(null);
  });

  test('erasing removes the file, and what it may have left', async () => {
    await course();
    await putAway(store, archive, 'chat');
    expect(await store.erase(ref('chat'))).toBe(true);
    expect(filesIn(archive)).toEqual([]);
    expect(await store.archived.filesOf(ref('chat'))).toEqual([]);
    expect(await store.head(ref('chat'))).toBe(null);
    expect(await store.erase(ref('chat'))).toBe(false);
    // The id is free.
    expect(await course()).toHaveLength(5);
  });

  test('erasing waits for an archive that is away', async () => {
    await course();
    await putAway(store, archive, 'chat');
    const away: Archive = { place: '', prepare: no, read: no, write: no, remove: no };
    const other = await another(away);
    await expect(other.erase(ref('chat'))).rejects.toThrow('try again');
    await expect((await another(null)).erase(ref('chat'))).rejects.toThrow(
      'set PALIMPSEST_ARCHIVE',
    );
    expect(filesIn(archive)).toHaveLength(1);
    expect(await store.rows(ref('chat'), everyRow)).toHaveLength(5);
  });

  const no = () => Promise.reject(new ArchiveError('unavailable'));

  const SPOILED: [string, (file: string, other: string) => void, string][] = [
    [
      'changed',
      (file) => {
        const bytes = readFileSync(file);
        bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
        writeFileSync(file, bytes);
      },
      'is not what was written',
    ],
    ['cut off', (file) => writeFileSync(file, readFileSync(file).subarray(0, 100)), 'is not what'],
    ['swapped', (file, other) => writeFileSync(file, readFileSync(other)), 'is not what was'],
    ['gone', (file) => rmSync(file), 'that the archive does not have'],
  ];
  test.each(SPOILED)(
    'a file that was %s is refused, and the session stays',
    async (_, spoil, says) => {
      const rows = await course();
      await course('other');
      await putAway(store, archive, 'chat');
      await putAway(store, archive, 'other');
      const [file, other] = [await fileOf('chat'), await fileOf('other')];
      const good = readFileSync(file);
      spoil(file, other);
      await expect(store.rows(ref('chat'), everyRow)).rejects.toThrow(says);
      await expect(store.commit(ref('chat'), append(item('again')), { at: AT })).rejects.toThrow(
        ArchiveError,
      );
      const { problems } = await store.verify();
      expect(problems).toEqual([
        expect.stringMatching(
          /^Session "chat" of tenant "local": the archived file [0-9a-f]{64} is not .*put it back/,
        ),
      ]);
      expect(await isArchived(store, 'chat')).toBe(true);
      writeFileSync(file, good);
      expect(await store.rows(ref('chat'), everyRow)).toEqual(rows);
    },
  );

  test('says so when there is no archive, and when it is away', async () => {
    await course();
    await putAway(store, archive, 'chat');
    const without = await another(null);
    await expect(without.rows(ref('chat'), everyRow)).rejects.toThrow('set PALIMPSEST_ARCHIVE');
    expect((await without.verify()).problems).toEqual([
      expect.stringContaining('is not checked: set PALIMPSEST_ARCHIVE'),
    ]);
    const elsewhere = await another(inFolder(folder, 'not-mounted'));
    await expect(elsewhere.rows(ref('chat'), everyRow)).rejects.toThrow('cannot be reached');
    expect(await store.verify()).toEqual({ sessions: 1, events: 5, problems: [] });
  });

  test('verify compares the file with what the store has of the session', async () => {
    await course();
    await putAway(store, archive, 'chat');
    const plain = await openPlain(url);
    open.push(plain);
    await plain.rebuild();
    expect(await store.verify()).toEqual({ sessions: 1, events: 5, problems: [] });
    expect(await isArchived(store, 'chat')).toBe(true);
  });

  test('reindex writes the index of the rest, and brings nothing back', async () => {
    await write(store, 'away', ['Paint it ultramarine.']);
    await write(store, 'here', ['Paint it vermilion.']);
    const indexer = new Indexer(store, () => {});
    // As if it had been written to meanwhile.
    await store.search.forget(ref('here'));
    await putAway(store, archive, 'away');
    const found = async (token: string) => {
      const documents = await store.search.find({
        scope: { tenant: 'local', session: null },
        filters: {},
        all: [[{ tokens: [token], prefixes: [], sequence: [] }]],
        none: [],
        limit: 5,
      });
      return documents.map(({ session_id }) => session_id);
    };
    expect([await found('ultramarine'), await found('vermilion')]).toEqual([['away'], []]);
    expect(await reindex(store, indexer, () => {})).toEqual({ sessions: 2, documents: 2 });
    expect([await found('ultramarine'), await found('vermilion')]).toEqual([['away'], ['here']]);
    expect(await isArchived(store, 'away')).toBe(true);
    expect(filesIn(archive)).toHaveLength(1);
    const problems: string[] = [];
    for await (const problem of verifySearch(store)) problems.push(problem);
    expect(problems).toEqual([]);
  });

  test('a backup has what the store has, and the archive the rest', async () => {
    await write(store, 'chat', ['one', 'two']);
    await putAway(store, archive, 'chat');
    const { backUp, restore } = await import('../support/backup-lab.ts');
    const file = fresh('backup');
    await backUp(url, file);
    const target = await places[kind === 'sqlite' ? 'postgres' : 'sqlite']();
    expect((await restore(file, target)).problems).toEqual([
      expect.stringContaining('set PALIMPSEST_ARCHIVE'),
    ]);
    const restored = await openWith(target, archive);
    open.push(restored);
    expect(await restored.rows(ref('chat'), everyRow)).toHaveLength(3);
  });
});
