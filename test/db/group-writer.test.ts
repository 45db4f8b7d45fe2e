import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Database } from '../../src/db/sqlite/driver.ts';
import { SqliteGatewayKeys } from '../../src/db/sqlite/gateway-keys.ts';
import { GroupWriter } from '../../src/db/sqlite/group-writer.ts';
import { openDatabase } from '../../src/db/sqlite/open-database.ts';
import type { Tables } from '../../src/db/sqlite/write-session.ts';

/** Writes that have a transaction of their own touch none of them. */
const NO_TABLES = {} as Tables;
const FULL = 2;
const NORMAL = 1;

let folder: string;
let db: Database;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-test-'));
});
afterEach(() => {
  db.close();
  rmSync(folder, { recursive: true, force: true });
});

function writer(synchronous: 'FULL' | 'NORMAL'): GroupWriter {
  db = openDatabase({ path: join(folder, 'test.db'), synchronous });
  return new GroupWriter(db, NO_TABLES, { onCommitted: () => {}, onTrouble: () => {} });
}

const inForce = () => db.pragma('synchronous', { simple: true });

it('what need not be durable by itself is not synced, and everything after it is', async () => {
  const own = writer('FULL');
  expect(await own.alone(inForce, { isDurable: false })).toBe(NORMAL);
  expect(await own.alone(inForce)).toBe(FULL);
  const failed = () => {
    throw new Error('a statement failed');
  };
  await expect(own.alone(failed, { isDurable: false })).rejects.toThrow('a statement failed');
  expect(inForce()).toBe(FULL);
  await own.close();
});

it('what the operator has chosen stays in force', async () => {
  const own = writer('NORMAL');
  await own.alone(inForce, { isDurable: false });
  expect(inForce()).toBe(NORMAL);
  await own.close();
});

it('keys of the gateway are not synced by themselves', async () => {
  const own = writer('FULL');
  const seen: unknown[] = [];
  const spied: Pick<GroupWriter, 'alone'> = {
    alone: (write, options) =>
      own.alone(() => {
        seen.push(inForce());
        return write();
      }, options),
  };
  await new SqliteGatewayKeys(db, spied).note({ tenant: 't', session_id: 's' }, [
    { key: 'k', version: null },
  ]);
  expect(seen).toEqual([NORMAL]);
  await own.close();
});
