import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { cpuMs } from '../support/cpu-time.ts';
import { user } from '../support/items.ts';

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
  await send(api, 'POST', '/sessions/s/items', { body: [user('One needle.')] });
});
afterAll(() => api.close());

const search = (query: Record<string, string>, session = 's') =>
  send(api, 'GET', `/sessions/${session}/search?${new URLSearchParams(query)}`);

describe('GET /sessions/:id/search', () => {
  it.each([
    [{}, 'send either q (words) or regex (a regular expression)'],
    [{ q: 'a', regex: 'a' }, 'send either q (words) or regex (a regular expression)'],
    [
      { q: '-a' },
      'the query cannot be searched for: it only excludes: it needs a word to look for as well',
    ],
    [{ regex: '(' }, 'the regular expression cannot be used (RE2 syntax): '],
    [{ regex: '(a)\\1' }, 'the regular expression cannot be used (RE2 syntax): '],
    [
      { regex: 'a*' },
      'the regular expression cannot be used (RE2 syntax): it matches the empty text, which is everywhere',
    ],
    [{ regex: '(a{1,1000}){1,1000}' }, 'the regular expression cannot be used (RE2 syntax): '],
    [
      { regex: '(?:a{0,900}b{0,900}){0,1}c' },
      'the regular expression cannot be used (RE2 syntax): it repeats too much: use smaller numbers in {…}',
    ],
    [
      { q: 'a', cursor: 'eA' },
      'The cursor is not one that this list gave out; start again without a cursor.',
    ],
    [{ q: 'a', since: 'yesterday' }, 'must be a time such as 2026-01-02T03:04:05Z, or a day'],
    [{ q: 'a', limit: '501' }, 'must be a whole number from 1 to 500'],
    [{ q: 'x'.repeat(501) }, 'q'],
    [{ q: 'a', kind: 'thing' }, 'kind'],
  ])('refuses %j', async (query, message) => {
    const { status, body } = await search(query);
    expect(status).toBe(400);
    expect(body).toMatchObject({ type: expect.stringContaining('invalid-request') });
    expect(JSON.stringify(body)).toContain(JSON.stringify(message).slice(1, -1));
  });

  it('answers fifty hits, and as many more as are asked for', async () => {
    const items = Array.from({ length: 60 }, (_, index) => user(`haystack ${index}`));
    await send(api, 'POST', '/sessions/many/items', { body: items });
    expect((await search({ q: 'haystack' }, 'many')).body.data).toHaveLength(50);
    expect((await search({ q: 'haystack', limit: '500' }, 'many')).body.data).toHaveLength(60);
    expect((await search({ regex: 'hay.*k', limit: '500' }, 'many')).body.data).toHaveLength(60);
  });

  it('takes a day for the moment that it begins, in UTC', async () => {
    for (const [since, found] of [
      ['2020-01-01', 1],
      ['9999-01-01', 0],
    ] as const) {
      expect((await search({ q: 'needle', since })).body.data).toHaveLength(found);
      expect((await search({ q: 'needle', until: since })).body.data).toHaveLength(1 - found);
    }
  });

  it('does not know a session that does not exist', async () => {
    expect((await search({ q: 'needle' }, 'none')).status).toBe(404);
  });

  it('answers a hostile expression in time that goes with the length of the text', async () => {
    await send(api, 'POST', '/sessions/long/items', { body: [user('x'.repeat(200_000))] });
    const started = cpuMs();
    const { body } = await search({ regex: '(x+x+)+y|(a|aa)*z' }, 'long');
    expect(body).toEqual({ data: [], next_cursor: null, is_complete: true });
    expect(cpuMs() - started).toBeLessThan(5_000);
  });

  it('refuses an expression that repeats far too much before it is compiled, which takes long', async () => {
    const before = process.cpuUsage();
    const { status, body } = await search({ regex: `(?:${'(.?)'.repeat(120)}){1000}` });
    const { user, system } = process.cpuUsage(before);
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain('it repeats too much');
    expect(user + system).toBeLessThan(400_000);
  });

  it('says that it is not complete when the index is too far behind', async () => {
    const late = await startApi({ indexer: { catchUp: async () => false } });
    await send(late, 'POST', '/sessions/s/items', { body: [user('One needle.')] });
    for (const path of ['/sessions/s/search?q=needle', '/search?q=needle']) {
      expect((await send(late, 'GET', path)).body).toEqual({
        data: [],
        next_cursor: null,
        is_complete: false,
      });
    }
    await late.close();
  });

  it('hands a large search, and each expression, to another thread', async () => {
    const asked: string[] = [];
    const elsewhere = await startApi({
      largestHere: { events: 1_000, tokens: 1_000, bytes: 1_000_000, values: 10_000 },
      elsewhere: async ({ url }) => {
        asked.push(url);
        return { status: 200, headers: {}, body: new Uint8Array() };
      },
    });
    await send(elsewhere, 'POST', '/sessions/s/items', { body: [user('One needle.')] });
    await send(elsewhere, 'GET', '/sessions/s/search?q=needle');
    await send(elsewhere, 'GET', '/sessions/s/search?regex=needle');
    // To find out that it is none, it has to be compiled.
    await send(elsewhere, 'GET', '/sessions/s/search?regex=(');
    expect(asked).toEqual([
      expect.stringContaining('regex=needle'),
      expect.stringContaining('regex=('),
    ]);
    await elsewhere.close();
  });
});
