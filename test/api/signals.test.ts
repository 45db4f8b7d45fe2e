import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { assistant, call, ofTokens, result, user } from '../support/items.ts';

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

let sessions = 0;

/** A rawr session of 100,000 tokens, counted without margin, with so much of them left. */
async function sessionAt(percent: number, config: JsonObject = {}): Promise<string> {
  sessions += 1;
  const id = `signals-${sessions}`;
  const settings = { token_safety_multiplier: 1, ...config };
  await send(api, 'POST', '/sessions', {
    body: { id, profile: 'rawr', context_window: 100_000, config: settings },
  });
  await post(id, { signal: 'turn_started' });
  const size = (100 - percent) * 500;
  await append(id, user(`Old question. ${ofTokens(size - 4)}`), assistant(ofTokens(size)));
  return id;
}

const post = (id: string, body: unknown, headers: Record<string, string> = {}) =>
  send(api, 'POST', `/sessions/${id}/signals`, { body, headers });
const append = (id: string, ...items: JsonObject[]) =>
  send(api, 'POST', `/sessions/${id}/items`, { body: items });
const stateOf = async (id: string) => (await send(api, 'GET', `/sessions/${id}`)).body;
const FOLLOW_UP = { signal: 'sampling_complete', needs_follow_up: true };

describe('POST /sessions/:id/signals', () => {
  it('records a signal and answers what counts', async () => {
    const id = await sessionAt(80);
    const reply = await post(id, { signal: 'agent_done' });
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({
      session_id: id,
      version: 5,
      signals: ['agent_done'],
      tier: 'early',
      percent_remaining_of_window: 80,
      context: expect.objectContaining({ tokens: 20_000, limit: 85_000 }),
      compaction: null,
      advice: null,
      packet: null,
      preflight_armed: false,
    });
    expect(await stateOf(id)).toMatchObject({
      signals: ['agent_done'],
      tier: 'early',
      percent_remaining_of_window: 80,
      preflight_armed: false,
      packet: { state: 'idle', deadline: null },
    });
  });

  it('compacts in the middle of a turn, and the turn goes on with the new context', async () => {
    const id = await sessionAt(60);
    await append(id, call('a', 'Bash', { command: 'git commit -m x' }), result('a', 'ok'));
    const { body } = await post(id, FOLLOW_UP);
    expect(body).toMatchObject({
      compaction: { status: 'queued', mode: 'auto', trigger: 'auto', reason: 'mid_turn' },
      signals: [],
    });
    expect(api.dispatched.at(-1)?.ref.session_id).toBe(id);
    await api.work(api.dispatched.at(-1));
    const context = await send(api, 'GET', `/sessions/${id}/context?wait=compaction`);
    expect(context.text).toContain('This session is being continued');
    expect(Number(context.body.tokens)).toBeLessThan(35_000);
    const { data } = (await send(api, 'GET', `/sessions/${id}/compactions`)).body;
    expect(data).toEqual([expect.objectContaining({ outcome: 'full_compacted' })]);
  });

  it('compacts at the end of a turn', async () => {
    const id = await sessionAt(60);
    await append(id, assistant('All of it is done.'));
    const { body } = await post(id, { signal: 'turn_complete', queued_user_messages: 0 });
    expect(body).toMatchObject({ compaction: { reason: 'turn_complete' } });
    expect(await stateOf(id)).toMatchObject({ packet: { state: 'compacting' } });
  });

  it('records the turn that ends without a boundary, and hands over no job', async () => {
    const id = await sessionAt(70);
    const jobs = api.dispatched.length;
    const { body } = await post(id, { signal: 'turn_complete' });
    expect(body).toMatchObject({ compaction: null, advice: 'no_natural_boundary' });
    expect(api.dispatched).toHaveLength(jobs);
    const { data } = (await send(api, 'GET', `/sessions/${id}/compactions`)).body;
    expect(data).toEqual([
      expect.objectContaining({
        status: 'ended',
        outcome: 'skipped',
        outcome_reason: 'no_natural_boundary',
      }),
    ]);
  });

  it('only advises in mode suggest', async () => {
    const id = await sessionAt(60, { auto_compact_mode: 'suggest' });
    const { body } = await post(id, { signal: 'turn_complete' });
    expect(body).toMatchObject({ advice: 'suggest', compaction: null });
  });

  it('arms a preflight, which the next user message fires', async () => {
    const id = await sessionAt(60, { auto_requires_any_boundary: ['turn_complete'] });
    expect((await post(id, { signal: 'turn_complete' })).body).toMatchObject({
      preflight_armed: true,
      compaction: null,
    });
    expect(await stateOf(id)).toMatchObject({ preflight_armed: true });
    const { body } = await append(id, user('The new question.'));
    expect(body).toMatchObject({ compaction: { reason: 'preflight' } });
    expect(body.note).toContain('paused');
    await api.work(api.dispatched.at(-1));
    const context = await send(api, 'GET', `/sessions/${id}/context?wait=compaction`);
    const { items } = context.body;
    expect(JSON.stringify(items).endsWith('The new question."}]}]')).toBe(true);
    expect(await stateOf(id)).toMatchObject({ preflight_armed: false });
  });

  it('asks for the packet of the agent, and has the wait for it ended', async () => {
    const id = await sessionAt(60, { packet_author: 'agent' });
    await post(id, { signal: 'commit' });
    const { body } = await post(id, { signal: 'turn_complete' });
    const deadline = '2026-01-02T03:09:05.000Z';
    expect(body).toMatchObject({
      compaction: null,
      packet: { prompt: api.deps.packetPrompt.text, deadline },
    });
    expect(api.awaited.at(-1)).toEqual({
      ref: { tenant: 'local', session_id: id },
      deadline_ms: Date.parse(deadline),
    });
  });

  it.each<[unknown, number]>([
    [3, 3],
    [0, 0],
    [true, 1],
    [false, 0],
    [['first', { text: 'second' }], 2],
    [[], 0],
  ])('records of waiting messages %j only their number', async (queued, count) => {
    const id = await sessionAt(90);
    await post(id, { signal: 'turn_complete', queued_user_messages: queued });
    const { data } = (await send(api, 'GET', `/sessions/${id}/events?types=signal.observed`)).body;
    expect(data).toEqual([
      expect.anything(),
      expect.objectContaining({
        data: {
          signal: 'turn_complete',
          source: 'posted',
          seq: null,
          queued_user_messages: count,
        },
      }),
    ]);
  });

  it('answers a repeated request again, and records nothing', async () => {
    const id = await sessionAt(60);
    await post(id, { signal: 'commit' });
    const key = { 'idempotency-key': 'sampled-1' };
    const first = await post(id, FOLLOW_UP, key);
    const jobs = api.dispatched.length;
    const second = await post(id, FOLLOW_UP, key);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(second.body).toEqual(first.body);
    expect(api.dispatched).toHaveLength(jobs);
    expect(await stateOf(id)).toMatchObject({ version: first.body.version });
    expect((await post(id, { signal: 'commit' }, key)).status).toBe(422);
  });

  it('leaves heads that the log agrees with', async () => {
    expect(await api.deps.store.verify()).toMatchObject({ problems: [] });
  });

  it('answers 404 for a session that does not exist, and creates none', async () => {
    expect((await post('nobody', { signal: 'commit' })).status).toBe(404);
    expect((await send(api, 'GET', '/sessions/nobody')).status).toBe(404);
  });

  it.each<[string, unknown, string]>([
    ['no signal', {}, 'signal'],
    ['an unknown one', { signal: 'coffee' }, 'signal'],
    ['several', { signal: ['commit', 'agent_done'] }, 'signal'],
    ['an unknown field', { signal: 'commit', needs_followup: true }, 'needs_followup'],
    ['a negative count', { signal: 'turn_complete', queued_user_messages: -1 }, 'queued'],
    [
      'no count',
      { signal: 'turn_complete', queued_user_messages: {} },
      'the number of waiting messages',
    ],
    ['half a step', { signal: 'plan_checkpoint', completed_steps: 0.5 }, 'completed_steps'],
    ['a number for a boolean', { signal: 'turn_complete', review_mode: 1 }, 'review_mode'],
  ])('refuses %s', async (_, body, field) => {
    const id = await sessionAt(90);
    const { version } = await stateOf(id);
    const reply = await post(id, body);
    expect(reply.status).toBe(400);
    expect(JSON.stringify(reply.body.errors)).toContain(field);
    expect(await stateOf(id)).toMatchObject({ version });
  });
});
