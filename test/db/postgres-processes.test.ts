import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SessionRef } from '../../src/app/ports/event-store.ts';
import { StoreBusyError } from '../../src/app/ports/store-busy-error.ts';
import { openPostgresStore, type PostgresStore } from '../../src/db/postgres/postgres-store.ts';
import { accept } from '../../src/domain/session/errors.ts';
import { AT, append, created, item, requested } from '../contracts/session-events.ts';
import { freshDatabase } from '../support/servers/fresh.ts';

const REF: SessionRef = { tenant: 'acme', session_id: 'first' };
const at = { at: AT };
const other = (session_id: string): SessionRef => ({ tenant: 'acme', session_id });

let url: string;
let drop: () => Promise<void>;
/** Two stores, as two processes have them, and a bare connection beside them. */
let one: PostgresStore;
let two: PostgresStore;
let client: Client;
/** What the stores told of trouble in the background. */
let told: unknown[];

beforeEach(async () => {
  ({ url, drop } = await freshDatabase());
  told = [];
  const open = () => openPostgresStore({ url, onError: (error) => told.push(error) });
  [one, two] = await Promise.all([open(), open()]);
  client = new Client({ connectionString: url });
  await client.connect();
});
afterEach(async () => {
  await client.end();
  await Promise.all([one.close(), two.close()]);
  await drop();
});

describe('two processes on one database', () => {
  test('append to one session at once: every append is there, in one order', async () => {
    const texts = (who: string) => Array.from({ length: 200 }, (_, i) => `${who} ${i}`);
    await one.commit(REF, append(created), at);
    const answers = await Promise.all(
      [one, two].flatMap((store, who) =>
        texts(String(who)).map(async (text) => {
          const answer = await store.commit(REF, append(item(text)), at);
          return { text, version: answer.ok ? answer.value.value : null };
        }),
      ),
    );
    const events = await two.events(REF, { after: 1 });
    expect(events.map(({ version }) => version)).toEqual(
      Array.from({ length: 400 }, (_, i) => i + 2),
    );
    const log = events.map(({ version, data }) => ({ version, data }));
    const acknowledged = answers.map(({ text, version }) => ({ version, data: item(text).data }));
    expect(log).toEqual(acknowledged.toSorted((a, b) => Number(a.version) - Number(b.version)));
    // Of one process, in the order in which they were handed in.
    const ofOne = answers.slice(0, 200).map(({ version }) => Number(version));
    expect(ofOne).toEqual(ofOne.toSorted((a, b) => a - b));
    expect(await one.verify()).toEqual({ sessions: 1, events: 401, problems: [] });
    expect(told).toEqual([]);
  });

  test('create one session at once: the second finds the first', async () => {
    for (let round = 0; round < 20; round += 1) {
      const ref = other(`round-${round}`);
      const answers = await Promise.all(
        [one, two].map((store) =>
          store.commit(
            ref,
            (head) =>
              accept({
                events: head === null ? [created, item('mine')] : [item('yours')],
                value: (after) => after.state.version,
              }),
            at,
          ),
        ),
      );
      const values = answers.map((answer) => (answer.ok ? answer.value.value : null));
      expect(values.toSorted()).toEqual([2, 3]);
    }
    expect(await one.verify()).toEqual({ sessions: 20, events: 60, problems: [] });
  });

  test('one idempotency key in both appends once', async () => {
    await one.commit(REF, append(created), at);
    const keyed = { ...at, idempotency: { key: 'k', fingerprint: 'f' } };
    const answers = await Promise.all(
      [one, two, one, two].map((store) => store.commit(REF, append(item('a')), keyed)),
    );
    expect(answers.map((answer) => answer.ok && answer.value.value)).toEqual([2, 2, 2, 2]);
    const replayed = answers.filter((answer) => answer.ok && answer.value.replayed);
    expect(replayed).toHaveLength(3);
  });

  test('more sessions at once than there are connections', async () => {
    const answers = await Promise.all(
      Array.from({ length: 150 }, (_, i) =>
        one.commit(other(`s${i % 50}`), append(...(i < 50 ? [created] : []), item(`${i}`)), at),
      ),
    );
    expect(answers.every(({ ok }) => ok)).toBe(true);
    expect(await one.verify()).toEqual({ sessions: 50, events: 200, problems: [] });
  });

  test('a session that is held for too long is an error of its own, and others go on', async () => {
    await one.commit(REF, append(created), at);
    await client.query('BEGIN; SELECT 1 FROM sessions FOR UPDATE');
    const blocked = Promise.allSettled([
      one.commit(REF, append(item('a')), at),
      one.commit(REF, append(item('b')), at),
    ]);
    const elsewhere = await one.commit(other('second'), append(created), at);
    expect(elsewhere).toEqual(accept({ value: 1, replayed: false }));
    for (const each of await blocked) {
      expect(each).toMatchObject({ status: 'rejected', reason: expect.any(StoreBusyError) });
    }
    await client.query('ROLLBACK');
    const answer = await one.commit(REF, append(item('a')), at);
    expect(answer).toEqual(accept({ value: 2, replayed: false }));
  });

  test('an erasure and a new session of the same id are seen by the other', async () => {
    await one.commit(REF, append(created, requested('c-1')), at);
    expect((await two.head(REF))?.state.version).toBe(2);
    await one.erase(REF);
    expect(await two.head(REF)).toBeNull();
    await one.commit(REF, append(created), at);
    const next = await two.commit(REF, append(item('b')), at);
    expect(next).toEqual(accept({ value: 2, replayed: false }));
    expect((await two.verify()).problems).toEqual([]);
  });
});

describe('commits of another process', () => {
  /** Counts what a listener of the second store hears. */
  function countCalls(ref: SessionRef) {
    const heard = { calls: 0 };
    two.subscribe(ref, () => {
      heard.calls += 1;
    });
    return heard;
  }

  test('wake those who listen to the session, once per commit and no others', async () => {
    const [first, second] = [countCalls(REF), countCalls(other('second'))];
    await one.commit(REF, append(created), at);
    await expect.poll(() => first.calls).toBe(1);
    await one.commit(other('second'), append(created), at);
    await expect.poll(() => second.calls).toBe(1);
    // Its own commits wake a store at once, and not again when its notification comes back.
    await two.commit(REF, append(item('a')), at);
    await one.commit(other('second'), append(item('b')), at);
    await expect.poll(() => second.calls).toBe(2);
    expect(first.calls).toBe(2);
  });

  test('of more sessions than one notification can name', async () => {
    const refs = Array.from({ length: 300 }, (_, i) => other(`${'long'.repeat(20)}-${i}`));
    const heard = refs.map(countCalls);
    await Promise.all(refs.map((ref) => one.commit(ref, append(created), at)));
    await expect.poll(() => heard.filter(({ calls }) => calls === 0)).toEqual([]);
  });

  test('wake everybody when a notification is not understood', async () => {
    const heard = countCalls(REF);
    await client.query(`NOTIFY palimpsest_commits, '{"of":"a later release"}'`);
    await expect.poll(() => heard.calls).toBe(1);
    await client.query('NOTIFY palimpsest_commits');
    await expect.poll(() => heard.calls).toBe(2);
  });

  test('are heard again after the listening connection broke, and everybody looks once', async () => {
    const heard = countCalls(REF);
    const { rowCount } = await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND query LIKE '%LISTEN palimpsest_commits%'
         AND pid <> pg_backend_pid()`,
    );
    expect(rowCount).toBe(2);
    await expect.poll(() => heard.calls).toBe(1);
    await expect.poll(() => told).toHaveLength(2);
    // The first store may not be back yet: it appends until it is heard.
    await one.commit(REF, append(created), at);
    const appendAndCount = async () => {
      await one.commit(REF, append(item('again')), at);
      return heard.calls;
    };
    await expect.poll(appendAndCount).toBeGreaterThan(1);
  });
});
