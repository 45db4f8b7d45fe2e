import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { Indexer } from '../src/app/search/indexer.ts';
import { openPostgresStore } from '../src/db/postgres/postgres-store.ts';
import { Replay } from '../src/db/replay.ts';
import { PARTITIONS, splitEvents } from '../test/support/split-events.ts';
import { sessionOf, writeRows } from './partition-rows.ts';
import { runLoad, type ServerProcess, startOurs } from './processes.ts';
import { Servers } from './servers.ts';
import { median, quantile, timed } from './statistics.ts';

/*
 * The table of events as it is beside the same split into hash partitions, on one PostgreSQL that waits for
 * the disk: `npx tsx bench/partitions.ts [SESSIONS] [vacuum]`, 100 events each; with `vacuum` only what has to
 * do with deletes. At 100,000 sessions it takes half an hour and 25 GB, so no other measurement runs it. What
 * can be is measured in turn.
 */

const SESSIONS = Number(process.argv[2] ?? 100_000);
const ROUNDS = 3;
const SECONDS = 6;
const CONNECTIONS = 64;
const READS = 200;
const INDEXED = 300;
const SEARCHES = 60;

const LAYOUTS = ['table', 'partitions'] as const;
type Layout = (typeof LAYOUTS)[number];
type Place = { layout: Layout; url: string; client: Client };

function say(what: string, unit: string, figures: Record<Layout, number>): void {
  const [table, partitions] = LAYOUTS.map((layout) => figures[layout].toPrecision(4));
  const ratio = (figures.partitions / figures.table).toFixed(2);
  console.log(`${what} | ${unit} | ${table} | ${partitions} | ${ratio}`);
}

async function both(measure: (place: Place) => Promise<number>, places: readonly Place[]) {
  const figures = { table: 0, partitions: 0 };
  for (const place of places) figures[place.layout] = await measure(place);
  return figures;
}

const placesOf = ({ layout }: Place): string[] =>
  layout === 'table' ? ['events'] : Array.from({ length: PARTITIONS }, (_, i) => `events_${i}`);

async function each({ client }: Place, tables: string[], statement: string): Promise<number[]> {
  await client.query('CHECKPOINT');
  const times: number[] = [];
  for (const table of tables) {
    times.push((await timed(() => client.query(`${statement} ${table}`))) / 1000);
  }
  return times;
}

const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0);

async function megabytes({ client }: Place, what: 'relation' | 'indexes'): Promise<number> {
  const { rows } = await client.query(
    `SELECT sum(pg_${what === 'relation' ? 'table' : 'indexes'}_size(relid)) / 1e6 AS mb
     FROM (SELECT 'events'::regclass AS relid UNION SELECT relid FROM pg_partition_tree('events')) AS t`,
  );
  return Number(rows[0].mb);
}

async function appends(places: readonly Place[]): Promise<void> {
  for (const processes of [1, 2]) {
    const started = new Map<Layout, ServerProcess[]>();
    const rates = { table: [] as number[], partitions: [] as number[] };
    try {
      for (const { layout, url } of places) {
        const servers: ServerProcess[] = [];
        started.set(layout, servers);
        for (let n = 0; n < processes; n++)
          servers.push(await startOurs({ DATABASE_URL: url, LOG_LEVEL: 'error' }));
      }
      for (let round = 0; round <= ROUNDS; round++) {
        const sessions = Array.from(
          { length: CONNECTIONS },
          (_, i) => sessionOf((round * 7919 + i * 1009 + processes) % SESSIONS).session_id,
        );
        // Who is first changes from round to round.
        for (const { layout } of round % 2 === 0 ? places : [...places].reverse()) {
          const share = CONNECTIONS / processes;
          const loads = (started.get(layout) ?? []).map(({ url }, n) =>
            runLoad(url, sessions.slice(n * share, (n + 1) * share), SECONDS),
          );
          const rate = sum(await Promise.all(loads));
          if (round > 0) rates[layout].push(rate);
        }
      }
    } finally {
      for (const server of [...started.values()].flat()) await server.stop();
    }
    say(`append, ${CONNECTIONS} sessions, API processes: ${processes}`, '/s', {
      table: median(rates.table),
      partitions: median(rates.partitions),
    });
  }
}

/** The median and the 99th of a hundred of what `read` takes for sessions all over the table. */
async function reads(
  what: string,
  places: readonly Place[],
  readOn: (
    place: Place,
  ) => Promise<{ read: (index: number) => Promise<unknown>; end: () => Promise<void> }>,
  count = READS,
): Promise<void> {
  const times = { table: [] as number[], partitions: [] as number[] };
  const readers: (Place & Awaited<ReturnType<typeof readOn>>)[] = [];
  try {
    for (const place of places) readers.push({ ...place, ...(await readOn(place)) });
    for (let index = 0; index < count + 20; index++) {
      for (const { layout, read } of readers) {
        const time = await timed(() => read(index));
        if (index >= 20) times[layout].push(time);
      }
    }
  } finally {
    for (const { end } of readers) await end();
  }
  say(`${what}, median`, 'ms', {
    table: median(times.table),
    partitions: median(times.partitions),
  });
  say(`${what}, p99`, 'ms', {
    table: quantile(times.table, 0.99),
    partitions: quantile(times.partitions, 0.99),
  });
}

const anywhere = (index: number) => sessionOf((index * 104_729 + 17) % SESSIONS);

async function overHttp({ url }: Place, path: (index: number) => string) {
  const server = await startOurs({ DATABASE_URL: url, LOG_LEVEL: 'error' });
  const read = async (index: number) => {
    const answer = await fetch(`${server.url}${path(index)}`);
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
  };
  return { read, end: server.stop };
}

async function verifying({ url }: Place) {
  const store = await openPostgresStore({ url, onError: console.error });
  const read = async (index: number) => {
    const ref = anywhere(index);
    const replay = new Replay(ref);
    for (const row of await store.rows(ref, { after: 0, limit: 100_000 })) replay.add(row);
    if (replay.problems.length > 0) throw new Error(replay.problems.join('\n'));
  };
  return { read, end: () => store.close() };
}

async function index({ url }: Place): Promise<number> {
  const store = await openPostgresStore({ url, onError: console.error });
  const indexer = new Indexer(store, () => {});
  const time = await timed(async () => {
    for (let at = 0; at < INDEXED; at++) {
      await indexer.catchUp(anywhere(at), Number.POSITIVE_INFINITY);
    }
  });
  await store.close();
  return time / 1000;
}

async function shrink(places: readonly Place[]): Promise<void> {
  say(
    'delete the events of a tenth of the sessions',
    's',
    await both(
      ({ client }) =>
        timed(() => client.query("DELETE FROM events WHERE right(session_id, 1) = '3'")).then(
          (ms) => ms / 1000,
        ),
      places,
    ),
  );
  const plain = { table: [0], partitions: [0] };
  for (const place of places) plain[place.layout] = await each(place, placesOf(place), 'VACUUM');
  say('vacuum afterwards', 's', { table: sum(plain.table), partitions: sum(plain.partitions) });
  say('of it one table', 's', {
    table: Math.max(...plain.table),
    partitions: Math.max(...plain.partitions),
  });
  say(
    'size of rows after vacuum',
    'MB',
    await both((place) => megabytes(place, 'relation'), places),
  );
  const full = { table: [0], partitions: [0] };
  for (const place of places)
    full[place.layout] = await each(place, placesOf(place), 'VACUUM FULL');
  say('VACUUM FULL', 's', { table: sum(full.table), partitions: sum(full.partitions) });
  say('of it the longest lock', 's', {
    table: Math.max(...full.table),
    partitions: Math.max(...full.partitions),
  });
  say('size of rows after it', 'MB', await both((place) => megabytes(place, 'relation'), places));
  say('size of indexes after it', 'MB', await both((place) => megabytes(place, 'indexes'), places));
}

async function fill(
  { client, layout, url }: Place,
  files: { sessions: string; events: string },
): Promise<number> {
  await (await openPostgresStore({ url, onError: console.error })).close();
  if (layout === 'partitions') await splitEvents(url);
  // Without a check of each foreign key, as a restore has it.
  await client.query('SET session_replication_role = replica');
  await client.query(
    `COPY sessions (tenant, session_id, version, hash, state, settings) FROM '${files.sessions}'`,
  );
  // As if all but those of the search were indexed: else the service does that, beside all measurements.
  await client.query(
    `INSERT INTO search_sessions SELECT created_order, version, 0, 0 FROM sessions
     WHERE session_id <> ALL($1)`,
    [Array.from({ length: INDEXED }, (_, at) => anywhere(at).session_id)],
  );
  await client.query('CHECKPOINT');
  return timed(() => client.query(`COPY events FROM '${files.events}'`)).then((ms) => ms / 1000);
}

async function use(places: readonly Place[]): Promise<void> {
  // Before any service runs, which would do the same on its own.
  say(`index ${INDEXED} sessions`, 's', await both(index, places));
  await reads('context', places, (place) =>
    overHttp(place, (at) => `/sessions/${anywhere(at).session_id}/context`),
  );
  await reads('rows and verify of a session', places, verifying);
  await reads(
    'search',
    places,
    (place) =>
      overHttp(place, (at) => `/search?q=${Math.floor(((at * 97) % 900) + 36).toString(36)}`),
    SEARCHES,
  );
  await appends(places);
}

const servers = new Servers();
const folder = mkdtempSync(join(tmpdir(), 'palimpsest-partitions-'));
const places: Place[] = [];
try {
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, 'rows'), { mode: 0o755 });
  const files = { sessions: join(folder, 'rows/sessions'), events: join(folder, 'rows/events') };
  const events = await writeRows(SESSIONS, files);
  for (const layout of LAYOUTS) {
    const url = await servers.newDatabase();
    const client = new Client({ connectionString: url });
    await client.connect();
    places.push({ layout, url, client });
  }
  await places[0]?.client.query("ALTER SYSTEM SET max_wal_size = '8GB'");
  await places[0]?.client.query('ALTER SYSTEM SET autovacuum = off');
  await places[0]?.client.query('SELECT pg_reload_conf()');
  console.log(`${events} events, ${SESSIONS} sessions; one table, ${PARTITIONS} partitions, ratio`);
  say('COPY', 's', await both((place) => fill(place, files), places));
  rmSync(join(folder, 'rows'), { recursive: true });
  say(
    'first vacuum and analyze',
    's',
    await both((place) => each(place, placesOf(place), 'VACUUM (ANALYZE)').then(sum), places),
  );
  await both((place) => each(place, ['sessions'], 'VACUUM (ANALYZE)').then(sum), places);
  say('size of rows', 'MB', await both((place) => megabytes(place, 'relation'), places));
  say('size of indexes', 'MB', await both((place) => megabytes(place, 'indexes'), places));
  if (process.argv[3] !== 'vacuum') await use(places);
  await shrink(places);
} finally {
  for (const { client } of places) await client.end();
  await servers.dispose();
  rmSync(folder, { recursive: true, force: true });
}
