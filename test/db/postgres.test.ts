import { readdirSync } from 'node:fs';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { EventQuery, EventStore, SessionRef } from '../../src/app/ports/event-store.ts';
import { eventQuery } from '../../src/db/postgres/event-rows.ts';
import { openPostgresStore, type PostgresStore } from '../../src/db/postgres/postgres-store.ts';
import { openDatabase } from '../../src/db/sqlite/open-database.ts';
import { SqliteStore } from '../../src/db/sqlite/sqlite-store.ts';
import { accept } from '../../src/domain/session/errors.ts';
import { HEAD_VERSION } from '../../src/domain/session/head.ts';
import { eventStoreContract } from '../contracts/event-store.ts';
import {
  AT,
  append,
  cancelled,
  completed,
  created,
  item,
  packetRequested,
  refuse,
  requested,
  started,
} from '../contracts/session-events.ts';
import { STORE_COLUMNS } from '../contracts/store-columns.ts';
import { freshDatabase } from '../support/servers/fresh.ts';

const REF: SessionRef = { tenant: 'acme', session_id: 'first' };
const at = { at: AT };

let url: string;
let drop: () => Promise<void>;
const opened: (() => Promise<void>)[] = [];

beforeEach(async () => {
  ({ url, drop } = await freshDatabase());
});
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
  await drop();
});

const onError = (error: unknown) => {
  throw error;
};

async function open(): Promise<PostgresStore> {
  const store = await openPostgresStore({ url, onError });
  opened.push(() => store.close());
  return store;
}

/** A bare connection to the same database. */
async function connect(): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  opened.push(() => client.end());
  return client;
}

const MIGRATIONS = readdirSync(new URL('../../migrations/postgres', import.meta.url))
  .sort()
  .map((file, index) => ({ version: index + 1, file }));

eventStoreContract('PostgreSQL', () => openPostgresStore({ url, onError }));

describe('the PostgreSQL schema', () => {
  test('many processes may open an empty database at once', async () => {
    const stores = await Promise.all(Array.from({ length: 8 }, open));
    await Promise.all(
      stores.map((store, i) => store.commit({ ...REF, session_id: `s${i}` }, append(created), at)),
    );
    const client = await connect();
    const { rows } = await client.query('SELECT version, file FROM schema_migrations');
    expect(rows).toEqual(MIGRATIONS);
  });

  test('a database that a newer release has migrated is refused and left alone', async () => {
    await open();
    const client = await connect();
    await client.query(`INSERT INTO schema_migrations VALUES (999, 'later.sql')`);
    await expect(openPostgresStore({ url, onError })).rejects.toThrow(
      `has schema version 999, this release of Palimpsest knows ${MIGRATIONS.length}: start a release`,
    );
    const { rows } = await client.query('SELECT max(version) AS version FROM schema_migrations');
    expect(rows).toEqual([{ version: 999 }]);
  });

  test.each(Object.entries(STORE_COLUMNS))(
    'the migrations make the columns that queries expect: %s',
    async (table, expected) => {
      await open();
      const client = await connect();
      const { rows } = await client.query<{ found: string }>(
        `SELECT column_name || ' ' || data_type || CASE is_nullable WHEN 'YES' THEN '?' ELSE '' END AS found
         FROM information_schema.columns WHERE table_name = $1 ORDER BY ordinal_position`,
        [table],
      );
      expect(rows.map(({ found }) => found)).toEqual(expected);
    },
  );

  test('heads that an older release has written are computed anew at the opening', async () => {
    const before = await open();
    await before.commit(REF, append(created, item('a'), packetRequested(50)), at);
    const head = await before.head(REF);
    await before.close();
    const client = await connect();
    await client.query(`UPDATE sessions SET state = '{}', wake_at_ms = NULL`);
    await client.query('UPDATE head_version SET version = 1');

    const [after] = await Promise.all([open(), open()]);
    expect(await after.head(REF)).toEqual(head);
    expect(await after.due(50, 1)).toEqual([REF]);
    const { rows } = await client.query('SELECT version FROM head_version');
    expect(rows).toEqual([{ version: HEAD_VERSION }]);
    expect(await after.verify()).toEqual({ sessions: 1, events: 3, problems: [] });
  });

  test('whoever renews heads is told that a log is damaged', async () => {
    const before = await open();
    await before.commit(REF, append(created, item('kept')), at);
    await before.close();
    const client = await connect();
    await client.query(`UPDATE events SET data = '{}' WHERE version = 2`);
    await client.query('UPDATE head_version SET version = 1');
    const told: number[] = [];
    const onDamage = (problems: number) => told.push(problems);
    const after = await openPostgresStore({ url, onError, onDamage });
    await after.close();
    // Its hash and its shape.
    expect(told).toEqual([2]);
  });

  test('everything is there again after a restart', async () => {
    const keyed = { ...at, idempotency: { key: 'k', fingerprint: 'f' } };
    const before = await open();
    await before.commit(REF, append(created, item('a'), requested('c-1')), keyed);
    const events = await before.events(REF);
    await before.close();
    await before.close();

    const after = await open();
    expect(await after.events(REF)).toEqual(events);
    expect(await after.pending(10)).toEqual([{ ref: REF, compaction_id: 'c-1', requested_at: AT }]);
    const again = await after.commit(REF, append(item('a')), keyed);
    expect(again).toEqual(accept({ value: 3, replayed: true }));
  });
});

describe('SQLite and PostgreSQL', () => {
  const AWKWARD = [
    'plain',
    'NUL \0 and \u0001',
    'a lone \ud83d surrogate \udc00',
    'quotes " \' \\ {a,b} NULL $1 \\u0000',
    'ünïcode 🎉\r\n\t\u2028',
    '',
  ];

  async function runCommands(store: EventStore): Promise<void> {
    await store.commit(REF, append(created), at);
    const keyed = { ...at, idempotency: { key: 'kä"\\', fingerprint: 'f' } };
    await Promise.all([
      ...AWKWARD.map((text) => store.commit(REF, append(item(text, 2 ** 40)), at)),
      store.commit(REF, refuse, at),
      store.commit(REF, append(item('keyed')), keyed),
      store.commit(REF, append(item('keyed')), keyed),
    ]);
    await store.commit(REF, append(requested('c-1'), started('c-1')), at);
    await store.commit(REF, append(completed('c-1', 4)), at);
    await store.commit(REF, append(requested('c-2'), cancelled('c-2')), at);
    const model = { type: 'session.configured' as const, data: { model: 'm "quoted" \\ ☃' } };
    await store.commit(REF, append(model), at);
    await store.commit({ ...REF, tenant: 'zeta' }, append(created, item('b')), at);
  }

  test('keep the same rows with the same hashes for the same commands', async () => {
    const db = openDatabase({ path: ':memory:' });
    const sqlite = new SqliteStore(db);
    opened.push(() => sqlite.close());
    const client = await connect();
    const postgres = await open();
    await runCommands(sqlite);
    await runCommands(postgres);

    for (const select of [
      'SELECT * FROM events ORDER BY tenant, session_id, version',
      'SELECT tenant, session_id, version, hash, state, settings FROM sessions ORDER BY tenant',
      'SELECT * FROM compactions ORDER BY tenant, session_id, id',
      'SELECT * FROM idempotency_keys ORDER BY tenant, session_id, key',
    ]) {
      const { rows } = await client.query({
        text: select,
        types: { getTypeParser: (oid: number) => (text: string) => (oid === 25 ? text : +text) },
      });
      expect(rows).not.toEqual([]);
      expect(rows).toEqual(db.prepare(select).all());
    }
    expect((await postgres.verify()).problems).toEqual([]);
  });
});

describe('a server that takes no writes', () => {
  test('is not ready, and refuses in words that a client can act on', async () => {
    const store = await open();
    await store.commit(REF, append(created), at);
    const client = await connect();
    await client.query(
      `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on',
         current_database()); END $$`,
    );
    const readOnly = await open();
    await expect(readOnly.ping()).rejects.toThrow('can only be read');
    await expect(readOnly.commit(REF, append(item('a')), at)).rejects.toMatchObject({
      kind: 'read_only',
      message: expect.stringContaining('nothing was written'),
    });
    expect((await readOnly.head(REF))?.state.version).toBe(1);
  });
});

describe('a group of commands', () => {
  test.each(['serialization_failure', 'deadlock_detected'])(
    'runs again after a %s, and each of them counts once',
    async (condition) => {
      const store = await open();
      const client = await connect();
      // A sequence does not roll back, so it counts the tries.
      await client.query(
        `CREATE SEQUENCE tries;
         CREATE FUNCTION refuse_twice() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
           IF nextval('tries') < 3 THEN RAISE ${condition}; END IF;
           RETURN NEW;
         END $$;
         CREATE TRIGGER refuse_twice BEFORE INSERT ON events FOR EACH ROW
           EXECUTE FUNCTION refuse_twice();`,
      );
      const answers = await Promise.all([
        store.commit(REF, append(created), at),
        store.commit(REF, append(item('a')), at),
      ]);
      expect(answers).toEqual([1, 2].map((value) => accept({ value, replayed: false })));
    },
  );

  test('loses only the command whose statement fails', async () => {
    const store = await open();
    const client = await connect();
    await client.query(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql
         AS $$ BEGIN RAISE EXCEPTION 'refused by the test'; END $$;
       CREATE TRIGGER refuse_items BEFORE INSERT ON events FOR EACH ROW
         WHEN (NEW.data LIKE '%poison%') EXECUTE FUNCTION refuse();`,
    );
    const second = { ...REF, session_id: 'second' };
    const settled = await Promise.allSettled([
      store.commit(REF, append(created, item('a')), at),
      store.commit(second, append(created, item('poison')), at),
      store.commit(REF, append(item('poison')), at),
      store.commit(REF, append(item('b')), at),
    ]);
    expect(settled).toMatchObject([
      { value: accept({ value: 2, replayed: false }) },
      { reason: { message: 'refused by the test' } },
      { reason: { message: 'refused by the test' } },
      { value: accept({ value: 3, replayed: false }) },
    ]);
    expect(await store.head(second)).toBeNull();
    expect((await store.verify()).problems).toEqual([]);
  });

  test('shares transactions: commands in flight take far fewer of them than there are', async () => {
    const store = await open();
    await store.commit(REF, append(created), at);
    await Promise.all(
      Array.from({ length: 200 }, (_, i) => store.commit(REF, append(item(`${i}`)), at)),
    );
    const client = await connect();
    const { rows } = await client.query('SELECT count(DISTINCT xmin::text)::int AS n FROM events');
    // One creates the session; two hundred commands fill two groups.
    expect(rows).toEqual([{ n: 3 }]);
  });
});

test.each<[EventQuery, string]>([
  [{ types: ['session.created', 'session.configured'], up_to: 3_000 }, 'events_without_items'],
  [{ types: ['compaction.completed'], newest_first: true, limit: 1 }, 'events_without_items'],
  [{ types: ['compaction.cancelled'], after: 10 }, 'events_without_items'],
  [{ types: ['item.appended', 'session.created'], after: 3_000, limit: 5 }, 'events_pkey'],
  [{ after: 3_900 }, 'events_pkey'],
  [{ newest_first: true, limit: 10 }, 'events_pkey'],
])('reading %j uses the index %s', async (query, index) => {
  const store = await open();
  await store.commit(REF, append(created), at);
  const client = await connect();
  await client.query(
    `INSERT INTO events SELECT tenant, session_id, place,
       CASE place % 200 WHEN 0 THEN 'compaction.completed' WHEN 1 THEN 'session.configured'
         ELSE 'item.appended' END,
       $1, 1, 'hash', repeat('x', 500)
     FROM sessions, generate_series(2, 4000) AS place`,
    [AT],
  );
  await client.query('ANALYZE events');
  // As the store's connections have it: one plan for all values.
  await client.query('SET plan_cache_mode = force_generic_plan');
  const { text, values = [] } = eventQuery(REF, query);
  await client.query(`PREPARE query AS ${text}`);
  const literals = values.map((value) =>
    value === null
      ? 'NULL'
      : client.escapeLiteral(Array.isArray(value) ? `{${value}}` : `${value}`),
  );
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(
    `EXPLAIN EXECUTE query (${literals.join(', ')})`,
  );
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).toContain(`using ${index} on events`);
});
