import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import { PROFILES } from '../../src/domain/policy/profiles.ts';
import { type ApiServer, SMALL_WINDOW, send, startApi } from '../support/api-server.ts';
import { assistant, call, ofTokens, result, tool, user } from '../support/items.ts';

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const get = async (path: string) => (await send(api, 'GET', path)).body;
const pin = (id: string, body: JsonObject, headers = {}) =>
  send(api, 'POST', `/sessions/${id}/pins`, { body, headers });
const unpin = (id: string, pinId: unknown) => send(api, 'DELETE', `/sessions/${id}/pins/${pinId}`);
const context = (id: string, query = '') => get(`/sessions/${id}/context${query}`);

const SECRET = 'The secret word is xylophone.';
const FOUND = 'one needle '.repeat(120);
const RULE = 'Never touch vendor/.';

/** Items 2 to 8: a question, two calls with their results, an answer, a long message. */
async function begin(id: string, more: JsonObject = {}): Promise<void> {
  await send(api, 'POST', '/sessions', {
    body: {
      id,
      context_window: SMALL_WINDOW,
      initial_context: [user('Rules.')],
      config: {
        micro_compact_target_tokens: 100,
        micro_compact_min_tokens_to_save: 100,
        auto_compact_enabled: false,
      },
      ...more,
    },
  });
  const items = [
    user(SECRET),
    ...tool('a', 'Read', 400, { path: 'a.ts' }),
    call('b', 'Grep'),
    result('b', FOUND),
    assistant('Found it.'),
    user(ofTokens(300)),
  ];
  await send(api, 'POST', `/sessions/${id}/items`, { body: items });
  await talk(id);
}

async function talk(id: string): Promise<void> {
  const items = [1, 2, 3].flatMap((i) => [
    user(`${i} ${ofTokens(200)}`),
    ...tool(`t${i}`, 'Grep', 200),
    assistant(`${i} ${ofTokens(100)}`),
  ]);
  await send(api, 'POST', `/sessions/${id}/items`, { body: items });
}

async function compact(id: string, mode: string): Promise<JsonObject> {
  const { body } = await send(api, 'POST', `/sessions/${id}/compact`, { body: { mode } });
  await api.work(api.dispatched.at(-1));
  return get(`/sessions/${id}/compactions/${body.id}`);
}

describe('what is pinned', () => {
  it.each(PROFILES)('stays word for word through all compactions: %s', async (profile) => {
    const id = `profile-${profile}`;
    await begin(id, { profile, config: { auto_compact_enabled: false } });
    await pin(id, { text: RULE });
    const { body } = await pin(id, { seq: 4 });
    expect(body.pin).toMatchObject({ seq: 4, items: [3, 4], text: null });
    for (const mode of ['micro', 'full', 'micro', 'full']) {
      await compact(id, mode);
      await talk(id);
    }
    const said = JSON.stringify((await context(id)).items);
    expect(said.split(RULE)).toHaveLength(2);
    expect(said).toContain(ofTokens(400));
    expect(await get(`/sessions/${id}/items/4/trace`)).toMatchObject({
      state: 'in_context',
      is_verbatim: true,
      pin_id: (body.pin as JsonObject).id,
    });
    const compactions = (await get(`/sessions/${id}/compactions`)).data as JsonObject[];
    expect(compactions.some(({ outcome }) => outcome === 'full_compacted')).toBe(true);
  });

  it('stands right behind the initial context, in the order in which it was pinned', async () => {
    await begin('order');
    await pin('order', { seq: 5 });
    await pin('order', { text: RULE });
    await pin('order', { seq: 2 });
    expect(await compact('order', 'full')).toMatchObject({ outcome: 'full_compacted' });
    const { data } = await get('/sessions/order/pins');
    expect((data as JsonObject[]).map(({ items }) => items)).toEqual([[5, 6], [], [2]]);
    const { items } = await context('order', '?origins=true&format=openai-responses');
    expect((items as JsonObject[]).slice(0, 6).map(({ origin, seq }) => [origin, seq])).toEqual([
      ['initial', null],
      ['pinned', 5],
      ['pinned', 6],
      ['pinned', null],
      ['pinned', 2],
      ['summary', null],
    ]);
  });

  it('passes through no summariser', async () => {
    await begin('silent');
    await pin('silent', { seq: 2 });
    const { summary, retention } = await compact('silent', 'full');
    expect(summary).not.toContain('xylophone');
    expect(summary).toContain('[pinned: it stands above, word for word]');
    expect(JSON.stringify((await context('silent')).items).split('xylophone')).toHaveLength(2);
    expect(retention).not.toBeNull();
  });

  it('is not among what a compaction has covered', async () => {
    await begin('covered');
    await pin('covered', { seq: 3 });
    const { id } = await compact('covered', 'full');
    const { data } = await get(`/sessions/covered/compactions/${id}/covered`);
    const seqs = (data as JsonObject[]).map(({ seq }) => seq);
    expect(seqs).toContain(2);
    expect(seqs).not.toContain(3);
    expect(seqs).not.toContain(4);
  });

  it('comes back when it was cleared or summarised before, and goes with its pin', async () => {
    await begin('back');
    await compact('back', 'full');
    const before = await context('back');
    expect(JSON.stringify(before.items)).not.toContain(FOUND);
    const { body } = await pin('back', { seq: 6 });
    const now = await context('back');
    expect(JSON.stringify(now.items)).toContain(FOUND);
    expect(now.hash).not.toBe(before.hash);
    const { id } = body.pin as JsonObject;
    expect((await unpin('back', id)).status).toBe(204);
    const after = await context('back');
    expect([after.hash, after.tokens]).toEqual([before.hash, before.tokens]);
    const { history } = await get('/sessions/back/items/6/trace');
    expect((history as JsonObject[]).map(({ what }) => what)).toEqual([
      'appended',
      'summarised',
      'pinned',
      'unpinned',
      'summarised',
    ]);
  });

  it('changes the fingerprint of a context only where it changes the context', async () => {
    await begin('hash');
    const { hash } = await context('hash');
    await pin('hash', { seq: 2 });
    expect((await context('hash')).hash).toBe(hash);
    await pin('hash', { text: RULE });
    expect((await context('hash')).hash).not.toBe(hash);
  });

  it('is told by a revert and by the context of any version as it was', async () => {
    await begin('undo');
    await compact('undo', 'full');
    const { data } = await get('/sessions/undo/compactions');
    const [full] = data as JsonObject[];
    await pin('undo', { seq: 2 });
    const { version } = await get('/sessions/undo');
    const then = await context('undo');
    await send(api, 'POST', `/sessions/undo/compactions/${full?.id}/revert`);
    const { items, tokens } = await context('undo');
    expect(JSON.stringify(items).split('xylophone')).toHaveLength(2);
    const head = await get('/sessions/undo');
    expect((head.context as JsonObject).tokens).toBe(tokens);
    expect((await context('undo', `?at=${version}`)).hash).toBe(then.hash);
  });

  it('comes along with a fork, as a pin', async () => {
    await begin('parent');
    await pin('parent', { seq: 2 });
    await pin('parent', { text: RULE });
    await compact('parent', 'full');
    await pin('parent', { seq: Number((await get('/sessions/parent')).version) - 1 });
    await send(api, 'POST', '/sessions/parent/fork', { body: { id: 'child' } });
    expect((await context('child')).hash).toBe((await context('parent')).hash);
    await talk('child');
    await compact('child', 'full');
    const said = JSON.stringify((await context('child')).items);
    expect(said).toContain('xylophone');
    expect(said).toContain(RULE);
    expect(await get('/sessions/child/items/2/trace?session_id=parent')).toMatchObject({
      state: 'in_context',
      is_verbatim: true,
    });
    const [first] = (await get('/sessions/child/pins')).data as JsonObject[];
    await unpin('child', first?.id);
    expect(JSON.stringify((await context('child')).items)).not.toContain('xylophone');
    expect(await get('/sessions/child/items/2/trace?session_id=parent')).toMatchObject({
      state: 'summarised',
      pin_id: null,
    });
  });

  it('makes proposals give way', async () => {
    await begin('proposed');
    const { body } = await send(api, 'POST', '/sessions/proposed/compact', {
      body: { mode: 'full', propose: true },
    });
    await api.work(api.dispatched.at(-1));
    await pin('proposed', { seq: 2 });
    const { outcome } = await get(`/sessions/proposed/compactions/${body.id}`);
    expect(outcome).toBe('discarded');
  });
});

describe('POST /sessions/:id/pins', () => {
  it('pins an item once, and answers a repeated request as before', async () => {
    await begin('once');
    const first = await pin('once', { seq: 3 });
    expect(first.status).toBe(201);
    expect((await pin('once', { seq: 4 })).body.pin).toEqual(first.body.pin);
    const key = { 'idempotency-key': 'k' };
    const text = await pin('once', { text: RULE }, key);
    const again = await pin('once', { text: RULE }, key);
    expect(again.body).toEqual(text.body);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect((await get('/sessions/once/pins')).data).toHaveLength(2);
  });

  it.each([
    [{}, 400, 'send one of'],
    [{ text: ' ' }, 400, 'must say something'],
    [{ text: 'a', seq: 2 }, 400, 'send one of'],
    [{ text: 'x'.repeat(20_001) }, 400, '20000'],
    [{ seq: 1 }, 404, 'there is no item 1'],
    [{ seq: 99_999 }, 404, 'there is no item 99999'],
  ])('refuses %j with %i', async (body, status, message) => {
    if ((await send(api, 'GET', '/sessions/refuse')).status === 404) await begin('refuse');
    const reply = await pin('refuse', body);
    expect([reply.status, reply.text]).toEqual([status, expect.stringContaining(message)]);
  });

  it('refuses what leaves no room', async () => {
    await begin('full');
    expect((await pin('full', { text: ofTokens(4_000) })).status).toBe(201);
    const reply = await pin('full', { text: ofTokens(4_000) });
    expect([reply.status, reply.body.detail]).toEqual([
      409,
      expect.stringMatching(
        /^all pins together would take \d+ tokens, and half of the threshold is/,
      ),
    ]);
    await send(api, 'POST', '/sessions/full/items', { body: [user(ofTokens(5_000))] });
    const late = await pin('full', { text: ofTokens(1_500) });
    expect([late.status, late.body.detail]).toEqual([
      409,
      expect.stringMatching(/^with it the context would take \d+ tokens, and the window holds/),
    ]);
  });

  it('refuses a call whose result is not there yet', async () => {
    await begin('open');
    await send(api, 'POST', '/sessions/open/items', { body: [user('Look.'), call('z', 'Read')] });
    const seq = Number((await get('/sessions/open')).version);
    const reply = await pin('open', { seq });
    expect([reply.status, reply.body.detail]).toEqual([
      409,
      `item ${seq} belongs to a call whose result is not there yet: pin it when the result has come`,
    ]);
    await send(api, 'POST', '/sessions/open/items', { body: [result('z', 'done')] });
    await send(api, 'POST', '/sessions/open/items', { body: [assistant('So.')] });
    expect((await pin('open', { seq })).status).toBe(201);
  });

  it('refuses more than fifty pins', async () => {
    await begin('many');
    for (let i = 0; i < 50; i++) expect((await pin('many', { text: `${i}` })).status).toBe(201);
    const reply = await pin('many', { text: 'more' });
    expect(reply.body.detail).toBe('50 pins stand already: remove some, then pin again');
  });

  it('knows no session, no pin, and nobody else', async () => {
    expect((await pin('none', { text: RULE })).status).toBe(404);
    expect((await send(api, 'GET', '/sessions/none/pins')).status).toBe(404);
    expect((await unpin('none', 'x')).status).toBe(404);
    await begin('gone');
    const reply = await unpin('gone', 'x');
    expect([reply.status, reply.body.detail]).toEqual([
      404,
      'the session has no pin with this id: GET …/pins lists those it has',
    ]);
  });
});
