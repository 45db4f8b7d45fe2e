import { expect, test, vi } from 'vitest';
import { SQLITE_PACKAGE } from '../../src/db/sqlite/driver.ts';
import { describeDatabase, openStore } from '../../src/open-store.ts';

const load = vi.hoisted(() => vi.fn());
vi.mock('node:module', async (original) => {
  const module = await original<typeof import('node:module')>();
  const createRequire = (from: string | URL) =>
    String(from).endsWith('/driver.ts') ? load : module.createRequire(from);
  return { ...module, createRequire };
});

const database = { kind: 'sqlite', path: ':memory:', synchronous: 'FULL' } as const;

function failing(message: string, code?: string): Error {
  return Object.assign(new Error(message), code === undefined ? {} : { code });
}

test('whoever opens no file does not need SQLite', () => {
  expect(describeDatabase({ kind: 'postgres', url: 'postgres://me:x@one:1,two:2/db' })).toBe(
    'postgres://one:1,two:2/db',
  );
  expect(describeDatabase({ kind: 'postgres', url: 'postgres://me:x@host/db' })).toBe(
    'postgres://host/db',
  );
  expect(load).not.toHaveBeenCalled();
});

test.each([
  ['is not installed', failing(`Cannot find module '${SQLITE_PACKAGE}'`, 'MODULE_NOT_FOUND')],
  ['was never compiled', failing('Could not locate the bindings file. Tried:')],
  ['was compiled for another Node', failing('NODE_MODULE_VERSION 115', 'ERR_DLOPEN_FAILED')],
])('says what to do when SQLite %s', async (_, error) => {
  load.mockImplementation(() => {
    throw error;
  });
  await expect(openStore(database, () => {})).rejects.toThrow(
    `DATABASE_URL: :memory: cannot be opened: the package ${SQLITE_PACKAGE} is not installed, or not ` +
      'compiled. On Node 20 it has to be compiled: install python3, make and g++',
  );
});
