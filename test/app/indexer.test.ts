import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { SessionRef } from '../../src/app/ports/event-store.ts';
import type { SearchableStore } from '../../src/app/ports/search-index.ts';
import { Indexer } from '../../src/app/search/indexer.ts';
import { reindex, verifySearch } from '../../src/app/search/verify-search.ts';
import { openDatabase } from '../../src/db/sqlite/open-database.ts';
import { SqliteStore } from '../../src/db/sqlite/sqlite-store.ts';
import { AT, append, created, item } from '../contracts/session-events.ts';

const REF = { tenant: 'acme', session_id: 'first' };
const at = { at: AT };

let store: SearchableStore;
let execute: (sql: string) => unknown;
let indexer: Indexer;
beforeEach(async () => {
  const db = openDatabase({ path: ':memory:' });
  execute = (sql) => db.exec(sql);
  store = new SqliteStore(db);
  indexer = new Indexer(store, (error) => {
    throw error;
  });
  await store.commit(REF, append(created, item('one flamingo'), item('two herons')), at);
});
afterEach(async () => {
  await indexer.stop();
  await store.close();
});

const indexed = async () => (await store.search.position(REF))?.indexed;
const problems = async () => {
  const found: string[] = [];
  for await (const problem of verifySearch(store)) found.push(problem);
  return found;
};

describe('an indexer', () => {
  test('indexes what was there when it starts, and what comes then', async () => {
    indexer.start();
    await expect.poll(indexed).toBe(3);
    await store.commit(REF, append(item('three storks')), at);
    await expect.poll(indexed).toBe(4);
    expect(await store.search.size({ tenant: 'acme', session: null })).toBe(3);
  });

  test('a session that cannot be read holds up no other', async () => {
    execute("UPDATE events SET data = 'x' WHERE version = 2");
    const other = { ...REF, session_id: 'second' };
    await store.commit(other, append(created, item('a stork')), at);
    const errors: unknown[] = [];
    const own = new Indexer(store, (error) => errors.push(error));
    own.start();
    await expect.poll(async () => (await store.search.position(other))?.indexed).toBe(2);
    expect(errors).toHaveLength(1);
    expect(await indexed()).toBe(0);
    await own.stop();
  });

  test('remembers no more sessions than it can, and finds the others all the same', async () => {
    let hear: (ref: SessionRef) => void = () => {};
    vi.spyOn(store, 'hear').mockImplementation((listener) => {
      hear = listener;
      return () => {};
    });
    const own = new Indexer(store, () => {});
    own.start();
    await expect.poll(indexed).toBe(3);
    await store.commit(REF, append(item('three storks')), at);
    for (let n = 0; n < 30_000; n += 1) hear({ tenant: 'nobody', session_id: `none-${n}` });
    hear(REF);
    expect(own.waiting().sessions).toBeLessThanOrEqual(10_000);
    // Ten thousand sessions that are not there are looked for first.
    await expect.poll(indexed, { timeout: 120_000 }).toBe(4);
    await own.stop();
  });

  test('goes on after an error of the store', async () => {
    const errors: unknown[] = [];
    const find = vi.spyOn(store.search, 'behind').mockRejectedValueOnce(new Error('away'));
    const own = new Indexer(store, (error) => errors.push(error));
    own.start();
    await expect.poll(indexed).toBe(3);
    expect(errors).toEqual([new Error('away')]);
    find.mockRestore();
    await own.stop();
  });
});

describe('an indexer with another thread at hand', () => {
  test('leaves large events to it, and no others', async () => {
    const large = `stork ${'x'.repeat(1_000_000)}`;
    await store.commit(REF, append(item(large), item('three storks'), item(large)), at);
    const asked: SessionRef[] = [];
    const own = new Indexer(
      store,
      () => {},
      (ref) => {
        asked.push(ref);
        return indexer.advance(ref);
      },
    );
    expect(await own.catchUp(REF, Number.POSITIVE_INFINITY)).toBe(true);
    expect(asked).toEqual([REF, REF]);
    expect(await indexed()).toBe(6);
    expect(await problems()).toEqual([]);
  });
});

describe('a text that takes many writes', () => {
  const pieces = Array.from({ length: 12 }, (_, piece) =>
    Array.from({ length: 4_000 }, (_, word) => `w${piece}x${word}`).join(' '),
  );

  test('is found after an indexer died half-way, and is no difference till then', async () => {
    await store.commit(REF, append(item(pieces.join(' ')), item('a stork')), at);
    const write = store.search.write.bind(store.search);
    const broken = vi
      .spyOn(store.search, 'write')
      .mockImplementation(async (ref, from, ...rest) => {
        if (from.begun > 3) throw new Error('killed');
        return write(ref, from, ...rest);
      });
    const died = new Indexer(store, () => {}).catchUp(REF, Number.POSITIVE_INFINITY);
    await expect(died).rejects.toThrow('killed');
    broken.mockRestore();
    const half = await store.search.position(REF);
    expect(half?.begun).toBeGreaterThan(3);
    expect(await problems()).toEqual([]);

    await indexer.catchUp(REF, Number.POSITIVE_INFINITY);
    const whole = await store.search.position(REF);
    expect(whole).toMatchObject({ indexed: 5, begun: 0 });
    expect(whole?.documents).toBeGreaterThan(half?.documents ?? 0);
    expect(await problems()).toEqual([]);
    const found = await store.search.find({
      scope: { tenant: 'acme', session: null },
      filters: {},
      all: [[{ tokens: ['w11x3'], prefixes: [], sequence: [] }]],
      none: [],
      limit: 10,
    });
    expect(found.map(({ seq }) => seq)).toEqual([4]);
  });

  test('is written by one of two that come at once', async () => {
    await store.commit(REF, append(item(pieces.join(' '))), at);
    const other = new Indexer(store, () => {});
    await Promise.all([indexer, other].map((own) => own.catchUp(REF, Number.POSITIVE_INFINITY)));
    expect(await problems()).toEqual([]);
  });
});

describe('a search index that was tampered with', () => {
  const said = (what: string) => [
    `Session "first" of tenant "acme": the search index differs from the log ${what}: "palimpsest reindex" writes it anew.`,
  ];
  beforeEach(() => indexer.catchUp(REF, Number.POSITIVE_INFINITY));

  test.each([
    [
      'a document of another kind',
      "UPDATE search_documents SET kind = 'summary' WHERE seq = 2",
      'at seq 2',
    ],
    ['a document that is missing', 'DELETE FROM search_documents WHERE seq = 3', 'at seq 3'],
    ['tokens that are missing', 'DELETE FROM search_tokens WHERE rowid % 2 = 1', 'at seq 3'],
    [
      'a wrong count',
      'UPDATE search_sessions SET documents = 7',
      'in the number of its documents, 7 for 2',
    ],
  ])('%s is found, and mended', async (_what, tampering, where) => {
    expect(await problems()).toEqual([]);
    execute(tampering);
    expect(await problems()).toEqual(said(where));
    expect(await reindex(store, indexer, () => {})).toEqual({ sessions: 1, documents: 2 });
    expect(await problems()).toEqual([]);
  });

  test('what is not indexed yet is no difference', async () => {
    await store.commit(REF, append(item('three storks')), at);
    expect(await problems()).toEqual([]);
  });

  test('a damaged log is told of', async () => {
    execute("UPDATE events SET data = 'x' WHERE version = 2");
    expect(await problems()).toEqual([
      'Session "first" of tenant "acme": the search index cannot be compared with the log, which is damaged.',
    ]);
  });
});
