import type { Anthropic } from '@anthropic-ai/sdk';
import type { OpenAI } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { providerProblems } from '../support/foreign/context-rules.ts';
import type { WireFormat } from '../support/foreign/request-types.ts';

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const ANTHROPIC: Anthropic.Beta.BetaMessage = {
  id: 'msg_01XFDUDYJgAACzvnptvVoYEL',
  type: 'message',
  role: 'assistant',
  model: 'claude-opus-5',
  content: [
    { type: 'thinking', thinking: 'The tide table is in the file.', signature: 'EqQBCkYIBxgC' },
    { type: 'text', text: 'I will look it up.', citations: null },
    {
      type: 'server_tool_use',
      id: 'srvtoolu_01',
      name: 'web_search',
      input: { query: 'tides' },
      caller: { type: 'direct' },
    },
    {
      type: 'web_search_tool_result',
      tool_use_id: 'srvtoolu_01',
      caller: { type: 'direct' },
      content: [
        {
          type: 'web_search_result',
          url: 'https://example.com/tides',
          title: 'Tides',
          encrypted_content: 'EqgfCioIARgB',
          page_age: null,
        },
      ],
    },
    {
      type: 'tool_use',
      id: 'toolu_01',
      name: 'read_file',
      input: { path: 'tides.csv', parsed: null },
      caller: { type: 'direct' },
    },
  ],
  stop_reason: 'tool_use',
  stop_sequence: null,
  stop_details: null,
  container: null,
  context_management: null,
} as unknown as Anthropic.Beta.BetaMessage;

const CHAT = {
  role: 'assistant',
  content: null,
  refusal: null,
  annotations: [],
  audio: null,
  function_call: null,
  parsed: null,
  tool_calls: [
    {
      id: 'call_1',
      type: 'function',
      index: 0,
      function: { name: 'read_file', arguments: '{"path":"a"}', parsed_arguments: { path: 'a' } },
    },
  ],
} as unknown as OpenAI.Chat.ChatCompletionMessage;

const RESPONSES = [
  { type: 'reasoning', id: 'rs_1', summary: [], content: null, encrypted_content: 'gAAAA' },
  {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    status: 'completed',
    phase: 'commentary',
    content: [
      { type: 'output_text', text: 'Reading.', annotations: [], logprobs: [], parsed: null },
    ],
  },
  {
    type: 'function_call',
    id: 'fc_1',
    call_id: 'call_1',
    name: 'read_file',
    arguments: '{"path":"a"}',
    parsed_arguments: { path: 'a' },
    status: 'completed',
  },
];

const SDK_IDS = { toolCallId: 'call_1', toolName: 'read_file' };

/** As `response.messages` of `generateText` has it. */
const SDK_CALL = {
  role: 'assistant',
  content: [
    {
      type: 'reasoning',
      text: 'The table will tell.',
      providerOptions: { openai: { itemId: 'rs' } },
    },
    { type: 'text', text: 'I look it up.' },
    { ...SDK_IDS, type: 'tool-call', input: { path: 'a' } },
  ],
};

/** What the documented loop appends: the question, the SDK's answer as it came, the tool's result. */
const LOOPS: Readonly<Record<WireFormat, object[]>> = {
  anthropic: [
    { role: 'user', content: 'When is high tide?' },
    ANTHROPIC,
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_01', content: '14:02' }] },
  ],
  'openai-chat': [
    { role: 'user', content: 'When is high tide?' },
    CHAT,
    { role: 'tool', tool_call_id: 'call_1', content: '14:02' },
  ],
  'openai-responses': [
    { role: 'user', content: 'When is high tide?' },
    ...RESPONSES,
    { type: 'function_call_output', call_id: 'call_1', output: '14:02' },
  ],
  'ai-sdk': [
    { role: 'user', content: 'When is high tide?' },
    SDK_CALL,
    {
      role: 'tool',
      content: [{ ...SDK_IDS, type: 'tool-result', output: { type: 'text', value: '14:02' } }],
    },
  ],
};
const FORMATS = Object.keys(LOOPS) as WireFormat[];

async function contextOf(items: readonly object[], format: WireFormat, target = format) {
  const id = `${format}-${target}-${crypto.randomUUID()}`;
  await send(api, 'POST', '/sessions', { body: { id, format } });
  const appended = await send(api, 'POST', `/sessions/${id}/items`, { body: { items } });
  expect(appended.status).toBe(201);
  const { body } = await send(api, 'GET', `/sessions/${id}/context?format=${target}`);
  const logged = await send(api, 'GET', `/sessions/${id}/items`);
  return { context: body.items as object[], logged: logged.body.data };
}

describe('A2: an answer of an SDK, appended as it came', () => {
  it.each(FORMATS)('%s: the context holds what a request may hold', async (format) => {
    const { context } = await contextOf(LOOPS[format], format);
    expect(providerProblems(format, context, { isConverted: false })).toEqual([]);
  });

  it.each(FORMATS)('%s: so it is in the other formats', async (format) => {
    for (const target of FORMATS) {
      const { context } = await contextOf(LOOPS[format], format, target);
      const isConverted = target !== format;
      expect(providerProblems(target, context, { isConverted })).toEqual([]);
    }
  });

  it.each(FORMATS)('%s: the log keeps every field', async (format) => {
    const { logged } = await contextOf(LOOPS[format], format);
    expect(logged).toMatchObject(LOOPS[format].map((item) => ({ item })));
  });

  it('keeps the content of calls, thoughts and searches untouched', async () => {
    const { context } = await contextOf(LOOPS.anthropic, 'anthropic');
    expect(context[1]).toEqual({ role: 'assistant', content: ANTHROPIC.content });
  });

  it.each([
    ['in a block', { role: 'user', content: [{ type: 'text', text: 'go', annotations: [] }] }],
    [
      'in a result',
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'toolu_01',
            content: [{ type: 'text', text: 'x', id: 1 }],
          },
        ],
      },
    ],
  ])('leaves out a field %s that no request has', async (_, last) => {
    const items = [...LOOPS.anthropic.slice(0, 2), last];
    const { context } = await contextOf(items, 'anthropic');
    expect(providerProblems('anthropic', context, { isConverted: false })).toEqual([]);
  });

  it('leaves alone what a request may hold: the very same items', async () => {
    const items = [
      {
        role: 'user',
        content: [{ type: 'text', text: 'go', cache_control: { type: 'ephemeral', ttl: '1h' } }],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'Gone.', citations: null }] },
    ];
    const { context } = await contextOf(items, 'anthropic');
    expect(JSON.stringify(context)).toBe(JSON.stringify(items));
  });

  it('gives servers like DeepSeek and OpenRouter their reasoning back, but no null', async () => {
    const said = { role: 'assistant', content: 'Hi.', reasoning_content: 'They greet me.' };
    const items = [
      { role: 'user', content: 'Hi' },
      { ...said, reasoning: null },
    ];
    const { context } = await contextOf(items, 'openai-chat');
    expect(context).toEqual([items[0], said]);
  });
});
