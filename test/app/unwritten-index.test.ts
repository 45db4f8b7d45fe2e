import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { SearchableStore } from '../../src/app/ports/search-index.ts';
import { StoreBusyError } from '../../src/app/ports/store-busy-error.ts';
import { StoreTroubleError } from '../../src/app/ports/store-trouble-error.ts';
import { Indexer } from '../../src/app/search/indexer.ts';
import { search } from '../../src/app/search/search.ts';
import { openDatabase } from '../../src/db/sqlite/open-database.ts';
import { SqliteStore } from '../../src/db/sqlite/sqlite-store.ts';
import { AT, append, created, item } from '../contracts/session-events.ts';

const REF = { tenant: 'acme', session_id: 'first' };

let db: ReturnType<typeof openDatabase>;
let store: SearchableStore;
let indexer: Indexer;
beforeEach(async () => {
  db = openDatabase({ path: ':memory:' });
  store = new SqliteStore(db);
  indexer = new Indexer(store, () => {});
  await store.commit(REF, append(created, item('one flamingo')), { at: AT });
  await indexer.catchUp(REF, Number.POSITIVE_INFINITY);
  await store.commit(REF, append(item('two flamingos')), { at: AT });
});
afterEach(async () => {
  await indexer.stop();
  await store.close();
});

/** What is found of the flamingos, and whether that is all. */
async function found(session_id: string | null, request: { q: string } | { regex: string }) {
  const answer = await search({ store, indexer }, REF.tenant, session_id, {
    ...request,
    limit: 10,
  });
  if (!answer.ok) throw new Error(answer.rejection.code);
  return { seqs: answer.value.data.map(({ seq }) => seq), is_complete: answer.value.is_complete };
}

describe('a search where the index cannot be written', () => {
  test.each([[null], ['first']])('of a store that can only be read, in %s', async (session_id) => {
    db.pragma('query_only = 1');
    expect(await found(session_id, { q: 'flamingo*' })).toEqual({ seqs: [2], is_complete: false });
    db.pragma('query_only = 0');
    const all = await found(session_id, { q: 'flamingo*' });
    expect({ ...all, seqs: all.seqs.sort() }).toEqual({ seqs: [2, 3], is_complete: true });
  });

  test.each([
    ['a full disk', new StoreTroubleError('full', null)],
    ['another writer', new StoreBusyError(null)],
  ])('because of %s', async (_name, error) => {
    const write = vi.spyOn(store.search, 'write').mockRejectedValue(error);
    expect(await found(null, { q: 'flamingo*' })).toEqual({ seqs: [2], is_complete: false });
    write.mockRestore();
  });

  test('a damaged store is told', async () => {
    const damaged = new StoreTroubleError('damaged', null);
    const write = vi.spyOn(store.search, 'write').mockRejectedValue(damaged);
    await expect(found(null, { q: 'flamingo*' })).rejects.toBe(damaged);
    write.mockRestore();
  });
});
