import { Indexer } from '../src/app/search/indexer.ts';
import { openSqlite } from '../src/db/sqlite/driver.ts';
import type { Item } from '../src/domain/items/item.ts';
import { SeededRandom } from '../test/support/seeded-random.ts';
import { BenchClient } from './client.ts';
import type { Figure } from './figures.ts';
import { type LocalService, withLocalService } from './local-service.ts';
import { appendedItem } from './sample-items.ts';
import { median, quantile, timed } from './statistics.ts';

type Plan = {
  /** Items of one session that is searched. */
  lengths: readonly number[];
  /** Items of a tenant, in sessions of 1,000; null: that takes too long. */
  tenant: number | null;
  queries: number;
  rounds: number;
};

const WORDS_OF_ITEM = 200;
const VOCABULARY = 5_000;
const PER_REQUEST = 500;
const PER_SESSION = 1_000;
const CONNECTIONS = [1, 64];
const APPENDS = 1_000;

/** What a search and its index cost: time of a search, lag, space, and what appends feel of it. */
export async function searchFigures(plan: Plan): Promise<Figure[]> {
  const figures = await appendsBesideIndex(plan.rounds);
  for (const length of plan.lengths)
    figures.push(...(await searches(plan, length, [length], 'of a session')));
  if (plan.tenant !== null) {
    const sessions = new Array<number>(plan.tenant / PER_SESSION).fill(PER_SESSION);
    figures.push(...(await searches(plan, plan.tenant, sessions, 'of a tenant')));
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

/** The times of searches among so many items, and the space of their index. */
async function searches(
  { queries }: Plan,
  items: number,
  sessions: readonly number[],
  where: string,
): Promise<Figure[]> {
  const options = { summarizer: 'extractive', synchronous: 'NORMAL' } as const;
  return withLocalService(options, async ({ target, store, databasePath }) => {
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
    const path = sessions.length === 1 ? '/sessions/searched-0/search' : '/search';
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
    const isTenant = sessions.length > 1;
    const named = `search ${items.toLocaleString('en')} items ${where}`;
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
        ours: indexBytes(databasePath),
        baseline: { what: 'the text', value: text },
        target: { at_most: 0.6 },
      },
    ];
  });
}

function indexBytes(path: string): number {
  const db = openSqlite(path, { readonly: true });
  try {
    const sql = "SELECT sum(pgsize) FROM dbstat WHERE name LIKE 'search%'";
    return db.prepare<[], number>(sql).pluck().get() ?? 0;
  } finally {
    db.close();
  }
}

/** Items of some 1.5 KB whose words are as unequally frequent as those of a language, with a name of their own each. */
class Corpus {
  readonly #random = new SeededRandom(7);
  readonly #words: string[];
  #count = 0;
  readonly #phrases: string[] = [];

  constructor() {
    const syllables = [
      'ka',
      'lo',
      'mi',
      'ren',
      'sta',
      'tor',
      've',
      'zu',
      'pre',
      'in',
      'con',
      'der',
    ];
    this.#words = Array.from({ length: VOCABULARY }, (_, i) =>
      [i % 12, Math.floor(i / 12) % 12, Math.floor(i / 144) % 12, Math.floor(i / 1728)]
        .map((at) => syllables[at])
        .join(''),
    );
  }

  items(count: number): Item[] {
    return Array.from({ length: count }, () => {
      const words = Array.from({ length: WORDS_OF_ITEM }, () => this.#word());
      const at = Math.floor(words.length / 2);
      this.#phrases.push(words.slice(at, at + 3).join(' '));
      const name = `handleRequest${(this.#count * 7919).toString(36)}`;
      this.#count += 1;
      return { role: 'user', content: `${name} ${words.join(' ')}` };
    });
  }

  /** A third rare names, a third words that stand in more than a tenth of the items, a third phrases. */
  query(index: number, items: number): string {
    const item = Math.floor((index * items * 0.618) % items);
    if (index % 3 === 0) return `handleRequest${(item * 7919).toString(36)}`;
    if (index % 3 === 1) return `${this.#words[index % 20]} ${this.#words[(index * 7 + 3) % 20]}`;
    return `"${this.#phrases[item]}"`;
  }

  /** By Zipf's law. */
  #word(): string {
    return this.#words[Math.floor(VOCABULARY ** this.#random.next()) - 1] ?? '';
  }
}
