import { expect, test } from 'vitest';
import { codecFor, type Format } from '../../../src/domain/items/codecs.ts';
import type { Item } from '../../../src/domain/items/item.ts';

const SHORT = JSON.stringify({ path: 'a.ts', content: 'short' });
const edits = new Map([['a', SHORT]]);

const cases: [Format, Item, Item][] = [
  [
    'anthropic',
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'kept' },
        {
          type: 'tool_use',
          id: 'a',
          name: 'Write',
          input: { path: 'a.ts', content: 'long' },
          k: 1,
        },
        { type: 'tool_use', id: 'b', name: 'Write', input: { path: 'b.ts', content: 'kept' } },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'kept' },
        {
          type: 'tool_use',
          id: 'a',
          name: 'Write',
          input: { path: 'a.ts', content: 'short' },
          k: 1,
        },
        { type: 'tool_use', id: 'b', name: 'Write', input: { path: 'b.ts', content: 'kept' } },
      ],
    },
  ],
  [
    'openai-chat',
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'a', type: 'function', function: { name: 'write', arguments: '{"content":"long"}' } },
        { id: 'b', type: 'function', function: { name: 'write', arguments: '{"content":"kept"}' } },
      ],
    },
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'a', type: 'function', function: { name: 'write', arguments: SHORT } },
        { id: 'b', type: 'function', function: { name: 'write', arguments: '{"content":"kept"}' } },
      ],
    },
  ],
  [
    'openai-chat',
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', type: 'custom', custom: { name: 'apply_patch', input: 'long' } }],
    },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', type: 'custom', custom: { name: 'apply_patch', input: SHORT } }],
    },
  ],
  [
    'openai-responses',
    { type: 'function_call', id: 'fc', call_id: 'a', name: 'write', arguments: '{"c":"long"}' },
    { type: 'function_call', id: 'fc', call_id: 'a', name: 'write', arguments: SHORT },
  ],
  [
    'openai-responses',
    { type: 'custom_tool_call', call_id: 'a', name: 'apply_patch', input: 'long' },
    { type: 'custom_tool_call', call_id: 'a', name: 'apply_patch', input: SHORT },
  ],
  [
    'openai-responses',
    { type: 'apply_patch_call', call_id: 'a', status: 'completed', operation: { diff: 'long' } },
    { type: 'apply_patch_call', call_id: 'a', status: 'completed', operation: JSON.parse(SHORT) },
  ],
  [
    'ai-sdk',
    {
      role: 'assistant',
      content: [
        { type: 'tool-call', toolCallId: 'a', toolName: 'write', input: { content: 'long' } },
        { type: 'tool-call', toolCallId: 'b', toolName: 'write', input: { content: 'kept' } },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'tool-call', toolCallId: 'a', toolName: 'write', input: JSON.parse(SHORT) },
        { type: 'tool-call', toolCallId: 'b', toolName: 'write', input: { content: 'kept' } },
      ],
    },
  ],
  [
    'ai-sdk',
    {
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'write', args: { c: 'long' } }],
    },
    {
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'write', args: JSON.parse(SHORT) }],
    },
  ],
];

test.each(cases)('%s: the input changes and every other field stays', (format, item, expected) => {
  const before = structuredClone(item);
  expect(codecFor(format).editInputs(item, edits)).toEqual(expected);
  expect(item).toEqual(before);
});

test('an old function call of Chat Completions, which has no id, is named by that of its view', () => {
  const { normalise, editInputs } = codecFor('openai-chat');
  const item = { role: 'assistant', function_call: { name: 'write', arguments: '{"c":"long"}' } };
  const view = normalise(item);
  const [part] = view.kind === 'message' ? view.parts : [];
  const id = part?.kind === 'tool_call' ? part.id : '';
  expect(editInputs(item, new Map([[id, SHORT]]))).toEqual({
    role: 'assistant',
    function_call: { name: 'write', arguments: SHORT },
  });
});

test.each<[Format, Item]>([
  ['anthropic', { role: 'assistant', content: 'a' }],
  ['anthropic', { type: 'progress', tool_use_id: 'a' }],
  [
    'anthropic',
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'x' }] },
  ],
  ['openai-chat', { role: 'tool', tool_call_id: 'a', content: 'kept' }],
  ['openai-responses', { type: 'function_call_output', call_id: 'a', output: 'kept' }],
  [
    'openai-responses',
    { type: 'web_search_call', id: 'a', action: { type: 'search', query: 'q' } },
  ],
])('%s: an item without the named call stays', (format, item) => {
  expect(codecFor(format).editInputs(item, edits)).toEqual(item);
});
