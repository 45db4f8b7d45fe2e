import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SessionRef } from '../../src/app/ports/event-store.ts';
import { StoreBusyError } from '../../src/app/ports/store-busy-error.ts';
import type { Database } from '../../src/db/sqlite/driver.ts';
import { openSqlite, SQLITE_PACKAGE } from '../../src/db/sqlite/driver.ts';
import { openDatabase } from '../../src/db/sqlite/open-database.ts';
import { openSqliteStore, type SqliteStore } from '../../src/db/sqlite/sqlite-store.ts';
import { accept } from '../../src/domain/session/errors.ts';
import { HEAD_VERSION } from '../../src/domain/session/head.ts';
import { eventStoreContract } from '../contracts/event-store.ts';
import {
  AT,
  append,
  created,
  item,
  packetRequested,
  requested,
} from '../contracts/session-events.ts';
import { STORE_COLUMNS } from '../contracts/store-columns.ts';

const REF: SessionRef = { tenant: 'acme', session_id: 'first' };
const at = { at: AT };

let folder: string;
let path: string;
const opened: { close: () => unknown }[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-store-'));
  path = join(folder, 'data', 'store.db');
});
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
  rmSync(folder, { recursive: true });
});

async function open(): Promise<SqliteStore> {
  const store = await openSqliteStore({ path });
  opened.push(store);
  return store;
}

/** A bare connection to the same file, as another process or a tamperer has one. */
function connect(): Database {
  const db = openDatabase({ path });
  opened.push(db);
  return db;
}

eventStoreContract('SQLite in memory', () => openSqliteStore({ path: ':memory:' }));
eventStoreContract('SQLite in a file', () => openSqliteStore({ path }));

describe('the SQLite file', () => {
  test('can be read by its owner only, and so can its log', async () => {
    const store = await open();
    await store.commit(REF, append(created, item('hello')), at);
    const modes = ['', '-wal', '-shm'].map((end) => statSync(`${path}${end}`).mode & 0o777);
    expect(modes).toEqual([0o600, 0o600, 0o600]);
  });

  test('keeps the rights that somebody has given it', async () => {
    await (await open()).close();
    opened.pop();
    chmodSync(path, 0o640);
    await open();
    expect(statSync(path).mode & 0o777).toBe(0o640);
  });

  test('with a head that is no JSON is told of as damaged, and verify says what cures it', async () => {
    const store = await open();
    await store.commit(REF, append(created, item('hello')), at);
    connect().exec("UPDATE sessions SET state = 'x'");
    const lists = [
      store.sessions('acme', { limit: 1 }),
      store.archived.sizes({ tenant: 'acme', after: 0, limit: 1 }),
    ];
    for (const list of lists) await expect(list).rejects.toMatchObject({ kind: 'damaged' });
    expect((await store.verify()).problems).toEqual([
      expect.stringContaining('"palimpsest verify --rebuild" writes it anew'),
    ]);
    expect((await store.rebuild()).problems).toEqual([]);
    expect((await store.verify()).problems).toEqual([]);
    expect((await store.sessions('acme', { limit: 1 })).data).toHaveLength(1);
  });

  test.each([
    ['that counts its versions', 8],
    ['that does not', 0],
  ])('of another program %s is refused, and stays as it is', async (_, version) => {
    mkdirSync(join(folder, 'data'));
    const foreign = openSqlite(path);
    foreign.exec(`CREATE TABLE places (url TEXT); PRAGMA user_version = ${version}`).close();
    const before = readFileSync(path);
    await expect(open()).rejects.toThrow('it is a database of another program');
    expect(readFileSync(path)).toEqual(before);
  });

  test('is opened although another process that opens it too holds it for a moment', async () => {
    mkdirSync(join(folder, 'data'));
    // Not in WAL mode yet, as a new file is; a thread, because opening holds up this one.
    const holder = new Worker(
      `const { parentPort, workerData } = require('node:worker_threads');
       const db = new (require(workerData.module))(workerData.path);
       db.exec('BEGIN IMMEDIATE; CREATE TABLE t (x)');
       parentPort.postMessage('held');
       Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
       db.exec('ROLLBACK');
       db.close();`,
      {
        eval: true,
        workerData: { path, module: fileURLToPath(import.meta.resolve(SQLITE_PACKAGE)) },
      },
    );
    const exited = once(holder, 'exit');
    await once(holder, 'message');
    const store = await open();
    await exited;
    expect(await store.commit(REF, append(created), at)).toMatchObject({ ok: true });
  });

  test('tells who listens of the commits of another process', async () => {
    const here = await open();
    const there = await open();
    await there.commit(REF, append(created), at);
    const heard = new Promise<void>((resolve) => here.subscribe(REF, resolve));
    await there.commit(REF, append(item('from there')), at);
    await heard;
    expect((await here.head(REF))?.state.version).toBe(2);
  });

  test('everything is there again after a restart', async () => {
    const keyed = { ...at, idempotency: { key: 'k', fingerprint: 'f' } };
    const before = await open();
    await before.commit(REF, append(created, item('a')), keyed);
    await before.commit(REF, append(requested('c-1')), at);
    const events = await before.events(REF);
    const head = await before.head(REF);
    await before.close();

    const after = await open();
    expect(await after.events(REF)).toEqual(events);
    expect(await after.head(REF)).toEqual(head);
    expect(await after.pending(10)).toEqual([{ ref: REF, compaction_id: 'c-1', requested_at: AT }]);
    const again = await after.commit(REF, append(item('a')), keyed);
    expect(again).toEqual(accept({ value: 2, replayed: true }));
    await after.commit(REF, append(item('b')), at);
    expect(await after.verify()).toEqual({ sessions: 1, events: 4, problems: [] });
  });

  test.each([
    [undefined, 2],
    ['FULL' as const, 2],
    ['NORMAL' as const, 1],
  ])(
    'synchronous %s is in force on every connection, also on a file that exists',
    (option, expected) => {
      for (const _ of ['new file', 'existing file']) {
        const db = openDatabase({ path, ...(option && { synchronous: option }) });
        opened.push(db);
        const pragma = (name: string) => db.pragma(name, { simple: true });
        expect(pragma('synchronous')).toBe(expected);
        expect(pragma('journal_mode')).toBe('wal');
        expect(pragma('foreign_keys')).toBe(1);
        expect(pragma('busy_timeout')).toBe(5_000);
        db.close();
      }
    },
  );

  test('heads that an older release has written are computed anew at the opening', async () => {
    const before = await open();
    await before.commit(REF, append(created, item('a'), packetRequested(50)), at);
    const head = await before.head(REF);
    await before.close();
    const db = connect();
    db.exec(
      `UPDATE sessions SET state = '{}', wake_at_ms = NULL; UPDATE head_version SET version = 1`,
    );

    const after = await open();
    expect(await after.head(REF)).toEqual(head);
    expect(await after.due(50, 1)).toEqual([REF]);
    expect(db.prepare('SELECT version FROM head_version').pluck().all()).toEqual([HEAD_VERSION]);
    expect(await after.verify()).toEqual({ sessions: 1, events: 3, problems: [] });
  });

  test('whoever renews heads is told that a log is damaged', async () => {
    await (await open()).commit(REF, append(created, item('kept')), at);
    const db = connect();
    db.exec(`UPDATE events SET data = '{}' WHERE version = 2; UPDATE head_version SET version = 1`);
    const told: number[] = [];
    const onDamage = (problems: number) => told.push(problems);
    opened.push(await openSqliteStore({ path, onDamage }));
    opened.push(await openSqliteStore({ path, onDamage }));
    // Its hash and its shape; the second time the heads are those of this release.
    expect(told).toEqual([2]);
  });

  test('heads of this release are left as they are', async () => {
    await (await open()).commit(REF, append(created), at);
    connect().exec(`UPDATE sessions SET state = replace(state, '"items":0', '"items":7')`);
    expect((await (await open()).head(REF))?.state.items).toBe(7);
  });

  test('a file that a newer release has migrated is refused and left alone', async () => {
    const db = connect();
    const known = Number(db.pragma('user_version', { simple: true }));
    expect(known).toBeGreaterThan(0);
    db.pragma('user_version = 999');
    await expect(openSqliteStore({ path })).rejects.toThrow(
      `schema version 999, this release of Palimpsest knows ${known}`,
    );
    expect(db.pragma('user_version', { simple: true })).toBe(999);
  });

  test.each(Object.entries(STORE_COLUMNS))(
    'the migrations make the columns that queries expect: %s',
    (table, expected) => {
      type Column = { name: string; type: string; notnull: number; pk: number };
      const columns = connect().pragma(`table_info(${table})`) as Column[];
      const found = columns.map(({ name, type, notnull, pk }) => {
        const mayBeNull = notnull === 0 && pk === 0;
        return `${name} ${type.toLowerCase()}${mayBeNull ? '?' : ''}`;
      });
      // SQLite has one type for all whole numbers.
      expect(found).toEqual(expected.map((column) => column.replace('bigint', 'integer')));
    },
  );
});

describe('two connections to one file', () => {
  test('each sees what the other has written, in heads and in commands', async () => {
    const [one, two] = [await open(), await open()];
    await one.commit(REF, append(created), at);
    for (let round = 0; round < 5; round++) {
      const first = await one.commit(REF, append(item('from one')), at);
      expect(first).toEqual(accept({ value: 2 * round + 2, replayed: false }));
      expect((await two.head(REF))?.state.version).toBe(2 * round + 2);
      const second = await two.commit(REF, append(item('from two')), at);
      expect(second).toEqual(accept({ value: 2 * round + 3, replayed: false }));
      expect((await one.head(REF))?.state.version).toBe(2 * round + 3);
    }
    expect((await one.verify()).problems).toEqual([]);
  });

  test('an erasure and a new session of the same id are seen by the other', async () => {
    const [one, two] = [await open(), await open()];
    await one.commit(REF, append(created, item('a')), at);
    expect((await two.head(REF))?.state.version).toBe(2);
    await one.erase(REF);
    await one.commit({ ...REF, session_id: 'second' }, append(created), at);
    await one.commit(REF, append(created), at);
    const next = await two.commit(REF, append(item('b')), at);
    expect(next).toEqual(accept({ value: 2, replayed: false }));
    expect((await two.verify()).problems).toEqual([]);
  });

  test('a lock that is held for too long is an error of its own, and nothing is written', async () => {
    const store = await open();
    await store.commit(REF, append(created), at);
    const holder = connect();
    holder.exec('BEGIN IMMEDIATE');
    const blocked = await Promise.allSettled([
      store.commit(REF, append(item('a')), at),
      store.commit(REF, append(item('b')), at),
      store.erase({ ...REF, session_id: 'second' }),
    ]);
    for (const each of blocked) {
      expect(each).toMatchObject({ status: 'rejected', reason: expect.any(StoreBusyError) });
    }
    holder.exec('ROLLBACK');
    const answer = await store.commit(REF, append(item('a')), at);
    expect(answer).toEqual(accept({ value: 2, replayed: false }));
  });
});

describe('a group of commands', () => {
  const refuseItems = (db: Database, containing: string) =>
    db.exec(
      `CREATE TRIGGER refuse_items BEFORE INSERT ON events WHEN NEW.data LIKE '%${containing}%'
       BEGIN SELECT RAISE(ABORT, 'refused by the test'); END`,
    );

  test('loses only the command whose statement fails', async () => {
    const store = await open();
    refuseItems(connect(), 'poison');
    const second = { ...REF, session_id: 'second' };
    const settled = await Promise.allSettled([
      store.commit(REF, append(created, item('a')), at),
      store.commit(second, append(created, item('poison')), at),
      store.commit(REF, append(item('poison')), at),
      store.commit(REF, append(item('b')), at),
    ]);
    expect(settled).toMatchObject([
      { value: accept({ value: 2, replayed: false }) },
      { reason: { message: 'refused by the test' } },
      { reason: { message: 'refused by the test' } },
      { value: accept({ value: 3, replayed: false }) },
    ]);
    expect(await store.head(second)).toBeNull();
    expect((await store.head(REF))?.state.items).toBe(2);
    expect((await store.verify()).problems).toEqual([]);
  });

  test('answers nobody before the commit, and everybody in the same turn', async () => {
    const store = await open();
    const reader = connect().prepare('SELECT count(*) FROM events').pluck();
    const counts = await Promise.all(
      ['a', 'b', 'c'].map((session_id) =>
        store.commit({ tenant: 'acme', session_id }, append(created), at).then(() => reader.get()),
      ),
    );
    expect(counts).toEqual([3, 3, 3]);
  });
});
