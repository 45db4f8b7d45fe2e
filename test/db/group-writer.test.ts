import { mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import { type Database, openSqlite } from '../../src/db/sqlite/driver.ts';
import { SqliteGatewayKeys } from '../../src/db/sqlite/gateway-keys.ts';
import { GroupWriter } from '../../src/db/sqlite/group-writer.ts';
import { LogSync } from '../../src/db/sqlite/log-sync.ts';
import { openDatabase } from '../../src/db/sqlite/open-database.ts';
import { openSqliteStore, type SqliteStore } from '../../src/db/sqlite/sqlite-store.ts';
import type { Tables } from '../../src/db/sqlite/write-session.ts';
import { accept } from '../../src/domain/session/errors.ts';
import { AT, append, created, item } from '../contracts/session-events.ts';

/** Writes that have a transaction of their own touch none of them. */
const NO_TABLES = {} as Tables;
const REF = { tenant: 'acme', session_id: 'first' };
const at = { at: AT };

let folder: string;
let path: string;
/** What syncs the write-ahead log to the disk. */
let sync: MockInstance<FileHandle['datasync']>;
const opened: { close: () => unknown }[] = [];
/** Ends syncs that a test has held up. */
const ends: (() => void)[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-test-'));
  path = join(folder, 'test.db');
  const handle = await open(join(folder, 'any'), 'w');
  sync = vi.spyOn(Object.getPrototypeOf(handle), 'datasync');
  await handle.close();
});
afterEach(async () => {
  for (const end of ends.splice(0)) end();
  for (const each of opened.splice(0)) await each.close();
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

function writer(synchronous: 'FULL' | 'NORMAL'): { own: GroupWriter; db: Database } {
  const db = openDatabase({ path, synchronous });
  const own = new GroupWriter(db, NO_TABLES, { onCommitted: () => {}, onTrouble: () => {} });
  opened.push(own, db);
  return { own, db };
}

async function openStore(file = path): Promise<SqliteStore> {
  const store = await openSqliteStore({ path: file });
  opened.push(store);
  return store;
}

/** The disk takes its time: answers what lets the syncs end that have begun, and those after them. */
function slowDisk(): () => void {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  sync.mockImplementation(() => ended);
  ends.push(end);
  return end;
}

/** Whether it is settled when everything else that can happen has happened. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const note = () => {
    settled = true;
  };
  promise.then(note, note);
  for (let turn = 0; turn < 20; turn++) await nextTurn();
  return settled;
}

describe('what is answered', () => {
  it('is on the disk, and other work goes on until then', async () => {
    const store = await openStore();
    await store.commit(REF, append(created), at);
    const end = slowDisk();
    const first = store.commit(REF, append(item('a')), at);
    expect(await isSettled(first)).toBe(false);
    // It is written, and others follow it; a listener is told when it is sure.
    const heard = vi.fn();
    store.subscribe(REF, heard);
    const second = store.commit(REF, append(item('b')), at);
    expect(await isSettled(second)).toBe(false);
    expect((await store.head(REF))?.state.version).toBe(3);
    expect(heard).not.toHaveBeenCalled();
    end();
    expect(await first).toEqual(accept({ value: 2, replayed: false }));
    expect(await second).toEqual(accept({ value: 3, replayed: false }));
    expect(heard).toHaveBeenCalled();
  });

  it('shares a sync with what was committed while the one before was under way', async () => {
    const store = await openStore();
    await store.commit(REF, append(created), at);
    sync.mockClear();
    const end = slowDisk();
    const all: Promise<unknown>[] = [];
    for (let index = 0; index < 10; index++) {
      all.push(store.commit(REF, append(item(`${index}`)), at));
      for (let turn = 0; turn < 5; turn++) await nextTurn();
    }
    end();
    await Promise.all(all);
    expect(sync).toHaveBeenCalledTimes(2);
  });

  it('is on the disk also where it is an answer given again, or a refusal', async () => {
    const store = await openStore();
    await store.commit(REF, append(created), at);
    const end = slowDisk();
    const keyed = { at: AT, idempotency: { key: 'k', fingerprint: 'f' } };
    const first = store.commit(REF, append(item('a')), keyed);
    expect(await isSettled(first)).toBe(false);
    const again = store.commit(REF, append(item('a')), keyed);
    expect(await isSettled(again)).toBe(false);
    end();
    expect(await again).toEqual(accept({ value: 2, replayed: true }));
  });

  it('is erased on the disk', async () => {
    const store = await openStore();
    await store.commit(REF, append(created), at);
    const end = slowDisk();
    const erased = store.erase(REF);
    expect(await isSettled(erased)).toBe(false);
    end();
    expect(await erased).toBe(true);
  });

  it('is synced in the log beside the database, not beside a link to it', async () => {
    const link = join(folder, 'link.db');
    await (await openStore()).commit(REF, append(created), at);
    symlinkSync(path, link);
    const store = await openStore(link);
    sync.mockClear();
    expect(await store.commit(REF, append(item('a')), at)).toMatchObject({ ok: true });
    expect(sync).toHaveBeenCalledTimes(1);
  });
});

describe('a disk that refuses a sync', () => {
  const refused = Object.assign(new Error('i/o error'), { code: 'EIO' });

  it('is told to who waits; what came before is written anew as soon as it can be', async () => {
    const onTrouble = vi.fn();
    const store = await openSqliteStore({ path, onTrouble });
    opened.push(store);
    await store.commit(REF, append(created), at);
    sync.mockRejectedValue(refused);
    await expect(store.commit(REF, append(item('a')), at)).rejects.toThrow(
      'whether the last command was written is not known',
    );
    expect(onTrouble).toHaveBeenCalledOnce();
    await expect(store.ping()).rejects.toThrow('cannot be reached');
    sync.mockRestore();
    await store.ping();
    // SQLite has copied the log into the database, and synced that.
    expect(statSync(`${path}-wal`).size).toBeLessThan(10_000);
    expect(await store.commit(REF, append(item('b')), at)).toEqual(
      accept({ value: 3, replayed: false }),
    );
    expect(await store.verify()).toEqual({ sessions: 1, events: 3, problems: [] });
  });

  it('and a log that could not be opened is tried again', async () => {
    const db = openSqlite(path);
    const log = new LogSync(db);
    opened.push(log, db);
    await expect(log.durable()).rejects.toThrow('is not known');
    db.pragma('journal_mode = WAL');
    db.exec('CREATE TABLE t (a)');
    await expect(log.durable()).resolves.toBeUndefined();
  });

  it('is in doubt for as long as the log cannot be written anew', async () => {
    const store = await openStore();
    await store.commit(REF, append(created), at);
    sync.mockRejectedValueOnce(refused);
    await expect(store.commit(REF, append(item('a')), at)).rejects.toThrow('is not known');
    const reader = openDatabase({ path });
    opened.push(reader);
    reader.pragma('busy_timeout = 0');
    reader.exec('BEGIN; SELECT * FROM events');
    await expect(store.commit(REF, append(item('b')), at)).rejects.toThrow('is not known');
    reader.exec('COMMIT');
    expect(await store.commit(REF, append(item('c')), at)).toMatchObject({ ok: true });
  });
});

describe('what is not synced by itself', () => {
  it('need not be durable; everything after it is', async () => {
    const { own } = writer('FULL');
    const end = slowDisk();
    expect(await own.alone(() => 1, { isDurable: false })).toBe(1);
    expect(sync).not.toHaveBeenCalled();
    const durable = own.alone(() => 2);
    expect(await isSettled(durable)).toBe(false);
    end();
    expect(await durable).toBe(2);
    const failed = () => {
      throw new Error('a statement failed');
    };
    await expect(own.alone(failed, { isDurable: false })).rejects.toThrow('a statement failed');
  });

  it('what the operator does not want synced', async () => {
    const { own } = writer('NORMAL');
    expect(await own.alone(() => 1)).toBe(1);
    expect(sync).not.toHaveBeenCalled();
  });

  it('keys of the gateway', async () => {
    const { own, db } = writer('FULL');
    await new SqliteGatewayKeys(db, own).note({ tenant: 't', session_id: 's' }, [
      { key: 'k', version: null },
    ]);
    expect(sync).not.toHaveBeenCalled();
  });
});
