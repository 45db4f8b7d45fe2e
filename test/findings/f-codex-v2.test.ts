import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { FORMATS, type Format } from '../../src/domain/items/codecs.ts';
import type { Item } from '../../src/domain/items/item.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { assistant, call, ofTokens, result, user } from '../support/items.ts';

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

let count = 0;
async function session(format: Format, items: Item[]): Promise<string> {
  count += 1;
  const id = `f-v2-${count}`;
  const body = { id, format, profile: 'codex-v2', context_window: 200_000 };
  expect((await send(api, 'POST', '/sessions', { body })).status).toBe(201);
  const reply = await send(api, 'POST', `/sessions/${id}/items`, { body: items });
  expect(reply.status).toBe(201);
  return id;
}

/** A shell call and what it printed, as each format has them. */
function shell(format: Format, id: string, tokens: number): Item[] {
  const printed = ofTokens(tokens);
  switch (format) {
    case 'anthropic':
      return [call(id, 'Bash', { command: 'ls' }), result(id, printed)];
    case 'openai-chat':
      return [
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id, type: 'function', function: { name: 'shell', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: id, content: printed },
      ];
    case 'openai-responses':
      return [
        { type: 'function_call', call_id: id, name: 'shell', arguments: '{}' },
        { type: 'function_call_output', call_id: id, output: printed },
      ];
    case 'ai-sdk': {
      const ids = { toolCallId: id, toolName: 'shell' };
      const output = { type: 'text', value: printed };
      return [
        { role: 'assistant', content: [{ type: 'tool-call', ...ids, input: {} }] },
        { role: 'tool', content: [{ type: 'tool-result', ...ids, output }] },
      ];
    }
    default:
      return format satisfies never;
  }
}

async function compact(id: string, body: object): Promise<string> {
  const reply = await send(api, 'POST', `/sessions/${id}/compact`, { body });
  await api.work(api.dispatched.at(-1));
  return z.string().parse(reply.body.id);
}

async function clearedIn(id: string, query = ''): Promise<unknown> {
  return (await send(api, 'GET', `/sessions/${id}/context${query}`)).body.compacted_tool_ids;
}

describe('F: codex-v2, what its rows claimed', () => {
  it.each(FORMATS)(
    'CV-20: a context says which of its results were cleared: %s',
    async (format) => {
      const sizes = [30_000, 20, 5_000, 20, 20, 20];
      const items = sizes.flatMap((size, n) => shell(format, `r${n}`, size));
      const id = await session(format, [user('Look around.'), ...items]);
      expect(await clearedIn(id)).toEqual([]);
      const micro = await compact(id, { mode: 'micro' });
      expect(await clearedIn(id)).toEqual(expect.arrayContaining(['r0', 'r2']));
      expect(await clearedIn(id)).not.toEqual(expect.arrayContaining(['r5']));
      await send(api, 'POST', `/sessions/${id}/compactions/${micro}/revert`, { body: {} });
      expect(await clearedIn(id)).toEqual([]);
      await compact(id, { mode: 'micro' });
      await compact(id, { mode: 'full' });
      expect(await clearedIn(id)).toEqual([]);
    },
  );

  it('CV-11: a cancelled compaction leaves a record in the rollout', async () => {
    const id = await session('anthropic', [user('Go.'), assistant(ofTokens(3_000))]);
    const { body } = await send(api, 'POST', `/sessions/${id}/compact`, { body: { mode: 'full' } });
    await send(api, 'POST', `/sessions/${id}/compactions/${body.id}/cancel`, { body: {} });
    const { text } = await send(api, 'GET', `/sessions/${id}/rollout`);
    const records = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(records.at(-1).payload).toEqual({
      type: 'CompactFailed',
      reason: 'interrupted',
      error_message: 'the compaction was cancelled',
    });
  });
});

describe('F: tiered, what its rows claimed', () => {
  it('TI-40: an empty model is chosen, as without one', async () => {
    const config = { summarization_model: '', summarization_model_provider_id: '' };
    const body = { id: 'f-tiered', profile: 'tiered', config };
    const reply = await send(api, 'POST', '/sessions', { body });
    expect(reply.status).toBe(201);
    expect(reply.body.config).toMatchObject({
      summarization_model: null,
      summarization_model_provider_id: null,
    });
    const change = { config: { summarization_model: '' } };
    const patched = await send(api, 'PATCH', '/sessions/f-tiered', { body: change });
    expect(patched.body.config_overrides).toMatchObject({ summarization_model: null });
  });

  it.each([
    [0, 0],
    [90_000, 45],
    [143_999, 71],
    [144_000, 72],
    [230_000, 115],
  ])('TI-64: the state says the share of the window in use: %i, %i %%', async (tokens, share) => {
    const id = `f-share-${tokens}`;
    await send(api, 'POST', '/sessions', {
      body: { id, profile: 'tiered', context_window: 200_000 },
    });
    if (tokens > 0) {
      const usage = { input_tokens: tokens, output_tokens: 0 };
      await send(api, 'POST', `/sessions/${id}/items`, { body: assistant('ok', { usage }) });
    }
    const { body } = await send(api, 'GET', `/sessions/${id}`);
    expect(body.percent_used_of_window).toBe(share);
    const { body: list } = await send(api, 'GET', '/sessions');
    expect(JSON.stringify(list.data)).toContain(`"percent_used_of_window":${share}`);
  });
});
