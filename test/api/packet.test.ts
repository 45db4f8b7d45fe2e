import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Item } from '../../src/domain/items/item.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { loadTemplates } from '../../src/workers/templates.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { assistant, ofTokens, user } from '../support/items.ts';

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

let sessions = 0;
const post = (path: string, body: unknown) => send(api, 'POST', path, { body });
const get = (path: string) => send(api, 'GET', path);
const signal = (id: string, body: JsonObject) => post(`/sessions/${id}/signals`, body);
const append = (id: string, items: Item[]) => post(`/sessions/${id}/items`, items);

/** A session of profile rawr at the end of a turn, in the tier asap. */
async function atTurnEnd(config: JsonObject): Promise<string> {
  sessions += 1;
  const id = `p${sessions}`;
  const created = await post('/sessions', {
    id,
    profile: 'rawr',
    context_window: 40_000,
    config,
  });
  expect(created.status).toBe(201);
  await append(id, [
    user('Make the parser accept trailing commas. Never touch the lexer.'),
    assistant(ofTokens(12_000)),
    user('And the changelog.'),
    assistant('The changelog is done. Next I will write the tests.'),
  ]);
  return id;
}

/** The same, after the agent was asked for its packet. */
async function asked(config: JsonObject = {}): Promise<string> {
  const id = await atTurnEnd({ packet_author: 'agent', ...config });
  const { body } = await signal(id, { signal: 'turn_complete' });
  expect(body.packet).not.toBeNull();
  return id;
}

async function lastMessage(id: string): Promise<unknown> {
  const { body } = await get(`/sessions/${id}/context`);
  return (body.items as Item[]).at(-1)?.content;
}

const standing = async (id: string) => (await get(`/sessions/${id}`)).body.packet;
const idle = { state: 'idle', deadline: null };

describe('POST /sessions/:id/packet', () => {
  it('takes the packet of the agent, compacts, and appends it once', async () => {
    const id = await atTurnEnd({ packet_author: 'agent' });
    const { body } = await signal(id, { signal: 'turn_complete' });
    expect(body.packet).toEqual({
      prompt: loadTemplates().packet.text,
      deadline: '2026-01-02T03:09:05.000Z',
    });
    expect(body.compaction).toBeNull();
    expect(api.awaited.at(-1)).toEqual({
      ref: { tenant: 'local', session_id: id },
      deadline_ms: Date.parse('2026-01-02T03:09:05.000Z'),
    });
    expect(await standing(id)).toEqual({
      state: 'awaiting_packet',
      deadline: '2026-01-02T03:09:05.000Z',
    });

    const text = 'Goal: trailing commas.\n\nNext step: the tests.';
    const reply = await post(`/sessions/${id}/packet`, { text });
    expect(reply.status).toBe(202);
    expect(reply.body).toMatchObject({
      session_id: id,
      status: 'queued',
      trigger: 'auto',
      reason: 'turn_complete',
      packet: { is_truncated: false },
    });
    const location = `/sessions/${id}/compactions/${reply.body.id}`;
    expect(reply.headers.get('location')).toBe(location);
    expect(api.dispatched.at(-1)?.compaction_id).toBe(reply.body.id);
    expect(await standing(id)).toEqual({ state: 'compacting', deadline: null });

    await api.work(api.dispatched.at(-1));
    await api.work(api.dispatched.at(-1));
    expect((await get(location)).body).toMatchObject({ outcome: 'full_compacted' });
    expect(await standing(id)).toEqual(idle);
    const { items } = (await get(`/sessions/${id}/context`)).body;
    expect(JSON.stringify(items).split('Goal: trailing commas.')).toHaveLength(2);
    expect(JSON.stringify(await lastMessage(id))).toContain(JSON.stringify(text).slice(1, -1));
    const log = (await get(`/sessions/${id}/events?types=item.appended`)).body.data as Item[];
    expect(log.at(-1)?.data).toMatchObject({
      source: 'packet',
      item: { role: 'user', content: text, is_meta: true },
    });
  });

  it('says that nobody asked for one, and that it came already', async () => {
    const id = await atTurnEnd({ packet_author: 'agent' });
    const early = await post(`/sessions/${id}/packet`, { text: 'x' });
    expect(early.status).toBe(409);
    expect(early.body).toMatchObject({
      type: 'urn:palimpsest:problem:packet-not-requested',
      detail: expect.stringContaining('no packet was requested'),
    });
    await signal(id, { signal: 'turn_complete' });
    const first = await post(`/sessions/${id}/packet`, { text: 'x' });
    const second = await post(`/sessions/${id}/packet`, { text: 'x' });
    expect(second.status).toBe(409);
    expect(second.body.detail).toContain(`compaction ${first.body.id} is under way`);
  });

  it('cuts one that is too long in the middle, and says so', async () => {
    const id = await asked({ packet_max_tokens: 100 });
    const text = `START ${'x'.repeat(10_000)} END`;
    const reply = await post(`/sessions/${id}/packet`, { text });
    expect(reply.body.packet).toEqual({ is_truncated: true });
    await api.work(api.dispatched.at(-1));
    expect(JSON.stringify(await lastMessage(id))).toMatch(/START x+.*tokens left out.*x+ END/);
  });

  it('counts it with the tokenizer of the session', async () => {
    // Under test, its tokens are characters.
    const id = await asked();
    const config = { token_counter: 'o200k_base', packet_max_tokens: 100 };
    await send(api, 'PATCH', `/sessions/${id}`, { body: { config } });
    const reply = await post(`/sessions/${id}/packet`, { text: 'x'.repeat(150) });
    expect(reply.body.packet).toEqual({ is_truncated: true });
  });

  it.each([[{}], [{ text: '' }], [{ text: ' \n' }], [{ text: 1 }], [{ text: 'x', more: true }]])(
    'refuses %j',
    async (body) => {
      expect((await post(`/sessions/${await asked()}/packet`, body)).status).toBe(400);
    },
  );

  it('answers 404 for a session that there is not', async () => {
    expect((await post('/sessions/none/packet', { text: 'x' })).status).toBe(404);
  });
});

describe('packets without a post', () => {
  it('the next answer of the agent is the packet', async () => {
    const id = await asked();
    const prompt = user(loadTemplates().packet.text, { is_meta: true });
    const reply = await append(id, [prompt, assistant('Goal and next steps: the tests.')]);
    expect(reply.body.compaction).toMatchObject({ reason: 'turn_complete' });
    await api.work(api.dispatched.at(-1));
    expect(JSON.stringify(await lastMessage(id))).toContain('Goal and next steps: the tests.');
  });

  it('after the deadline the service writes it, at the next append', async () => {
    const id = await asked({ packet_timeout_seconds: 1 });
    api.advance(1_000);
    const reply = await append(id, [user('Are you there?', { is_meta: true })]);
    expect(reply.body.compaction).toMatchObject({ reason: 'turn_complete' });
    await api.work(api.dispatched.at(-1));
    const last = JSON.stringify(await lastMessage(id));
    expect(last).toContain('Continuation packet:');
    expect(last).toContain('The changelog is done. Next I will write the tests.');
  });

  it('the watcher writes it at once where it is the author', async () => {
    const id = await atTurnEnd({ packet_author: 'watcher' });
    const { body } = await signal(id, { signal: 'turn_complete' });
    expect(body.packet).toBeNull();
    expect(await standing(id)).toEqual({ state: 'compacting', deadline: null });
    await api.work(api.dispatched.at(-1));
    const last = JSON.stringify(await lastMessage(id));
    expect(last).toContain('natural boundary (agent_done)');
    expect(last).toContain('Never touch the lexer.');
    expect(await standing(id)).toEqual(idle);
  });

  it.each([
    ['no author', { packet_author: 'none' }, {}],
    ['queued messages, author agent', { packet_author: 'agent' }, { queued_user_messages: 1 }],
    ['queued messages, author watcher', { packet_author: 'watcher' }, { queued_user_messages: 2 }],
  ])('none with %s', async (_name, config, queued) => {
    const id = await atTurnEnd(config);
    await signal(id, { signal: 'turn_complete', ...queued });
    await api.work(api.dispatched.at(-1));
    const { body } = await get(`/sessions/${id}/compactions`);
    expect(body.data).toMatchObject([{ outcome: 'full_compacted' }]);
    const log = await get(`/sessions/${id}/events`);
    expect(log.text).not.toContain('"packet"');
  });

  it('a compaction by hand takes the place of one that is awaited', async () => {
    const id = await asked();
    await post(`/sessions/${id}/compact`, { mode: 'full' });
    await api.work(api.dispatched.at(-1));
    expect(JSON.stringify(await lastMessage(id))).toContain('because somebody asked for it');
    expect((await post(`/sessions/${id}/packet`, { text: 'x' })).status).toBe(409);
  });

  it('a fork waits for nothing, and holds the packets of before', async () => {
    const id = await asked();
    const fork = await post(`/sessions/${id}/fork`, { id: `${id}-fork` });
    expect(fork.body.packet).toEqual(idle);
    await post(`/sessions/${id}/packet`, { text: 'The packet.' });
    await api.work(api.dispatched.at(-1));
    await post(`/sessions/${id}/fork`, { id: `${id}-later` });
    expect(JSON.stringify(await lastMessage(`${id}-later`))).toContain('The packet.');
  });

  it('stays in the context when its compaction is reverted', async () => {
    const id = await asked();
    const { body } = await post(`/sessions/${id}/packet`, { text: 'The packet.' });
    await api.work(api.dispatched.at(-1));
    const path = `/sessions/${id}/compactions/${body.id}/revert`;
    expect((await post(path, {})).status).toBe(200);
    const { items } = (await get(`/sessions/${id}/context`)).body;
    expect(items).toHaveLength(5);
    expect(await lastMessage(id)).toEqual('The packet.');
  });
});
