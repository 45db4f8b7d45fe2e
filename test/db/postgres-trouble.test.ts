import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { SessionRef } from '../../src/app/ports/event-store.ts';
import { StoreUnavailableError } from '../../src/app/ports/store-unavailable-error.ts';
import { openPostgresStore, type PostgresStore } from '../../src/db/postgres/postgres-store.ts';
import { accept } from '../../src/domain/session/errors.ts';
import {
  AT,
  append,
  cancelled,
  created,
  item,
  refuse,
  requested,
} from '../contracts/session-events.ts';
import { freshDatabase } from '../support/servers/fresh.ts';
import { ownPostgres } from '../support/servers/postgres.ts';
import type { TestServer } from '../support/servers/test-server.ts';
import { shortestOf } from '../support/shortest-of.ts';
import { CuttingProxy } from './postgres-proxy.ts';

const REF: SessionRef = { tenant: 'acme', session_id: 'first' };
const at = { at: AT };
const keyed = { ...at, idempotency: { key: 'k', fingerprint: 'f' } };

const opened: (() => Promise<void>)[] = [];
/** What the stores told of trouble in the background. */
const told: unknown[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
  told.length = 0;
});

async function open(url: string): Promise<PostgresStore> {
  const store = await openPostgresStore({ url, onError: (error) => told.push(error) });
  opened.push(() => store.close());
  return store;
}

const versions = async (store: PostgresStore) =>
  (await store.events(REF)).map(({ version }) => version);

describe('a connection that breaks', () => {
  async function openThroughProxy() {
    const { url, drop } = await freshDatabase();
    opened.push(drop);
    const { proxy, url: through } = await CuttingProxy.before(url);
    opened.push(() => proxy.close());
    const store = await open(through);
    await store.commit(REF, append(created), at);
    return { proxy, store, through };
  }

  test('before the COMMIT: nothing was written', async () => {
    const { proxy, store } = await openThroughProxy();
    for (const [text, isDelivered] of [
      ['BEGIN', false],
      ['BEGIN', true],
      ['lock_session', true],
    ] as const) {
      proxy.cutAt({ text, isDelivered });
      // What writes nothing is decided under the session's lock.
      const error = await store.commit(REF, append(), at).catch((thrown) => thrown);
      expect(error).toBeInstanceOf(StoreUnavailableError);
      expect(error).toMatchObject({ outcome: 'not_written' });
      expect(error.message).toContain('nothing was written, try again');
      expect(await versions(store)).toEqual([1]);
    }
    const answer = await store.commit(REF, append(item('a')), keyed);
    expect(answer).toEqual(accept({ value: 2, replayed: false }));
  });

  test('before a batch is sent: nothing was written', async () => {
    const { proxy, store, through } = await openThroughProxy();
    await store.commit(REF, append(item('its head is known')), at);
    const other = await open(through);
    proxy.cutAt({ text: 'sessions_of_batch', isDelivered: true });
    const error = await other.commit(REF, append(item('a')), at).catch((thrown) => thrown);
    expect(error).toMatchObject({ name: 'StoreUnavailableError', outcome: 'not_written' });
    expect(await versions(store)).toEqual([1, 2]);
    const answer = await other.commit(REF, append(item('a')), at);
    expect(answer).toEqual(accept({ value: 3, replayed: false }));
  });

  test.each([
    ['before the server has the batch', false, [1]],
    ['after it', true, [1, 2]],
  ] as const)('%s: the outcome is unknown, a retry by key is safe', async (_, isDelivered, log) => {
    const { proxy, store } = await openThroughProxy();
    proxy.cutAt({ text: 'batch', isDelivered });
    const error = await store.commit(REF, append(item('a')), keyed).catch((thrown) => thrown);
    expect(error).toMatchObject({
      name: 'StoreUnavailableError',
      outcome: 'unknown',
      message: expect.stringContaining('same Idempotency-Key'),
    });
    await expect.poll(() => versions(store)).toEqual(log);
    const again = await store.commit(REF, append(item('a')), keyed);
    expect(again).toEqual(accept({ value: 2, replayed: isDelivered }));
    const next = await store.commit(REF, append(item('b')), at);
    expect(next).toEqual(accept({ value: 3, replayed: false }));
    expect((await store.verify()).problems).toEqual([]);
  });

  test('while the COMMIT is under way: the outcome is unknown, a retry by key is safe', async () => {
    const { proxy, store } = await openThroughProxy();
    await store.commit(REF, append(requested('c-1')), at);
    proxy.cutAt({ text: 'COMMIT', isDelivered: true });
    const settled = await Promise.allSettled([
      // The row of a compaction that is there has to be read.
      store.commit(REF, append(cancelled('c-1')), keyed),
      store.commit(REF, append(item('b')), at),
      store.commit(REF, refuse, at),
    ]);
    for (const each of settled) {
      expect(each).toMatchObject({
        status: 'rejected',
        reason: expect.any(StoreUnavailableError),
      });
      expect(each).toMatchObject({
        reason: { outcome: 'unknown', message: expect.stringContaining('same Idempotency-Key') },
      });
    }
    await expect.poll(() => versions(store)).toEqual([1, 2, 3, 4]);
    const again = await store.commit(REF, append(cancelled('c-1')), keyed);
    expect(again).toEqual(accept({ value: 3, replayed: true }));
    expect(await versions(store)).toEqual([1, 2, 3, 4]);
  });

  test('on the way to the COMMIT, which the server never sees: unknown, and not written', async () => {
    const { proxy, store } = await openThroughProxy();
    await store.commit(REF, append(requested('c-1')), at);
    proxy.cutAt({ text: 'COMMIT', isDelivered: false });
    const cancel = append(cancelled('c-1'));
    const error = await store.commit(REF, cancel, keyed).catch((thrown) => thrown);
    expect(error).toMatchObject({ name: 'StoreUnavailableError', outcome: 'unknown' });
    const again = await store.commit(REF, cancel, keyed);
    expect(again).toEqual(accept({ value: 3, replayed: false }));
  });

  test('falls silent: nothing waits for long, and goes on when the server is heard again', async () => {
    const { proxy, store } = await openThroughProxy();
    proxy.isSilent = true;
    const shortest = await shortestOf(10_000, async () => {
      await expect(store.ping()).rejects.toThrow(StoreUnavailableError);
      await expect(store.ping()).rejects.toThrow(StoreUnavailableError);
    });
    expect(shortest).toBeLessThan(10_000);
    proxy.isSilent = false;
    await store.ping();
    const answer = await store.commit(REF, append(item('a')), at);
    expect(answer).toEqual(accept({ value: 2, replayed: false }));
  });

  test('ended by the administrator, at rest or in a transaction: the store goes on', async () => {
    const { url, drop } = await freshDatabase();
    opened.push(drop);
    const store = await open(url);
    await store.commit(REF, append(created), at);
    const client = new Client({ connectionString: url });
    await client.connect();
    opened.push(() => client.end());
    await client.query('BEGIN; SELECT 1 FROM sessions FOR UPDATE');
    const blocked = store.commit(REF, append(item('a')), at);
    const failed = expect(blocked).rejects.toThrow(StoreUnavailableError);
    const endOthers = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`;
    const waiting = `SELECT count(*)::int AS n FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await expect.poll(async () => (await client.query(waiting)).rows).toEqual([{ n: 1 }]);
    await client.query(endOthers);
    await failed;
    await client.query('ROLLBACK');
    const answer = await store.commit(REF, append(item('a')), at);
    expect(answer).toEqual(accept({ value: 2, replayed: false }));
  });
});

describe('a server that is killed', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await ownPostgres();
  });
  afterAll(() => server.dispose());

  test('is said to be away, and the same store works again when it is back', async () => {
    const store = await open(server.url);
    await store.commit(REF, append(created), at);
    let calls = 0;
    store.subscribe(REF, () => {
      calls += 1;
    });
    const acknowledged: number[] = [];
    let refused = 0;
    let isKilled = false;
    const writers = Array.from({ length: 4 }, async () => {
      while (!isKilled || refused === 0) {
        const answer = await store.commit(REF, append(item('a')), at).catch((error) => {
          expect(error).toBeInstanceOf(StoreUnavailableError);
          refused += 1;
        });
        if (answer?.ok) acknowledged.push(answer.value.value);
      }
    });
    await expect.poll(() => acknowledged.length).toBeGreaterThan(20);
    const killed = server.kill().then(() => {
      isKilled = true;
    });
    await Promise.all([...writers, killed]);

    const shortest = await shortestOf(5_000, async () => {
      const calledMeanwhile = await Promise.allSettled([
        store.ping(),
        store.head(REF),
        store.events(REF),
        store.sessions('acme', { limit: 1 }),
        store.compaction(REF, 'c-1'),
        store.pending(1),
        store.erase(REF),
        store.verify(),
        openPostgresStore({ url: server.url, onError: () => {} }),
      ]);
      for (const call of calledMeanwhile) {
        expect(call).toEqual({ status: 'rejected', reason: expect.any(StoreUnavailableError) });
      }
    });
    expect(shortest).toBeLessThan(5_000);
    // The server's processes outlive it for a moment, and so do the connections to them.
    await expect.poll(() => told.length).toBeGreaterThan(0);

    calls = 0;
    await server.start();
    await store.ping();
    const log = await versions(store);
    expect(log).toEqual(log.map((_, i) => i + 1));
    expect(log.length).toBeGreaterThanOrEqual(Math.max(...acknowledged));
    const next = await store.commit(REF, append(item('back')), at);
    expect(next).toEqual(accept({ value: log.length + 1, replayed: false }));
    expect((await store.verify()).problems).toEqual([]);
    // Once for this commit, once because nobody knows what was missed.
    await expect.poll(() => calls).toBe(2);
  });

  test('does not keep a store from closing', async () => {
    const store = await open(server.url);
    await store.ping();
    await server.kill();
    await store.close();
    await server.start();
  });
});
