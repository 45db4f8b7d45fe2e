import { expect, test } from 'vitest';
import { codecFor, type Format } from '../../../src/domain/items/codecs.ts';
import type { Item } from '../../../src/domain/items/item.ts';

const edits = new Map([['a', 'cleared']]);

const cases: [Format, Item, Item][] = [
  [
    'anthropic',
    {
      role: 'user',
      is_meta: false,
      content: [
        { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'long' }], k: 1 },
        { type: 'tool_result', tool_use_id: 'b', content: 'kept' },
        { type: 'text', text: 'kept' },
      ],
    },
    {
      role: 'user',
      is_meta: false,
      content: [
        { type: 'tool_result', tool_use_id: 'a', content: 'cleared', k: 1 },
        { type: 'tool_result', tool_use_id: 'b', content: 'kept' },
        { type: 'text', text: 'kept' },
      ],
    },
  ],
  [
    'openai-chat',
    { role: 'tool', tool_call_id: 'a', name: 'f', content: [{ type: 'text', text: 'long' }] },
    { role: 'tool', tool_call_id: 'a', name: 'f', content: 'cleared' },
  ],
  [
    'openai-responses',
    { type: 'function_call_output', call_id: 'a', output: 'long', status: 'completed' },
    { type: 'function_call_output', call_id: 'a', output: 'cleared', status: 'completed' },
  ],
  [
    'openai-responses',
    {
      type: 'shell_call_output',
      call_id: 'a',
      max_output_length: 9,
      output: [
        { stdout: 'a', stderr: 'b', outcome: { type: 'exit', exit_code: 2 } },
        { stdout: 'c', stderr: '', outcome: { type: 'timeout' } },
      ],
    },
    {
      type: 'shell_call_output',
      call_id: 'a',
      max_output_length: 9,
      output: [
        { stdout: 'cleared', stderr: '', outcome: { type: 'exit', exit_code: 2 } },
        { stdout: '', stderr: '', outcome: { type: 'timeout' } },
      ],
    },
  ],
];

test.each(cases)(
  '%s: the content changes and every other field stays',
  (format, item, expected) => {
    const before = structuredClone(item);
    expect(codecFor(format).editResults(item, edits)).toEqual(expected);
    expect(item).toEqual(before);
  },
);

test.each<[Format, Item]>([
  ['anthropic', { role: 'user', content: 'a' }],
  ['openai-chat', { role: 'tool', tool_call_id: 'b', content: 'kept' }],
  ['openai-responses', { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' }],
  ['anthropic', { type: 'progress', tool_use_id: 'a' }],
])('%s: an item without the named result stays', (format, item) => {
  expect(codecFor(format).editResults(item, edits)).toEqual(item);
});
