import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { LOCAL_TENANT } from '../../src/api/http/auth.ts';
import type { SearchableStore } from '../../src/app/ports/search-index.ts';
import { Indexer } from '../../src/app/search/indexer.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { assistant, call, result, user } from '../support/items.ts';
import { openTestStore } from '../support/open-test-store.ts';

/**
 * The pages of a session of 100,000 items (SPEC 2, section 27). None is over a megabyte, and none reads more
 * of the log than it did when the log was a tenth as long. What they take
 * of the processor, this test's own part included, is printed and not asserted: `npm run bench -- pages` does.
 */

const ITEMS = inject('scale') === 'brief' ? 10_000 : 100_000;
/** So many stand in the context; those before them are summarised. */
const BATCH = ITEMS / 20;
const LIMIT = 1_000_000;
const ID = 'long';
const SESSION = `/inspect/sessions/${ID}`;
const TIME_LIMIT = 240_000;

let api: ApiServer;
let store: SearchableStore;
let appended = 0;

beforeAll(async () => {
  store = await openTestStore();
  api = await startApi({
    store,
    limits: {
      body_bytes: 50_000_000,
      items_per_request: BATCH,
      json_depth: 64,
      json_values: 2_000_000,
      rate_per_minute_per_key: null,
    },
  });
  const config = { auto_compact_enabled: false };
  const body = { id: ID, context_window: 1_048_576, config };
  expect((await send(api, 'POST', '/sessions', { body })).status).toBe(201);
});
afterAll(() => api?.close());

const page = (path: string) => send(api, 'GET', path, { headers: { accept: 'text/html' } });

async function append(): Promise<void> {
  const body = Array.from({ length: BATCH / 4 }, (_, round) => {
    const at = appended + round * 4;
    return [
      user(`What does marker${at} say about src/file${at % 300}.ts?`),
      call(`t${at}`, 'Read', { file_path: `src/file${at % 300}.ts` }),
      result(`t${at}`, `export const limit${at} = ${at};`),
      assistant(`It exports limit${at}.`),
    ];
  }).flat();
  expect((await send(api, 'POST', `/sessions/${ID}/items`, { body })).status).toBe(201);
  appended += BATCH;
}

async function compact(body: object): Promise<string> {
  const asked = await send(api, 'POST', `/sessions/${ID}/compact`, { body });
  expect(asked.status).toBe(202);
  await api.work(api.dispatched.at(-1));
  return String(asked.body.id);
}

/** Appends so much, with a summary of each batch but the last, of which one is proposed. */
async function growTo(items: number): Promise<string[]> {
  let done = '';
  for (await append(); appended < items; await append()) done = await compact({ mode: 'full' });
  return [done, await compact({ mode: 'full', propose: true })];
}

const pagesOf = ([done = '', proposed = '']: string[]) => ({
  'all sessions': '/',
  'a search over all': `/inspect/search?q=marker${appended - 8}`,
  timeline: SESSION,
  context: `${SESSION}/context`,
  'its newest page': `${SESSION}/context?page=100000`,
  'the context before': `${SESSION}/context?at=${appended - 10}`,
  'an hour ago': `${SESSION}/context?ago=60`,
  log: `${SESSION}/log`,
  'the log in its middle': `${SESSION}/log?after=${Math.floor(appended / 2)}`,
  'an item': `${SESSION}/items/${Math.floor(appended / 2)}`,
  'a search': `${SESSION}/search?q=marker8`,
  'a compaction': `${SESSION}/compactions/${done}`,
  'what it took': `${SESSION}/compactions/${done}/covered`,
  'a proposal': `${SESSION}/compactions/${proposed}`,
  'a dry run': `${SESSION}/dry-run`,
  'a dry run that summarises': `${SESSION}/dry-run?mode=full`,
});

type Figures = { ms: number; bytes: number; events: number };

/** What each page takes and reads, the second time that it is asked for. */
async function look(paths: Record<string, string>): Promise<Map<string, Figures>> {
  // A search waits for the index, which the service keeps up to date by itself.
  await new Indexer(store, () => {}).catchUp({ tenant: LOCAL_TENANT, session_id: ID }, Infinity);
  const read = vi.spyOn(store, 'events');
  const figures = new Map<string, Figures>();
  for (const [name, path] of Object.entries(paths)) {
    expect({ name, status: (await page(path)).status }).toEqual({ name, status: 200 });
    read.mockClear();
    const started = process.cpuUsage();
    const { text } = await page(path);
    const { user, system } = process.cpuUsage(started);
    const ms = Math.round((user + system) / 1_000);
    let events = 0;
    for (const { value } of read.mock.results) events += (await value).length;
    figures.set(name, { ms, bytes: Buffer.byteLength(text), events });
  }
  read.mockRestore();
  return figures;
}

describe(`the pages of a session of ${ITEMS} items`, () => {
  it(
    'are small, and read no more than those of a tenth of it',
    async () => {
      const before = await look(pagesOf(await growTo(ITEMS / 10)));
      const compactions = await growTo(ITEMS);
      expect(appended).toBe(ITEMS);
      const after = await look(pagesOf(compactions));
      console.table(Object.fromEntries(after));
      for (const [name, { bytes, events }] of after) {
        expect({ name, isLarge: bytes > LIMIT }).toEqual({ name, isLarge: false });
        const earlier = before.get(name)?.events ?? 0;
        // The log is ten times as long. Contexts are not of the same length, but for what is kept of them.
        const isMuch = events > 1.5 * earlier + 200;
        expect({ name, earlier, events, isMuch }).toMatchObject({ name, isMuch: false });
        // And at most at a context before and after.
        expect({ name, isAll: events > 2 * BATCH + 1_000 }).toEqual({ name, isAll: false });
      }
    },
    TIME_LIMIT,
  );
});
