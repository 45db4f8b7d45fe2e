import { expect, test } from 'vitest';
import type { StoredRow } from '../../src/db/event-codec.ts';
import { KnownRows } from '../../src/db/known-rows.ts';

const REF = { tenant: 'default', session_id: 's' };
const row = (version: number, type = 'compaction.completed', size = 10_000): StoredRow => ({
  version,
  type,
  at: '2026-11-27T00:00:00.000Z',
  schema_version: 3,
  hash: `hash of ${version}`,
  data: 'a'.repeat(size),
});

test('the newest event that may end in a ledger is known, whatever is read after it', () => {
  const known = new KnownRows<StoredRow>();
  const newest = () => known.of(REF)?.row.version;
  known.keep(REF, [row(3), row(9), row(6), row(12, 'item.appended')]);
  expect(newest()).toBe(9);
  known.keep(REF, [row(6)]);
  expect(newest()).toBe(9);
  known.keep(REF, [row(20)]);
  expect(newest()).toBe(20);
  known.keep(REF, [row(30, 'compaction.completed', 100)]);
  expect(newest()).toBe(20);
  known.forget(REF);
  expect(newest()).toBeUndefined();
});
