import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPostgresStore } from '../../../src/db/postgres/postgres-store.ts';
import { vacuumPostgres } from '../../../src/db/postgres/vacuum.ts';
import { eventStoreContract } from '../../contracts/event-store.ts';
import { eventStoreVerifyContract } from '../../contracts/event-store-verify.ts';
import { searchContract } from '../../contracts/search.ts';
import { append, item } from '../../contracts/session-events.ts';
import {
  everyRow,
  inFolder,
  LONG_AGO,
  openPlain,
  openWith,
  putAway,
  ref,
  write,
} from '../../support/archive-lab.ts';
import { backUp, openLab, restore, rowsIn } from '../../support/backup-lab.ts';
import { onServer } from '../../support/servers/on-server.ts';
import { PARTITIONS, splitEvents } from '../../support/split-events.ts';

const { folder, fresh, places, dispose } = openLab();
afterAll(dispose);

const onError = (error: unknown) => {
  throw error;
};

/** One database for all contracts: to make and to split one takes longer than most of their tests. */
let split: string;
let admin: Client;
beforeAll(async () => {
  split = await places.postgres();
  await (await openPostgresStore({ url: split, onError })).close();
  await splitEvents(split);
  admin = new Client({ connectionString: split });
  await admin.connect();
});
afterAll(() => admin.end());

/** The store on split events, with nothing in it. */
async function openSplit() {
  // What was tampered with may have no session: the others do not go with it.
  for (const table of ['sessions', 'events', 'compactions', 'idempotency_keys']) {
    await admin.query(`DELETE FROM ${table}`);
  }
  return openPostgresStore({ url: split, onError });
}

const NAME = 'PostgreSQL with events in partitions';

eventStoreContract(NAME, openSplit);
searchContract(NAME, openSplit);
eventStoreVerifyContract(NAME, async () => {
  const store = await openSplit();
  const tamperer = new Client({ connectionString: split });
  await tamperer.connect();
  await tamperer.query('SET session_replication_role = replica');
  return {
    store,
    execute: (sql) => tamperer.query(sql),
    close: async () => {
      await tamperer.end();
      await store.close();
    },
  };
});

test('a store that is open works on when its events are split, and so does the next one', async () => {
  const url = await places.postgres();
  const archive = inFolder(folder);
  const ids = Array.from({ length: 40 }, (_, n) => `chat-${n}`);
  const before = await openPlain(url);
  for (const id of ids) await write(before, id, [`Paint ${id} in ultramarine.`, 'two']);
  const rows = await before.rows(ref('chat-7'), everyRow);

  await splitEvents(url);

  expect(await before.rows(ref('chat-7'), everyRow)).toEqual(rows);
  expect(await before.commit(ref('chat-3'), append(item('three')), { at: LONG_AGO })).toMatchObject(
    {
      ok: true,
    },
  );
  await before.close();
  const store = await openWith(url, archive);
  try {
    expect(await store.verify()).toEqual({ sessions: 40, events: 121, problems: [] });
    const appended = ids.map((id) => store.commit(ref(id), append(item('four')), { at: LONG_AGO }));
    expect((await Promise.all(appended)).every(({ ok }) => ok)).toBe(true);
    await putAway(store, archive, 'chat-1');
    expect(await store.rows(ref('chat-1'), everyRow)).toHaveLength(4);
    expect(await store.erase(ref('chat-2'))).toBe(true);
    expect((await vacuumPostgres(url)).notes).toEqual([]);
    expect(await store.verify()).toEqual({ sessions: 39, events: 157, problems: [] });
  } finally {
    await store.close();
  }
});

test('a session lies in one partition, and no event is without its session', async () => {
  const store = await openSplit();
  for (let n = 0; n < 40; n++) await write(store, `chat-${n}`, ['one']);
  await store.close();
  await onServer(split, async (client) => {
    const { rows: parts } = await client.query(
      "SELECT relid FROM pg_partition_tree('events') WHERE isleaf",
    );
    expect(parts).toHaveLength(PARTITIONS);
    const { rows: used } = await client.query('SELECT DISTINCT tableoid FROM events');
    expect(used.length).toBeGreaterThan(PARTITIONS / 2);
    const { rows: plan } = await client.query(
      `EXPLAIN SELECT * FROM events WHERE tenant = 'local' AND session_id = 'chat-7' AND version > 1`,
    );
    const text = plan.map((row) => row['QUERY PLAN']).join('\n');
    expect(new Set(text.match(/\bevents_\d+\b/g))).toHaveLength(1);
    const orphan = client.query(
      `INSERT INTO events (tenant, session_id, version, type, at, schema_version, hash, data)
       VALUES ('local', 'nobody', 1, 'item.appended', '', 3, '', '{}')`,
    );
    await expect(orphan).rejects.toThrow('violates foreign key constraint');
  });
});

test('a backup of them is restored as one table', async () => {
  const copy = await places.postgres();
  const store = await openSplit();
  for (const id of ['chat-1', 'chat-2']) await write(store, id, ['one', 'two']);
  await store.close();
  const file = fresh('backup.gz');
  await backUp(split, file);
  await restore(file, copy);
  expect(await rowsIn(copy)).toEqual(await rowsIn(split));
  const { rows } = await onServer(copy, (client) =>
    client.query("SELECT relkind FROM pg_class WHERE oid = 'events'::regclass"),
  );
  expect(rows).toEqual([{ relkind: 'r' }]);
});
