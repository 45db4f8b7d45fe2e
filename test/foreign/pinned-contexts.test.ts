import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Item } from '../../src/domain/items/item.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { type ApiServer, SMALL_WINDOW, send, startApi } from '../support/api-server.ts';
import { providerProblems } from '../support/foreign/context-rules.ts';
import type { WireFormat } from '../support/foreign/request-types.ts';
import { ofTokens } from '../support/items.ts';

// What is pinned stands apart from what was said around it: no provider may refuse that.

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const FORMATS: WireFormat[] = ['anthropic', 'openai-chat', 'openai-responses', 'ai-sdk'];
const THOUGHT = 'It must be the cache.';

type Turn = (n: number) => Item[];
const user = (content: string): Item => ({ role: 'user', content });
const text = (value: string) => ({ type: 'text', text: value });

/** A question, two calls at once with their results, and an answer with what was thought before it. */
const TURNS: Record<WireFormat, Turn> = {
  anthropic: (n) => [
    user(`Question ${n}: ${ofTokens(100)}`),
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: THOUGHT, signature: 'sig' },
        { type: 'tool_use', id: `a${n}`, name: 'Read', input: { path: `${n}.ts` } },
        { type: 'tool_use', id: `b${n}`, name: 'Grep', input: {} },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: `a${n}`, content: ofTokens(150) },
        { type: 'tool_result', tool_use_id: `b${n}`, content: `Found ${n} ${ofTokens(150)}` },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: THOUGHT, signature: 'sig' },
        text(`Answer ${n}: ${ofTokens(100)}`),
      ],
    },
  ],
  'openai-chat': (n) => [
    user(`Question ${n}: ${ofTokens(100)}`),
    {
      role: 'assistant',
      content: null,
      tool_calls: ['a', 'b'].map((id) => ({
        id: `${id}${n}`,
        type: 'function',
        function: { name: 'Read', arguments: '{}' },
      })),
    },
    { role: 'tool', tool_call_id: `a${n}`, content: `Found ${n} ${ofTokens(150)}` },
    { role: 'tool', tool_call_id: `b${n}`, content: ofTokens(150) },
    { role: 'assistant', content: `Answer ${n}: ${ofTokens(100)}` },
  ],
  'ai-sdk': (n) => [
    user(`Question ${n}: ${ofTokens(100)}`),
    {
      role: 'assistant',
      content: ['a', 'b'].map((id) => ({
        type: 'tool-call',
        toolCallId: `${id}${n}`,
        toolName: 'Read',
        input: {},
      })),
    },
    {
      role: 'tool',
      content: [`Found ${n} ${ofTokens(150)}`, ofTokens(150)].map((value, at) => ({
        type: 'tool-result',
        toolCallId: `${at === 0 ? 'a' : 'b'}${n}`,
        toolName: 'Read',
        output: { type: 'text', value },
      })),
    },
    { role: 'assistant', content: [text(`Answer ${n}: ${ofTokens(100)}`)] },
  ],
  'openai-responses': (n) => [
    user(`Question ${n}: ${ofTokens(100)}`),
    { type: 'reasoning', id: `rs_a${n}`, summary: [], encrypted_content: 'x' },
    { type: 'function_call', call_id: `a${n}`, name: 'Read', arguments: '{}' },
    { type: 'function_call', call_id: `b${n}`, name: 'Grep', arguments: '{}' },
    {
      type: 'function_call_output',
      call_id: `a${n}`,
      output: `Found ${n} ${ofTokens(150)}`,
    },
    { type: 'function_call_output', call_id: `b${n}`, output: ofTokens(150) },
    { type: 'reasoning', id: `rs_b${n}`, summary: [], encrypted_content: 'x' },
    { role: 'assistant', content: `Answer ${n}: ${ofTokens(100)}` },
  ],
};

async function expectValid(id: string, format: WireFormat): Promise<string> {
  let own = '';
  for (const target of FORMATS) {
    const { body } = await send(api, 'GET', `/sessions/${id}/context?format=${target}`);
    const items = body.items as JsonObject[];
    const isConverted = target !== format;
    expect(providerProblems(target, items, { isConverted })).toEqual([]);
    if (!isConverted) own = JSON.stringify(items);
  }
  return own;
}

test.each(FORMATS)('contexts with pins in %s are valid in every format', async (format) => {
  const id = `pins-${format}`;
  const turn = TURNS[format];
  const { length } = turn(0);
  await send(api, 'POST', '/sessions', {
    body: { id, format, context_window: SMALL_WINDOW, config: { auto_compact_enabled: false } },
  });
  const say = async (n: number) => {
    const reply = await send(api, 'POST', `/sessions/${id}/items`, { body: turn(n) });
    expect(reply.status, reply.text).toBeLessThan(300);
  };
  const pin = async (body: JsonObject) => {
    const reply = await send(api, 'POST', `/sessions/${id}/pins`, { body });
    expect(reply.status, reply.text).toBe(201);
    await expectValid(id, format);
    return reply.body.pin as JsonObject;
  };
  const compact = async (mode: string) => {
    const { body } = await send(api, 'POST', `/sessions/${id}/compact`, { body: { mode } });
    await api.work(api.dispatched.at(-1));
    const path = `/sessions/${id}/compactions/${body.id}`;
    return (await send(api, 'GET', path)).body.outcome;
  };
  for (let n = 1; n <= 6; n++) await say(n);
  /** Where a turn begins: version 1 has created the session. */
  const start = (n: number) => 2 + (n - 1) * length;

  await pin({ seq: start(2) + length - 1 });
  const call = await pin({ seq: start(1) + 2 });
  await pin({ text: 'Never push.' });
  await pin({ seq: start(3) });
  expect(await compact('full')).toBe('full_compacted');
  const said = await expectValid(id, format);
  for (const part of ['Answer 2: ', 'Found 1 ', 'Never push.', 'Question 3: ']) {
    expect(said.split(part)).toHaveLength(2);
  }

  // What a summary has taken away comes back, and the next ones leave it.
  await pin({ seq: start(4) });
  await pin({ seq: start(1) });
  await pin({ seq: start(4) + 2 });
  for (let n = 7; n <= 10; n++) await say(n);
  await compact('micro');
  await expectValid(id, format);
  expect(await compact('full')).toBe('full_compacted');
  expect((await expectValid(id, format)).split('Found 4 ')).toHaveLength(2);
  await send(api, 'DELETE', `/sessions/${id}/pins/${call.id}`);
  expect(await expectValid(id, format)).not.toContain('Found 1 ');
});
