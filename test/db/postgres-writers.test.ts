import fc from 'fast-check';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CommitOptions, SessionRef } from '../../src/app/ports/event-store.ts';
import { Hosts } from '../../src/db/postgres/hosts.ts';
import { openWriters } from '../../src/db/postgres/open-pool.ts';
import { openPostgresStore, type PostgresStore } from '../../src/db/postgres/postgres-store.ts';
import { readSession } from '../../src/db/postgres/session-rows.ts';
import { batchStatement, type Move } from '../../src/db/postgres/write-batch.ts';
import type { Decide } from '../../src/domain/session/decision.ts';
import { accept } from '../../src/domain/session/errors.ts';
import type { NewEvent } from '../../src/domain/session/events.ts';
import {
  AT,
  append,
  cancelled,
  created,
  item,
  refuse,
  requested,
} from '../contracts/session-events.ts';
import { atScale } from '../support/scale.ts';
import { freshDatabase } from '../support/servers/fresh.ts';

const at = { at: AT };
const ref = (session_id: string): SessionRef => ({ tenant: 'acme', session_id });

let url: string;
let drop: () => Promise<void>;
/** As many processes have them. */
let stores: PostgresStore[];
let client: Client;

beforeEach(async () => {
  ({ url, drop } = await freshDatabase());
  const onError = (error: unknown) => {
    throw error;
  };
  stores = await Promise.all([0, 1, 2].map(() => openPostgresStore({ url, onError })));
  client = new Client({ connectionString: url });
  await client.connect();
});
afterEach(async () => {
  await client.end();
  await Promise.all(stores.map((store) => store.close()));
  await drop();
});

const KINDS = [
  'item',
  'keyed',
  'configure',
  'request',
  'end',
  'nothing',
  'refuse',
  'throw',
] as const;
type Kind = (typeof KINDS)[number];

const stepOf = fc.record({
  store: fc.nat(2),
  session: fc.nat(1),
  kind: fc.constantFrom(...KINDS),
  key: fc.nat(2),
  isAwaited: fc.boolean(),
});
type Step = typeof stepOf extends fc.Arbitrary<infer T> ? T : never;

/** Answers the version after it; creates the session when there is none. */
function commandOf(kind: Exclude<Kind, 'refuse'>, text: string): Decide<number> {
  return (head) => {
    const events: NewEvent[] = head === null ? [created] : [];
    const running = head?.state.running ?? null;
    if (kind === 'throw') throw new Error('a bug in decide');
    if (kind === 'item' || kind === 'keyed') events.push(item(text));
    if (kind === 'configure') {
      events.push({ type: 'session.configured', data: { metadata: { text } } });
    }
    if (kind === 'request' && running === null) events.push(requested(`c-${text}`));
    if (kind === 'end' && running !== null) events.push(cancelled(running.id));
    return accept({ events, value: (after) => after.state.version });
  };
}

async function carryOut({ store, session, kind, key }: Step, run: number, index: number) {
  const target = ref(`run-${run}-${session}`);
  const options: CommitOptions =
    kind === 'keyed' ? { ...at, idempotency: { key: `${key}`, fingerprint: 'f' } } : at;
  const text = kind === 'keyed' ? `key ${key}` : `item ${index}`;
  const command = kind === 'refuse' ? refuse : commandOf(kind, text);
  const answer = await stores[store]?.commit(target, command, options).catch((error) => {
    expect(error.message).toBe('a bug in decide');
  });
  return answer?.ok ? { kind, session, text, version: answer.value.value } : null;
}

describe('processes that write to the same sessions', () => {
  test('lose nothing, double nothing, and agree with what each was told', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(stepOf, { minLength: 1, maxLength: 60 }), async (steps) => {
        run += 1;
        const answers: ReturnType<typeof carryOut>[] = [];
        for (const [index, step] of steps.entries()) {
          const answer = carryOut(step, run, index);
          answers.push(answer);
          if (step.isAwaited) await answer;
        }
        const told = (await Promise.all(answers)).flatMap((answer) => answer ?? []);
        for (const session of [0, 1]) {
          const events = await stores[0]?.events(ref(`run-${run}-${session}`));
          expect(events?.map(({ version }) => version)).toEqual(events?.map((_, i) => i + 1));
          const log = events?.flatMap(({ type, data, version }) =>
            type === 'item.appended' ? [`${version} ${JSON.stringify(data)}`] : [],
          );
          // A key is answered to everybody who comes with it, and stands in the log once.
          const items = told
            .filter((each) => each.session === session && ['item', 'keyed'].includes(each.kind))
            .sort((a, b) => a.version - b.version)
            .map(({ text, version }) => `${version} ${JSON.stringify(item(text).data)}`);
          expect(log).toEqual([...new Set(items)]);
        }
      }),
      { numRuns: atScale({ brief: 15, short: 60, long: 400 }) },
    );
    expect((await stores[1]?.verify())?.problems).toEqual([]);
  }, 300_000);

  test('and erase them', async () => {
    await Promise.all(
      stores.map(async (store, who) => {
        for (let i = 0; i < 30; i += 1) {
          const texts = [0, 1, 2].map((n) => commandOf('item', `${who} ${i} ${n}`));
          await Promise.all([
            ...texts.map((command) => store.commit(ref('one'), command, at)),
            store.commit(ref('two'), commandOf('request', `${who}-${i}`), at),
          ]);
          if (i % 5 === who) await store.erase(ref('one'));
        }
      }),
    );
    const [store] = stores;
    const events = (await store?.events(ref('one'))) ?? [];
    expect(events.map(({ version }) => version)).toEqual(events.map((_, i) => i + 1));
    expect((await store?.verify())?.problems).toEqual([]);
  });

  test('and a session that all of them write to gets on in each', async () => {
    const counts = await Promise.all(
      stores.map(async (store) => {
        for (let i = 0; i < 50; i += 1) await store.commit(ref('hot'), commandOf('item', 'x'), at);
        return 50;
      }),
    );
    const head = await stores[0]?.head(ref('hot'));
    expect(head?.state.items).toBe(counts.reduce((sum, count) => sum + count));
  });
});

describe('a head that is kept in memory', () => {
  test('is no longer decided on when the row has been written anew, as `rebuild` does', async () => {
    const [store] = stores;
    await store?.commit(ref('a'), append(created, item('a')), at);
    await client.query(`UPDATE sessions SET settings = replace(settings, 'contract', 'changed')`);
    const seen = await store?.commit(
      ref('a'),
      (head) => accept({ events: [item('b')], value: () => head?.settings.metadata ?? null }),
      at,
    );
    expect(seen).toEqual(accept({ value: { purpose: 'changed' }, replayed: false }));
    expect((await store?.head(ref('a')))?.settings.metadata).toEqual({ purpose: 'changed' });
  });

  test('never answers a refusal that is no longer true', async () => {
    const [one, two] = stores;
    await one?.commit(ref('a'), append(created), at);
    await two?.commit(ref('a'), append(item('b')), at);
    const exists: Decide<number> = (head) =>
      head?.state.version === 2 ? accept({ events: [], value: () => 2 }) : refuse(head);
    expect(await one?.commit(ref('a'), exists, at)).toMatchObject({ ok: true });
  });
});

describe('appends of many sessions', () => {
  test('share transactions', async () => {
    const [store] = stores;
    const refs = Array.from({ length: 60 }, (_, i) => ref(`s${i}`));
    await Promise.all(refs.map((each) => store?.commit(each, append(created), at)));
    await Promise.all(refs.map((each) => store?.commit(each, append(item('a')), at)));
    const { rows } = await client.query(
      `SELECT count(DISTINCT xmin::text)::int AS n FROM events WHERE type = 'item.appended'`,
    );
    expect(rows).toEqual([{ n: 1 }]);
  });

  test('do not wait for one that somebody holds', async () => {
    const [store] = stores;
    const refs = Array.from({ length: 10 }, (_, i) => ref(`s${i}`));
    await Promise.all(refs.map((each) => store?.commit(each, append(created), at)));
    await client.query(`BEGIN; SELECT 1 FROM sessions WHERE session_id = 's3' FOR UPDATE`);
    let isHeld = true;
    const held = store?.commit(ref('s3'), append(item('a')), at).finally(() => {
      isHeld = false;
    });
    const others = refs.filter(({ session_id }) => session_id !== 's3');
    await Promise.all(others.map((each) => store?.commit(each, append(item('a')), at)));
    expect(isHeld).toBe(true);
    await client.query('COMMIT');
    expect(await held).toEqual(accept({ value: 2, replayed: false }));
  });

  test('one that is large has a statement of its own', async () => {
    const [store] = stores;
    await Promise.all(['s', 'm', 'l'].map((id) => store?.commit(ref(id), append(created), at)));
    await Promise.all(
      [
        ['s', 'small'],
        ['l', 'x'.repeat(2_000_000)],
        ['m', 'small'],
      ].map(([id = '', text = '']) => store?.commit(ref(id), append(item(text)), at)),
    );
    const { rows } = await client.query(
      `SELECT count(DISTINCT xmin::text)::int AS n FROM events WHERE type = 'item.appended'`,
    );
    expect(rows).toEqual([{ n: 3 }]);
    expect((await store?.verify())?.problems).toEqual([]);
  });

  test('no statement of them reads a table from end to end', async () => {
    const [store] = stores;
    await store?.commit(ref('a'), append(created, item('a')), at);
    const others = Array.from({ length: 300 }, (_, n) => ref(`other-${n}`));
    await Promise.all(others.map((each) => store?.commit(each, append(created), at)));
    // As autovacuum does: of a table that is nearly empty each index is as good as the other.
    await client.query('ANALYZE sessions');
    const writers = openWriters(new Hosts(url), 1, () => {});
    const session = await readSession(writers, ref('a'));
    if (session === null) throw new Error('it is there');
    const move: Move = {
      ref: ref('a'),
      before: session,
      write: {
        ...{ isNew: false, withSettings: false, after: session },
        rows: (await store?.rows(ref('a'), { after: 0, limit: 5 })) ?? [],
        kept: new Map(),
        compactions: [],
      },
    };
    const ofOneEvent = { ...move, write: { ...move.write, rows: move.write.rows.slice(0, 1) } };
    const connection = await writers.connect();
    for (const moves of [[ofOneEvent], [move], [move, move]]) {
      const { text, values = [] } = batchStatement(moves);
      const { rows } = await connection.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, values);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan).toContain('sessions_tenant_session_id_key');
      expect(plan).not.toContain('Seq Scan');
    }
    connection.release();
    await writers.end();
  });
});
