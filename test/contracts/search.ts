import { hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SearchableStore } from '../../src/app/ports/search-index.ts';
import { Indexer } from '../../src/app/search/indexer.ts';
import { verifySearch } from '../../src/app/search/verify-search.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { type ApiServer, SMALL_WINDOW, send, startApi } from '../support/api-server.ts';
import { assistant, call, ofTokens, result, thinking, tool, user } from '../support/items.ts';

type Hit = { seq: number; session_id: string; kind: string; snippet: string } & JsonObject;

/** Asks one session, or with null all of them, and answers the hits. */
export async function hitsOf(
  api: ApiServer,
  session: string | null,
  query: Record<string, string>,
): Promise<Hit[]> {
  const path = session === null ? '/search' : `/sessions/${session}/search`;
  const { status, body, text } = await send(api, 'GET', `${path}?${new URLSearchParams(query)}`);
  expect(status, text).toBe(200);
  // The API has checked its answer against its schema.
  return body.data as Hit[];
}

const firstSeqs = async (api: ApiServer, session: string | null, q: string) =>
  (await hitsOf(api, session, { q, limit: '5' })).map(({ seq }) => seq);

/** Talk among which the rest has to be found. */
const FILLER = Array.from({ length: 60 }, (_, i) => {
  const topic = ['build', 'server', 'report', 'parser'][i % 4];
  return user(`Step ${100 + i}: the ${topic} runs, and the log of the ${topic} says nothing new.`);
});

/** What is said somewhere in the middle, and what it is asked for with. */
const SPOKEN: [said: string, ...queries: string[]][] = [
  [
    'Have a look at src/strategy/prompts.go, please.',
    'prompts.go',
    'strategy/prompts',
    'src/strategy/prompts.go',
    'strategy prompts',
  ],
  [
    'The method getUserName answers null.',
    'getUserName',
    'UserName',
    'user_name',
    'getusername',
    'username',
    'getUser*',
  ],
  [
    'Set max_retry_count before the start.',
    'max_retry_count',
    'retry_count',
    'maxRetryCount',
    'max_retry*',
  ],
  [
    'It greps for line_at_start|LineAtStart in all files.',
    'line_at_start|lineatstart',
    'lineatstart',
  ],
  ['It stops with E_CONN_42 after a while.', 'E_CONN_42', 'conn_42', '"e conn 42"'],
  [
    "TypeError: Cannot read properties of undefined (reading 'flags')",
    'TypeError "properties of undefined"',
    'reading flags',
    '"Cannot read properties"',
  ],
  ['There were 1,204 rows and 3.14 of them.', '1204', '1,204', '3.14'],
  ['The commit is 9f8e7d6c5b4a, of yesterday.', '9f8e7d6c5b4a', '9f8e7d*'],
  ['数据库连接失败，请检查配置。', '数据库', '连接失败', '配置', '库', '检查数据库的连接'],
  ['データベースの接続に失敗しました', '接続', 'データベース', 'ベース'],
  ['한국어로 답해 주세요', '한국어'],
  ['Die Größe der Fläche in Zürich stimmt nicht', 'Größe', 'grosse', 'zurich', 'ZÜRICH', 'Flache'],
  ['Пользователь уже существует', 'пользователь', 'СУЩЕСТВУЕТ'],
  ['{"output":"first line\\nsecondword of it"}', 'secondword'],
];

/** No index of a database takes so much, and nothing makes it short. */
const LONG = Array.from({ length: 100 }, (_, i) => hash('sha256', String(i))).join('');
const AT = '2026-01-02T03:04:05.000Z';

/** Facts that differ from each other in few words. */
const FACTS = Array.from({ length: 40 }, (_, i) => {
  const places = ['Lisbon', 'Oslo', 'Kyoto', 'Quito', 'Cairo'];
  const things = [
    'invoice',
    'ticket',
    'voucher',
    'contract',
    'licence',
    'permit',
    'receipt',
    'pledge',
  ];
  const place = places[i % 5];
  const thing = things[i % 8];
  return {
    text: `Remember: the ${thing} from ${place} has the number ${7_000 + 13 * i}.`,
    q: `${thing} ${place} number`,
  };
});

/**
 * What every store must find, and in which order: one set of expectations, so that the stores agree.
 * `makeStore` makes an empty store; the suite closes it.
 */
export function searchContract(name: string, makeStore: () => Promise<SearchableStore>): void {
  describe(`${name}: search`, () => {
    let api: ApiServer;
    const append = async (session: string, items: unknown) => {
      for (let from = 0; Array.isArray(items) && from < items.length; from += 100) {
        const reply = await send(api, 'POST', `/sessions/${session}/items`, {
          body: items.slice(from, from + 100),
        });
        expect(reply.status, reply.text).toBe(201);
      }
    };

    describe('in what was said', () => {
      beforeAll(async () => {
        api = await startApi({ store: await makeStore() });
        await append('talk', [
          ...FILLER.slice(0, 30),
          ...SPOKEN.map(([said]) => user(said)),
          ...FACTS.map(({ text }) => user(text)),
          ...FILLER.slice(30),
        ]);
      });
      afterAll(() => api.close());

      test.each(SPOKEN.flatMap(([said, ...queries]) => queries.map((q) => [q, said] as const)))(
        'finds by %s',
        async (q, said) => {
          const [first, ...others] = await hitsOf(api, 'talk', { q, limit: '5' });
          expect(first?.snippet).toBe(said);
          expect(first?.matches).not.toEqual([]);
          // Fewer words may follow; nothing else has all of them.
          for (const other of others) expect(other.score).toBeLessThan(Number(first?.score));
        },
      );

      test('finds each of forty facts by its own words', async () => {
        const found: string[] = [];
        for (const { text, q } of FACTS) {
          const hits = await hitsOf(api, 'talk', { q, limit: '5' });
          if (hits.some(({ snippet }) => snippet === text)) found.push(text);
        }
        expect(found).toEqual(FACTS.map(({ text }) => text));
      });

      test('marks what was found, by its places in the snippet', async () => {
        const [hit] = await hitsOf(api, 'talk', { q: 'prompts.go look' });
        const matches = hit?.matches as { start: number; end: number }[];
        expect(matches.map(({ start, end }) => hit?.snippet.slice(start, end))).toEqual([
          'look',
          'prompts.go',
        ]);
      });

      test('newer first at equal relevance', async () => {
        const seqs = await firstSeqs(api, 'talk', 'parser');
        expect(seqs).toEqual([...seqs].sort((a, b) => b - a));
        expect(seqs).toHaveLength(5);
      });

      test('an excluded word, alternatives and a phrase that is not there', async () => {
        const texts = async (q: string) =>
          (await hitsOf(api, 'talk', { q, limit: '50' })).map(({ snippet }) => snippet);
        const oslo = FACTS.filter(({ text }) => text.includes('Oslo'));
        const without = oslo.filter(({ text }) => !text.includes('ticket'));
        expect((await texts('Oslo -ticket')).sort()).toEqual(
          without.map(({ text }) => text).sort(),
        );
        expect(await texts('Oslo OR Quito')).toHaveLength(16);
        expect(await texts('"Oslo from"')).toEqual([]);
        expect(await texts('"from Oslo" ticket')).toContain(
          oslo.find(({ text }) => text.includes('ticket'))?.text,
        );
        expect(await texts('zzzunknown')).toEqual([]);
      });

      test('fewer of the words follow those with all of them, the rarest first', async () => {
        const hits = await hitsOf(api, 'talk', { q: 'zurich permit nothing', limit: '10' });
        expect(hits[0]?.snippet).toContain('Zürich');
        expect(hits.slice(1, 6).every(({ snippet }) => snippet.includes('permit'))).toBe(true);
        expect(hits[6]?.snippet).toContain('nothing');
      });

      test('a word by itself before parts of names, and each line before it comes again', async () => {
        await append('lines', [
          user('The walrus swims.\nIt is number 1.'),
          user('A seal, walrusSeal and walrus_seal.'),
          user('The walrus swims.\nIt is number 2.'),
          user('Call walrusOf(walrusSeal).'),
          user('The walrus swims.\nIt is number 3.'),
          user('Where is the walrus? It is number 4.'),
        ]);
        const seqs = await firstSeqs(api, 'lines', 'walrus');
        // The newest of those that say the same, then what says something else.
        expect([...seqs.slice(0, 2)].sort()).toEqual([6, 7]);
        expect([...seqs.slice(2, 4)].sort()).toEqual([3, 5]);
        expect(seqs[4]).toBe(4);
        const page = async (cursor: JsonObject) => {
          const query = new URLSearchParams({ q: 'walrus', limit: '2', ...cursor });
          return (await send(api, 'GET', `/sessions/lines/search?${query}`)).body;
        };
        const first = await page({});
        const second = await page({ cursor: first.next_cursor ?? null });
        const third = await page({ cursor: second.next_cursor ?? null });
        const paged = [first, second, third].flatMap(({ data }) => data as Hit[]);
        expect(paged.map(({ seq }) => seq)).toEqual([...seqs, 2]);
      });

      test('all words as they were asked for before only parts of one, or one inside of another', async () => {
        const padding = FILLER.slice(0, 20).map(({ content }) => content);
        const asked = (said: string) => user([said, ...padding].join('\n'));
        await append('asked', [
          asked('=== RUN TestHeronFlies'),
          user('TestHeronFlies, TestHeronFlies and TestHeronFlies.'),
          asked('See http://x.test/egret.pl?egret.pl for -F stork.'),
          user('stork egret.pl http://x.test/egret.pl?heron.pl stork'),
        ]);
        expect(await firstSeqs(api, 'asked', 'run TestHeronFlies')).toEqual([2, 3]);
        expect(await firstSeqs(api, 'asked', 'TestHeronFlies')).toEqual([3, 2]);
        const address = 'http://x.test/egret.pl?egret.pl';
        expect(await firstSeqs(api, 'asked', `stork ${address}`)).toEqual([4, 5]);
      });

      test('what was written as one before its names apart, and the first of a pair', async () => {
        const padding = FILLER.slice(0, 20).map(({ content }) => content);
        await append('written', [
          user([`The log says bitternCount=7 there.`, ...padding].join('\n')),
          user('bitternCount: none of 7. bitternCount 1 of 7.'),
          user('单位：价格表在这里。'),
        ]);
        expect(await firstSeqs(api, 'written', 'bitternCount=7')).toEqual([2, 3]);
        expect(await firstSeqs(api, 'written', '7|bitternCount')).toEqual([3, 2]);
        expect(await firstSeqs(api, 'written', '单位：价')).toEqual([4]);
      });

      test('signs alone are found as they stand', async () => {
        await append('signs', [
          user('| a | b |\n|---|:-:|\n| 1 | 2 |'),
          user('| c |\n|---|'),
          user('(?:^$)'),
        ]);
        const found = async (q: string) =>
          (await hitsOf(api, 'signs', { q })).map(({ seq, matches, snippet }) => [
            seq,
            (matches as { start: number; end: number }[]).map(({ start, end }) =>
              snippet.slice(start, end),
            ),
          ]);
        expect(await found('|---|:-:|')).toEqual([[2, ['|---|:-:|']]]);
        expect(await found('"|---|"')).toEqual([
          [3, ['|---|']],
          [2, ['|---|']],
        ]);
        expect(await found('(?:^$)')).toEqual([[4, ['(?:^$)']]]);
        expect(await found('(.*)')).toEqual([]);
      });

      test('pages go on where the one before ended', async () => {
        const seen: number[] = [];
        let cursor: string | null = null;
        do {
          const query: URLSearchParams = new URLSearchParams({
            q: 'number',
            limit: '7',
            ...(cursor && { cursor }),
          });
          const { body } = await send(api, 'GET', `/sessions/talk/search?${query}`);
          seen.push(...(body.data as Hit[]).map(({ seq }) => seq));
          expect(body.is_complete).toBe(true);
          cursor = body.next_cursor as string | null;
        } while (cursor !== null);
        expect(new Set(seen).size).toBe(40);
        expect(seen).toHaveLength(40);
      });

      test('a regular expression, newest first, with its places and its pages', async () => {
        const hits = await hitsOf(api, 'talk', { regex: 'number 7\\d{2}[05]\\.$' });
        const expected = FACTS.filter(({ text }) => /number 7\d{2}[05]\.$/.test(text));
        expect(hits.map(({ snippet }) => snippet)).toEqual(
          expected.map(({ text }) => text).reverse(),
        );
        const [place] = (hits[0]?.matches ?? []) as { start: number; end: number }[];
        expect(hits[0]?.snippet.slice(place?.start, place?.end)).toMatch(/^number 7\d{3}\.$/);
        const page = async (cursor: JsonObject) =>
          (
            await send(
              api,
              'GET',
              `/sessions/talk/search?${new URLSearchParams({ regex: 'number 7', limit: '25', ...cursor })}`,
            )
          ).body;
        const first = await page({});
        const second = await page({ cursor: first.next_cursor ?? null });
        expect(
          [...(first.data as Hit[]), ...(second.data as Hit[])].map(({ snippet }) => snippet),
        ).toEqual(FACTS.map(({ text }) => text).reverse());
        expect([first.is_complete, second.is_complete, second.next_cursor]).toEqual([
          false,
          true,
          null,
        ]);
      });
    });

    describe('in what was done', () => {
      const hits = (query: Record<string, string>, session: string | null = 'work') =>
        hitsOf(api, session, query);
      let store: SearchableStore;
      beforeEach(async () => {
        store = await makeStore();
        api = await startApi({ store });
        await send(api, 'POST', '/sessions', {
          body: {
            id: 'work',
            context_window: SMALL_WINDOW,
            config: { micro_compact_target_tokens: 1, auto_compact_enabled: false },
          },
        });
        await append('work', [
          user('Please repair the flamingo.'),
          assistant([
            thinking('The flamingo needs a look.'),
            { type: 'text', text: 'I read flamingo.ts.' },
          ]),
          call('c-read', 'Read', { path: 'src/flamingo.ts' }),
          result('c-read', `export class Flamingo {} // ${ofTokens(1_000)}`),
          ...Array.from({ length: 6 }, (_, i) =>
            tool(`t${i}`, 'Bash', 1_000, { command: `make ${i}` }),
          ).flat(),
          user('Is the flamingo done?'),
        ]);
        return () => api.close();
      });

      test('names the sessions of a call, the newest first', async () => {
        await append('other', [user('Flamingo?'), ...tool('t0', 'Bash', 10)]);
        await append('other', [...tool('t0', 'Bash', 10), call('own', 'mcp__palimpsest__pin')]);
        await hits({ q: 'flamingo' }, null);
        const of = (id: string, limit = 5) => store.search.sessionsOfCall('local', id, limit);
        expect(await of('t0')).toEqual(['other', 'work']);
        expect(await of('t0', 1)).toEqual(['other']);
        expect(await of('own')).toEqual(['other']);
        expect(await of('none')).toEqual([]);
        expect(await store.search.sessionsOfCall('another', 't0', 5)).toEqual([]);
      });

      test('says what a hit is, and finds by that', async () => {
        const all = await hits({ q: 'flamingo' });
        expect(
          all
            .map(({ seq, kind, role, tool, tool_use_id }) => [seq, kind, role, tool, tool_use_id])
            .sort(),
        ).toEqual([
          [18, 'message', 'user', null, null],
          [2, 'message', 'user', null, null],
          [3, 'message', 'assistant', null, null],
          [3, 'reasoning', 'assistant', null, null],
          [4, 'tool_call', 'assistant', 'Read', 'c-read'],
          [5, 'tool_result', 'tool', 'Read', 'c-read'],
        ]);
        const seqs = async (query: Record<string, string>) =>
          (await hits({ q: 'flamingo', ...query })).map(({ seq }) => seq).sort((a, b) => a - b);
        expect(await seqs({ kind: 'reasoning' })).toEqual([3]);
        expect(await seqs({ role: 'user' })).toEqual([2, 18]);
        expect(await seqs({ tool: 'Read' })).toEqual([4, 5]);
        expect(await seqs({ tool: 'Bash' })).toEqual([]);
        expect(await seqs({ after: '3', before: '18' })).toEqual([4, 5]);
        expect(await seqs({ since: '2026-01-02T03:04:05Z' })).toEqual([2, 3, 3, 4, 5, 18]);
        expect(await seqs({ until: '2026-01-02T03:04:05Z' })).toEqual([]);
        expect((await hits({ regex: 'Flamingo \\{', tool: 'Read' })).map(({ seq }) => seq)).toEqual(
          [5],
        );
      });

      test('knows when an imported item was said', async () => {
        const at = (timestamp: string, word: string) => ({ ...user(`Told: ${word}.`), timestamp });
        const body = [
          at('2025-06-01T10:00:00+02:00', 'ibisword'),
          at('2025-06-03T10:00:00.000Z', 'ibisword'),
          user('Told: ibisword.'),
        ];
        const { status, text } = await send(api, 'POST', '/sessions/told/items', { body });
        expect(status, text).toBe(201);
        const found = async (query: Record<string, string>) =>
          (await hitsOf(api, 'told', { q: 'ibisword', ...query })).map(({ at }) => at);
        expect(await found({})).toEqual([
          '2026-01-02T03:04:05.000Z',
          '2025-06-03T10:00:00.000Z',
          '2025-06-01T08:00:00.000Z',
        ]);
        expect(await found({ until: '2025-06-01T09:00:00Z' })).toEqual([
          '2025-06-01T08:00:00.000Z',
        ]);
        expect(await found({ since: '2025-06-02', until: '2025-06-04' })).toEqual([
          '2025-06-03T10:00:00.000Z',
        ]);
      });

      test('knows where each stands now, before and after compactions', async () => {
        const compact = async (mode: string) => {
          const { body } = await send(api, 'POST', '/sessions/work/compact', { body: { mode } });
          await api.work(api.dispatched.at(-1));
          return body.id;
        };
        const states = async () =>
          Object.fromEntries(
            (await hits({ q: 'flamingo', limit: '50' }))
              .filter(({ kind }) => kind === 'tool_result' || kind === 'summary')
              .map(({ kind, state, compaction_id }) => [kind, [state, compaction_id]]),
          );
        expect(await states()).toEqual({ tool_result: ['in_context', null] });
        const micro = await compact('micro');
        expect(await states()).toEqual({ tool_result: ['cleared', micro] });
        expect((await hits({ q: 'flamingo', state: 'cleared' })).map(({ seq }) => seq)).toEqual([
          5,
        ]);
        const full = await compact('full');
        expect(await states()).toEqual({
          tool_result: ['summarised', full],
          summary: ['in_context', null],
        });
        const taken = await hits({ q: 'flamingo', state: 'summarised' });
        expect(taken.map(({ seq }) => seq)).toContain(4);
        expect(taken.every(({ compaction_id }) => compaction_id === full)).toBe(true);
        await send(api, 'POST', `/sessions/work/compactions/${full}/revert`);
        expect(await states()).toEqual({ tool_result: ['cleared', micro], summary: [null, null] });
      });

      test('what was said comes before summaries, which have the words by chance', async () => {
        const summed = (n: number) =>
          user(
            `Summary ${n}. The audience is set.\nNames: deploy.yml, heron, run.sh.\nIt was successful ${n} times.`,
            { is_compact_summary: true },
          );
        const body = [
          user('Which run of the heron was good?'),
          assistant('The previous successful run was 28516790911, of the heron.'),
          ...Array.from({ length: 8 }, (_, n) => summed(n)),
        ];
        await send(api, 'POST', '/sessions/summed/items', { body });
        const kindsOf = async (query: Record<string, string>) =>
          (await hitsOf(api, 'summed', query)).map(({ kind }) => kind);
        const q = 'successful run heron audience';
        expect((await hitsOf(api, 'summed', { q, limit: '4' }))[0]?.snippet).toContain(
          '28516790911',
        );
        // Each tells what the one before it told.
        expect((await kindsOf({ q, limit: '3' })).sort()).toEqual([
          'message',
          'message',
          'summary',
        ]);
        expect((await kindsOf({ q, kind: 'summary' })).length).toBe(8);
      });

      test('a fork reaches what its parent had summarised, and nothing that came later', async () => {
        await send(api, 'POST', '/sessions/work/compact', { body: { mode: 'full' } });
        await api.work(api.dispatched.at(-1));
        await send(api, 'POST', '/sessions/work/fork', { body: { id: 'branch' } });
        await append('work', [user('A later flamingo of the parent.')]);
        const found = await hits({ q: 'flamingo', limit: '50' }, 'branch');
        const ofParent = found.filter(({ session_id }) => session_id === 'work');
        expect(ofParent.map(({ seq }) => seq)).toContain(5);
        expect(ofParent.every(({ state }) => state === 'summarised')).toBe(true);
        expect(found.map(({ snippet }) => snippet).join()).not.toContain('later');
        // What came after the cut was copied, and is found once.
        expect(found.filter(({ snippet }) => snippet === 'Is the flamingo done?')).toHaveLength(1);
        expect(found.find(({ kind }) => kind === 'summary')).toMatchObject({
          session_id: 'branch',
          state: 'in_context',
        });
      });

      test('a fork has no past in another session that has the id of its erased parent', async () => {
        await send(api, 'POST', '/sessions/work/compact', { body: { mode: 'full' } });
        await api.work(api.dispatched.at(-1));
        await send(api, 'POST', '/sessions/work/fork', { body: { id: 'branch' } });
        const ofParent = async () =>
          (await hits({ q: 'flamingo', limit: '50' }, 'branch')).filter(
            ({ session_id }) => session_id === 'work',
          );
        expect(await ofParent()).not.toEqual([]);
        await send(api, 'DELETE', '/sessions/work');
        expect(await ofParent()).toEqual([]);
        api.advance(1_000);
        const flamingos = Array.from({ length: 12 }, (_, i) =>
          user(`Another flamingo, the ${i}th. ${ofTokens(200)}`),
        );
        await append('work', flamingos.slice(0, 6));
        await send(api, 'POST', '/sessions/work/compact', { body: { mode: 'full' } });
        await api.work(api.dispatched.at(-1));
        await append('work', flamingos);
        expect((await hits({ q: 'another flamingo' }, 'work')).length).toBeGreaterThan(5);
        expect(await ofParent()).toEqual([]);
      });

      test('all sessions of a tenant, and of no other', async () => {
        await append('other', [user('Another flamingo.')]);
        const sessions = new Set(
          (await hits({ q: 'flamingo' }, null)).map(({ session_id }) => session_id),
        );
        expect([...sessions].sort()).toEqual(['other', 'work']);
        const theirs = { tenant: 'thief', session_id: 'theirs' };
        const { store } = api.deps;
        const events = await store.events({ tenant: 'local', session_id: 'other' });
        await store.commit(
          theirs,
          () => ({
            ok: true,
            value: {
              events: events.map(({ type, data }) => ({ type, data }) as never),
              value: () => null,
            },
          }),
          { at: '2026-01-02T03:04:05.000Z' },
        );
        expect(await hits({ q: 'flamingo' }, null)).toHaveLength(7);
        expect((await send(api, 'GET', '/sessions/theirs/search?q=flamingo')).status).toBe(404);
      });

      test.each([
        ['U+0000', 'a\0b'],
        ['half a character', 'a\ud83cb'],
        ['thousands of signs', LONG],
      ])('%s in names, ids and settings keeps nothing from being found', async (_, odd) => {
        const { store } = api.deps;
        await send(api, 'POST', '/sessions', { body: { id: 'odd', metadata: { [odd]: odd } } });
        const [id, name] = [`c-${odd}`, `Read ${odd}`];
        await append('odd', [
          call(id, name, { path: `${odd}.ts` }),
          result(id, `A flamingo, ${odd}`),
          // It has no result: the session waits for it.
          call(odd, 'Bash', { command: `rm ${odd}` }),
        ]);
        expect(await hits({ q: 'flamingo' }, 'odd')).toMatchObject([{ tool_use_id: id }]);
        expect(await hits({ q: 'flamingo' }, null)).toHaveLength(7);
        if (name.length <= 256) {
          expect(await hits({ q: 'flamingo', tool: name }, null)).toHaveLength(1);
        }
        const problems: string[] = [];
        for await (const problem of verifySearch(store)) problems.push(problem);
        expect(problems).toEqual([]);
        const page = { tenant: 'local', after: 0, limit: 10 };
        expect(await store.archived.idle({ ...page, before: '2030-01-01' })).toHaveLength(2);
        expect(await store.archived.sizes(page)).toMatchObject([
          { updated_at: AT },
          { updated_at: AT },
        ]);
      });

      test('what is erased is not found any more, also under its old name', async () => {
        expect(await hits({ q: 'flamingo' })).toHaveLength(6);
        await send(api, 'DELETE', '/sessions/work');
        expect((await send(api, 'GET', '/sessions/work/search?q=flamingo')).status).toBe(404);
        expect(await hits({ q: 'flamingo' }, null)).toEqual([]);
        await append('work', [user('A new heron.')]);
        expect(await hits({ q: 'flamingo' })).toEqual([]);
        expect(await hits({ q: 'heron' })).toHaveLength(1);
      });

      test('several indexers at once write nothing twice and leave nothing out', async () => {
        const { store } = api.deps;
        const ref = { tenant: 'local', session_id: 'busy' };
        const indexers = Array.from(
          { length: 3 },
          () =>
            new Indexer(store, (error) => {
              throw error;
            }),
        );
        const texts = Array.from({ length: 90 }, (_, i) => `pelican number ${i}`);
        await Promise.all([
          append(
            'busy',
            texts.slice(0, 30).map((text) => user(text)),
          ),
          ...indexers.map((indexer) => indexer.catchUp(ref, performance.now() + 10_000)),
        ]);
        await append(
          'busy',
          texts.slice(30).map((text) => user(text)),
        );
        await Promise.all(
          indexers.map((indexer) => indexer.catchUp(ref, performance.now() + 10_000)),
        );
        const scope = { tenant: 'local', session: { id: 'busy', up_to: 1_000 } };
        const query = { scope, filters: {}, none: [], limit: 500 };
        expect(await store.search.size(scope)).toBe(90);
        expect((await store.search.find({ ...query, all: [] })).map(({ seq }) => seq)).toEqual(
          Array.from({ length: 90 }, (_, i) => 91 - i),
        );
        const pelican = [[{ tokens: ['pelican'], prefixes: [], sequence: [] }]];
        expect(await store.search.find({ ...query, all: pelican })).toHaveLength(90);
        expect(await store.search.frequency(scope, pelican[0] ?? [])).toBe(90);
      });

      test('what is indexed is found, each once, while more is written', async () => {
        const { store } = api.deps;
        const indexer = new Indexer(store, (error) => {
          throw error;
        });
        const ref = { tenant: 'local', session_id: 'growing' };
        const scope = { tenant: 'local', session: { id: 'growing', up_to: 1_000 } };
        const all = [[{ tokens: ['osprey'], prefixes: [], sequence: [] }]];
        let isWritten = false;
        const writing = (async () => {
          // One by one: what is indexed is joined again and again.
          for (let i = 0; i < 80; i++) {
            await append('growing', [user(`osprey ${i}`)]);
            await indexer.catchUp(ref, Number.POSITIVE_INFINITY);
          }
        })().finally(() => {
          isWritten = true;
        });
        for (let isLast = false; !isLast; ) {
          await nextTurn();
          isLast = isWritten;
          const before = await store.search.size(scope);
          const query = { scope, filters: {}, all, none: [], limit: 500 };
          const ids = (await store.search.find(query)).map(({ id }) => id);
          expect(ids.length).toBeGreaterThanOrEqual(before);
          expect(new Set(ids).size).toBe(ids.length);
        }
        await writing;
        expect(await store.search.size(scope)).toBe(80);
      });

      test('an index that is forgotten is written anew, and answers the same', async () => {
        const before = await hits({ q: 'flamingo done' });
        await api.deps.store.search.clear();
        expect(await api.deps.store.search.size({ tenant: 'local', session: null })).toBe(0);
        expect(await hits({ q: 'flamingo done' })).toEqual(before);
      });
    });
  });
}
