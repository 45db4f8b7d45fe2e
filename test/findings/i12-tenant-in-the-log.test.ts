import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/db/sqlite/open-database.ts';
import { openSqliteStore } from '../../src/db/sqlite/sqlite-store.ts';
import { append, created, item } from '../contracts/session-events.ts';
import { AT } from '../support/given.ts';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'palimpsest-tenant-'));
  path = join(folder, 'palimpsest.db');
  const store = await openSqliteStore({ path });
  await store.commit({ tenant: 'acme', session_id: 's' }, append(created, item('hello')), {
    at: AT,
  });
  await store.close();
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function problems(): Promise<string[]> {
  const store = await openSqliteStore({ path });
  try {
    return (await store.verify()).problems;
  } finally {
    await store.close();
  }
}

describe('I12: a session that is moved to another tenant in the database', () => {
  it('is found by verify', async () => {
    expect(await problems()).toEqual([]);
    const db = openDatabase({ path });
    db.pragma('foreign_keys = OFF');
    for (const table of ['sessions', 'events']) db.exec(`UPDATE ${table} SET tenant = 'thief'`);
    db.close();
    expect((await problems())[0]).toMatch(/tenant "thief".*does not match its hash/);
  });
});
