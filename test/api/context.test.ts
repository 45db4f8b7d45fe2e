import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type ApiServer, SMALL_WINDOW, send, startApi } from '../support/api-server.ts';
import { assistant, call, ofTokens, result, tool, user } from '../support/items.ts';

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const context = (id: string, query = '', headers: Record<string, string> = {}) =>
  send(api, 'GET', `/sessions/${id}/context${query}`, { headers });
const append = (id: string, body: unknown) => send(api, 'POST', `/sessions/${id}/items`, { body });

const contextOf = z.object({ items: z.array(z.unknown()) });
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('GET /sessions/:id/context', () => {
  it('answers the items as the provider takes them, without our own fields', async () => {
    const answered = {
      ...assistant('b', { usage: { input_tokens: 90, output_tokens: 10 } }),
      x: 1,
    };
    await append('plain', [user('a', { is_meta: false }), answered, user('cd')]);
    const reply = await context('plain');
    expect(reply.status).toBe(200);
    expect(reply.headers.get('etag')).toBe('"4"');
    expect(reply.body).toEqual({
      session_id: 'plain',
      version: 4,
      at: 4,
      format: 'anthropic',
      items: [user('a'), assistant('b'), user('cd')],
      tokens: 100 + 2,
      base_compaction_id: null,
      compacted_tool_ids: [],
      hash: sha256(
        '[{"content":"a","role":"user"},{"content":"b","role":"assistant"},{"content":"cd","role":"user"}]',
      ),
    });
  });

  it('has a fingerprint of the items, and of nothing else', async () => {
    await append('print-1', [user('a'), { content: 'b', role: 'assistant' }]);
    await append('print-2', [user('a', { is_meta: true })]);
    await append('print-2', [assistant('b', { usage: { input_tokens: 9 } })]);
    const one = (await context('print-1')).body.hash;
    expect(one).toMatch(/^[0-9a-f]{64}$/);
    expect((await context('print-2')).body.hash).toBe(one);
    expect((await context('print-2', '?at=2')).body.hash).not.toBe(one);
    expect((await context('print-1', '?format=openai-chat')).body.hash).toBe(one);
    expect((await context('print-1', '?format=openai-responses')).body.hash).not.toBe(one);
    expect((await context('print-1', '?origins=true')).body.hash).toBe(one);
  });

  it('says with origins=true where each item comes from', async () => {
    await append('from', [
      user('a'),
      user('b'),
      call('c1', 'Read', { path: 'f' }),
      result('c1', 'text'),
    ]);
    const plain = await context('from');
    const { items } = contextOf.parse(plain.body);
    const reply = await context('from', '?origins=true');
    expect(reply.body.items).toEqual([
      { seq: 2, origin: 'log', edited: false, item: items[0] },
      { seq: 4, origin: 'log', edited: false, item: items[1] },
      { seq: 5, origin: 'log', edited: false, item: items[2] },
    ]);
    expect((await context('from', '?origins=false')).text).toBe(plain.text);
    const wrong = await context('from', '?origins=yes');
    expect(wrong.status).toBe(400);
    expect(wrong.body.detail).toContain('(origins) cannot be used: must be "true" or "false"');
  });

  it('renders another format on request', async () => {
    await append('other', [user('Look.'), call('c1', 'Read', { path: 'a' }), result('c1', 'text')]);
    const chat = await context('other', '?format=openai-chat');
    expect(chat.body).toMatchObject({
      format: 'openai-chat',
      items: [
        { role: 'user', content: 'Look.' },
        { role: 'assistant', tool_calls: [{ id: 'c1', function: { name: 'Read' } }] },
        { role: 'tool', tool_call_id: 'c1', content: 'text' },
      ],
    });
    const responses = await context('other', '?format=openai-responses');
    expect(responses.body.items).toMatchObject([
      { role: 'user' },
      { type: 'function_call', call_id: 'c1' },
      { type: 'function_call_output', call_id: 'c1' },
    ]);
  });

  it('answers a version the same later: usage and settings of that version', async () => {
    await append('same', [user('a'), assistant('b', { usage: { input_tokens: 5_000 } })]);
    const then = await context('same', '?at=3');
    expect(then.body.tokens).toBe(5_000);
    await send(api, 'PATCH', '/sessions/same', {
      body: { config: { token_safety_multiplier: 2 } },
    });
    await append('same', [user(ofTokens(100))]);
    const later = await context('same', '?at=3');
    expect(later.body).toEqual(then.body);
    expect((await context('same')).body.tokens).toBe(5_000 + 200);
  });

  it('shows the context as it was at a version, estimated', async () => {
    await append('past', [user('a'), assistant('b'), user('c')]);
    const reply = await context('past', '?at=3');
    expect(reply.headers.get('etag')).toBe('"3"');
    expect(reply.body).toMatchObject({
      version: 3,
      at: 3,
      items: [user('a'), assistant('b')],
      tokens: Math.ceil(2 * 1.33),
    });
    expect((await context('past', '?at=4')).text).toBe((await context('past')).text);
    expect((await context('past', '?at=1')).body).toMatchObject({ items: [], tokens: 0 });
  });

  it('says that a version does not exist yet', async () => {
    const reply = await context('past', '?at=5');
    expect(reply.status).toBe(404);
    expect(reply.body).toMatchObject({
      type: 'urn:palimpsest:problem:version-not-found',
      detail: 'the session is at version 4: there is no version 5 yet',
    });
  });

  it.each([
    ['?format=gemini', 'format', /"anthropic", "openai-responses", "openai-chat", "ai-sdk"/],
    ['?at=0', 'at', /whole number from 1/],
    ['?at=9007199254740993000', 'at', /whole number from 1/],
    ['?at=latest', 'at', /whole number from 1/],
    ['?wait=forever', 'wait', /must be "compaction"/],
  ])('refuses %s', async (query, path, message) => {
    const reply = await context('past', query);
    expect(reply.status).toBe(400);
    expect(reply.body.errors).toContainEqual({ path, message: expect.stringMatching(message) });
  });
});

describe('If-None-Match', () => {
  it.each(['"2"', 'W/"2"', '"1", "2"', '*'])('%s spares the body', async (tag) => {
    await send(api, 'DELETE', '/sessions/cached');
    await append('cached', user('a'));
    const reply = await context('cached', '', { 'if-none-match': tag });
    expect(reply).toMatchObject({ status: 304, text: '' });
    expect(reply.headers.get('etag')).toBe('"2"');
  });

  it.each(['"1"', '2', 'garbage'])('%s does not', async (tag) => {
    await append('uncached', user('a'));
    expect((await context('uncached', '', { 'if-none-match': tag })).status).toBe(200);
  });
});

describe('wait=compaction', () => {
  it('answers at once when nothing is under way', async () => {
    await append('idle', user('a'));
    expect((await context('idle', '?wait=compaction')).body).toMatchObject({ version: 2 });
  });

  it('holds until the compaction has ended, and answers what it made', async () => {
    await send(api, 'POST', '/sessions', { body: { id: 'held', context_window: SMALL_WINDOW } });
    const reads = Array.from({ length: 8 }, (_, i) => tool(`c${i}`, 'Read', 1_400)).flat();
    await append('held', [user('Read them.'), ...reads]);
    const job = api.dispatched.at(-1);
    let isAnswered = false;
    const waiting = context('held', '?wait=compaction').then((reply) => {
      isAnswered = true;
      return reply;
    });
    expect((await context('held')).body.items).toHaveLength(17);
    expect(isAnswered).toBe(false);
    await api.work(job);
    const reply = await waiting;
    expect(reply.text).toContain('[Digest: ');
    expect(reply.text).toContain(ofTokens(1_400));
    const state = await send(api, 'GET', '/sessions/held');
    expect(state.body).toMatchObject({
      running_compaction: null,
      counts: { compactions: { micro: 1 } },
    });
  });

  it('ends when the session is erased meanwhile', async () => {
    await append('erased', user('a'));
    await send(api, 'POST', '/sessions/erased/compact');
    const waiting = context('erased', '?wait=compaction');
    await send(api, 'GET', '/sessions/erased');
    await send(api, 'DELETE', '/sessions/erased');
    expect((await waiting).status).toBe(404);
  });

  it('stops when the client goes away', async () => {
    await append('left', user('a'));
    await send(api, 'POST', '/sessions/left/compact');
    const { store } = api.deps;
    let listeners = 0;
    const subscribe = store.subscribe.bind(store);
    const released = new Promise<void>((resolve) => {
      store.subscribe = (ref, listener) => {
        listeners += 1;
        controller.abort();
        const stop = subscribe(ref, listener);
        return () => {
          stop();
          resolve();
        };
      };
    });
    const controller = new AbortController();
    const url = `${api.url}/sessions/left/context?wait=compaction`;
    await expect(fetch(url, { signal: controller.signal })).rejects.toThrow('aborted');
    await released;
    store.subscribe = subscribe;
    expect(listeners).toBe(1);
  });
});
