import { Client } from 'pg';
import { Indexer } from '../src/app/search/indexer.ts';
import { openSqlite } from '../src/db/sqlite/driver.ts';
import { BenchClient } from './client.ts';
import type { Figure } from './figures.ts';
import { type LocalService, withLocalService, withService } from './local-service.ts';
import { appendedItem } from './sample-items.ts';
import { Corpus } from './search-corpus.ts';
import type { Servers } from './servers.ts';
import { median, quantile, timed } from './statistics.ts';

type Plan = {
  /** Items of one session that is searched. */
  lengths: readonly number[];
  /** Items of a tenant, in sessions of 1,000; null: that takes too long. */
  tenant: number | null;
  queries: number;
  rounds: number;
};

const PER_REQUEST = 500;
const PER_SESSION = 1_000;
const CONNECTIONS = [1, 64];
const APPENDS = 1_000;

/** What a search and its index cost: time of a search, lag, space, and what appends feel of it. */
export async function searchFigures(plan: Plan, servers: Servers): Promise<Figure[]> {
  const { queries, lengths, tenant } = plan;
  const figures = await appendsBesideIndex(plan.rounds);
  for (const length of lengths) {
    figures.push(...(await searches(ON_SQLITE, queries, length, [length])));
    const postgres = onPostgres(await servers.newDatabase());
    figures.push(...(await searches(postgres, queries, length, [length])));
  }
  if (tenant !== null) {
    const sessions = new Array<number>(tenant / PER_SESSION).fill(PER_SESSION);
    figures.push(...(await searches(ON_SQLITE, queries, tenant, sessions)));
    const postgres = onPostgres(await servers.newDatabase());
    figures.push(...(await searches(postgres, queries, tenant, sessions)));
  }
  return figures;
}

/** Appends with an indexer behind them and without, in turn; both in this process. */
async function appendsBesideIndex(rounds: number): Promise<Figure[]> {
  const options = { summarizer: 'extractive', synchronous: 'FULL' } as const;
  return withLocalService(options, (without) =>
    withLocalService(options, async (indexed) => {
      await indexed.takeUpPending();
      const figures: Figure[] = [];
      for (const connections of CONNECTIONS) {
        const times = { without: [] as number[], indexed: [] as number[] };
        for (let round = 0; round <= rounds; round++) {
          const plain = await appendTimes(without, connections, round);
          const own = await appendTimes(indexed, connections, round);
          // The first round warms up.
          if (round === 0) continue;
          times.without.push(connections === 1 ? median(plain.each) : plain.all / APPENDS);
          times.indexed.push(connections === 1 ? median(own.each) : own.all / APPENDS);
        }
        figures.push({
          what:
            connections === 1
              ? 'append beside the index, 1 connection'
              : `append beside the index, ${connections} connections: time for each`,
          unit: 'ms',
          ours: median(times.indexed),
          baseline: { what: 'without an indexer', value: median(times.without) },
          target: { at_most: connections === 1 ? 1.05 : 1.25 },
        });
      }
      const lag = await timed(async () => {
        await indexed.target.request('/search?q=unheard');
      });
      const written = CONNECTIONS.length * (rounds + 1) * APPENDS;
      figures.push({
        what: 'index lag after these appends',
        unit: 'ms',
        ours: lag,
        baseline: { what: `${written} appends`, value: written },
      });
      return figures;
    }),
  );
}

async function appendTimes({ target }: LocalService, connections: number, round: number) {
  const client = new BenchClient(target);
  const ids = Array.from({ length: connections }, (_, i) => `beside-${connections}-${round}-${i}`);
  for (const id of ids) await client.create(id, { config: { auto_compact_enabled: false } });
  const each: number[] = [];
  const all = await timed(async () => {
    await Promise.all(
      ids.map(async (id) => {
        for (let index = 0; index < APPENDS / connections; index++) {
          each.push(await timed(() => client.append(id, [appendedItem(index)])));
        }
      }),
    );
  });
  return { each, all };
}

/** A store to search in, new and empty. */
type Place = { name: string; with: typeof onSqlite };
type Used = Pick<LocalService, 'target' | 'store'> & { indexBytes: () => Promise<number> };

function onSqlite<T>(use: (service: Used) => Promise<T>): Promise<T> {
  const options = { summarizer: 'extractive', synchronous: 'NORMAL' } as const;
  return withLocalService(options, ({ target, store, databasePath }) =>
    use({ target, store, indexBytes: async () => sqliteBytes(databasePath) }),
  );
}

/** On an empty database at this address. */
function onPostgres(url: string): Place {
  return {
    name: ' (PostgreSQL)',
    with: (use) =>
      withService({ DATABASE_URL: url }, ({ target, store }) =>
        use({ target, store, indexBytes: () => postgresBytes(url) }),
      ),
  };
}

const ON_SQLITE: Place = { name: '', with: onSqlite };

/** The times of searches among so many items, and the space of their index. */
async function searches(
  place: Place,
  queries: number,
  items: number,
  sessions: readonly number[],
): Promise<Figure[]> {
  return place.with(async ({ target, store, indexBytes }) => {
    const indexer = new Indexer(store, () => {});
    const corpus = new Corpus();
    const client = new BenchClient(target);
    let text = 0;
    for (const [session, length] of sessions.entries()) {
      const id = `searched-${session}`;
      await client.create(id, { config: { auto_compact_enabled: false } });
      for (let from = 0; from < length; from += PER_REQUEST) {
        const some = corpus.items(Math.min(PER_REQUEST, length - from));
        text += some.reduce((sum, { content }) => sum + Buffer.byteLength(String(content)), 0);
        await client.append(id, some);
      }
      await indexer.catchUp({ tenant: 'local', session_id: id }, Number.POSITIVE_INFINITY);
    }
    const isTenant = sessions.length > 1;
    const path = isTenant ? '/search' : '/sessions/searched-0/search';
    const times: number[] = [];
    for (let query = 0; query < queries; query++) {
      const q = corpus.query(query, items);
      const ask = async () => {
        const answer = await target.request(`${path}?${new URLSearchParams({ q, limit: '5' })}`);
        if (!answer.ok) throw new Error(await answer.text());
        await answer.arrayBuffer();
      };
      times.push(await timed(ask));
    }
    const of = isTenant ? 'of a tenant' : 'of a session';
    const named = `search ${items.toLocaleString('en')} items ${of}${place.name}`;
    const figure = (what: string, ours: number, target: number | null): Figure => ({
      what: `${named}, ${what}`,
      unit: 'ms',
      ours,
      baseline: { what: 'what it may take', value: target ?? ours },
      ...(target === null ? {} : { target: { at_most: 1 } }),
    });
    return [
      figure('p50', median(times), isTenant ? 150 : 30),
      figure('p99', quantile(times, 0.99), isTenant ? null : 100),
      {
        what: `${named}, space of the index`,
        unit: 'bytes',
        ours: await indexBytes(),
        baseline: { what: 'the text', value: text },
        target: { at_most: 0.6 },
      },
    ];
  });
}

function sqliteBytes(path: string): number {
  const db = openSqlite(path, { readonly: true });
  try {
    const sql = "SELECT sum(pgsize) FROM dbstat WHERE name LIKE 'search%'";
    return db.prepare<[], number>(sql).pluck().get() ?? 0;
  } finally {
    db.close();
  }
}

async function postgresBytes(connectionString: string): Promise<number> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    const sql = `SELECT sum(pg_total_relation_size(oid))::float8 AS bytes FROM pg_class
      WHERE relname LIKE 'search%' AND relkind = 'r'`;
    const { rows } = await client.query<{ bytes: number }>(sql);
    return rows[0]?.bytes ?? 0;
  } finally {
    await client.end();
  }
}
