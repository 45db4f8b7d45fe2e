import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import { type ApiServer, SMALL_WINDOW, send, startApi } from '../support/api-server.ts';
import { assistant, ofTokens, tool, user } from '../support/items.ts';

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

async function rollout(id: string): Promise<JsonObject[]> {
  const reply = await send(api, 'GET', `/sessions/${id}/rollout`);
  expect(reply.status).toBe(200);
  expect(reply.headers.get('content-type')).toBe('application/x-ndjson');
  expect(reply.text.endsWith('\n')).toBe(true);
  return reply.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe('GET /sessions/:id/rollout', () => {
  it('writes a line for everything that an audit asks for', async () => {
    await send(api, 'POST', '/sessions', {
      body: {
        id: 'audit',
        context_window: SMALL_WINDOW,
        initial_context: [user('Rules.')],
        config: { micro_compact_target_tokens: 100 },
      },
    });
    const reads = Array.from({ length: 6 }, (_, i) => tool(`c${i}`, 'Read', 800)).flat();
    const items = [user('Read.'), ...reads, user(ofTokens(500)), assistant(ofTokens(500))];
    await send(api, 'POST', '/sessions/audit/items', { body: items });
    for (const mode of ['micro', 'full']) {
      const { body } = await send(api, 'POST', '/sessions/audit/compact', { body: { mode } });
      await api.work(api.dispatched.at(-1));
      if (mode === 'full') {
        await send(api, 'POST', `/sessions/audit/compactions/${body.id}/revert`);
      }
    }
    const lines = await rollout('audit');
    expect(lines[0]).toEqual({
      timestamp: '2026-01-02T03:04:05.000Z',
      ordinal: 1,
      type: 'session_meta',
      payload: {
        id: 'audit',
        timestamp: '2026-01-02T03:04:05.000Z',
        format: 'anthropic',
        profile: 'default',
        model: null,
        context_window: SMALL_WINDOW,
        metadata: {},
      },
    });
    const responses = lines.filter(({ type }) => type === 'response_item');
    expect(responses.map(({ payload }) => payload)).toEqual([user('Rules.'), ...items]);
    const others = lines.filter(({ type }) => type === 'event_msg' || type === 'compacted');
    expect(others).toMatchObject([
      { type: 'event_msg', payload: { type: 'MicroCompactCompleted', tools_compacted: 3 } },
      {
        type: 'compacted',
        payload: { trigger: { type: 'manual', path: 'request' }, message: expect.any(String) },
      },
      { type: 'event_msg', payload: { type: 'ContextCompacted' } },
      {
        type: 'event_msg',
        payload: {
          type: 'CompactCompleted',
          pre_compact_tokens: expect.any(Number),
          post_compact_tokens: expect.any(Number),
          compaction_input_tokens: 0,
          compaction_output_tokens: 0,
          files_restored: 0,
          duration_ms: 0,
          strategy: 'full',
        },
      },
      { type: 'event_msg', payload: { type: 'CompactReverted' } },
    ]);
    expect(Object(others[1]?.payload).replacement_history[0]).toMatchObject({
      subtype: 'compact_boundary',
    });
  });

  it('streams over several pages, also where a page has no line', async () => {
    await send(api, 'POST', '/sessions/pages/items', { body: user('first') });
    for (let i = 0; i < 105; i++) {
      await send(api, 'PATCH', '/sessions/pages', { body: { metadata: { i } } });
    }
    await send(api, 'POST', '/sessions/pages/items', { body: user('last') });
    const lines = await rollout('pages');
    expect(lines.map(({ payload }) => payload).slice(1)).toEqual([user('first'), user('last')]);
  });

  it('starts a fork with what its parent had made of the past', async () => {
    await send(api, 'POST', '/sessions/parent/items', { body: user('x') });
    await send(api, 'POST', '/sessions/parent/fork', { body: { id: 'child' } });
    expect(await rollout('child')).toMatchObject([
      { type: 'session_meta', payload: { id: 'child' } },
      { type: 'session_meta', payload: { forked_from: { id: 'parent', version: 2 } } },
      { type: 'response_item', payload: user('x') },
    ]);
  });
});
