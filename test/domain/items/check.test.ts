import { describe, expect, test } from 'vitest';
import { codecFor, FORMATS, type Format } from '../../../src/domain/items/codecs.ts';
import type { Json } from '../../../src/domain/json.ts';

function problems(format: Format, item: Json): string[] {
  return codecFor(format)
    .check(item)
    .map(({ path, message }) => `${path.join('.')}: ${message}`);
}

const accepted: [Format, Json][] = [
  ['anthropic', { role: 'user', content: 'hi', cache_hint: { a: 1 } }],
  ['anthropic', { role: 'assistant', content: [{ type: 'hologram', data: 1 }], usage: null }],
  ['anthropic', { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a' }] }],
  ['openai-chat', { role: 'assistant' }],
  ['openai-chat', { role: 'assistant', content: null, tool_calls: null }],
  ['openai-chat', chatCall({ path: 'a' })],
  ['openai-chat', chatCall('{"path":"a"}')],
  [
    'openai-chat',
    {
      role: 'assistant',
      tool_calls: [{ id: 'a', type: 'custom', custom: { name: 'f', input: '' } }],
    },
  ],
  ['openai-chat', { role: 'function', name: 'f', content: '1' }],
  ['openai-responses', { role: 'developer', content: 'be brief' }],
  ['openai-responses', { type: 'invented_call', anything: [1] }],
  ['openai-responses', { type: 'reasoning', summary: [], id: null }],
  ['openai-responses', { type: 'local_shell_call_output', id: 'a', output: '' }],
];

function chatCall(input: Json): Json {
  return {
    role: 'assistant',
    tool_calls: [{ id: 'a', function: { name: 'f', arguments: input } }],
  };
}

test.each(accepted)('%s accepts %j', (format, item) => {
  expect(problems(format, item)).toEqual([]);
});

const refused: [Format, Json, string][] = [
  ['anthropic', { role: 'system', content: 3 }, 'content: .* a string or an array of text blocks'],
  [
    'anthropic',
    { role: 'system', content: [{ type: 'image', source: {} }] },
    'content.0: a system message holds text only',
  ],
  ['anthropic', { role: 'tool', content: 'x' }, 'role: "role" must be'],
  ['anthropic', { role: 'user' }, 'content: '],
  ['anthropic', { role: 'user', content: ['x'] }, 'content.0: a content block'],
  ['anthropic', { role: 'user', content: [{ type: 'text' }] }, 'content.0.text'],
  [
    'anthropic',
    { role: 'assistant', content: [{ type: 'tool_use', name: 'f', input: {} }] },
    'content.0.id',
  ],
  [
    'anthropic',
    { role: 'assistant', content: [{ type: 'tool_use', id: 'a', input: {} }] },
    'content.0.name',
  ],
  ...[null, '{"path":"a"}', [1]].map((input): [Format, Json, string] => [
    'anthropic',
    { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input }] },
    'content.0.input: .*must be an object: parse it',
  ]),
  [
    'anthropic',
    { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f' }] },
    'content.0.input: .*send {} for a call without input',
  ],
  ['anthropic', { role: 'user', content: [{ type: 'tool_result' }] }, 'content.0.tool_use_id'],
  [
    'anthropic',
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 5 }] },
    'content.0.content',
  ],
  [
    'anthropic',
    { role: 'user', content: [{ type: 'tool_use', id: 'a', name: 'f' }] },
    'content.0: .*assistant message',
  ],
  ['anthropic', { role: 'user', content: 'x', is_meta: 'yes' }, 'is_meta: .*true or false'],
  ['anthropic', { role: 'user', content: 'x', usage: 5 }, 'usage: .*object'],
  ['anthropic', { role: 'user', content: 'x', id: 5 }, 'id: .*string'],
  ['openai-chat', { role: 'user', content: null }, 'content: a user message'],
  ['openai-chat', { role: 'user', content: 5 }, 'content: '],
  ['openai-chat', { role: 'exit', content: 'x' }, 'role: '],
  ['openai-chat', { role: 'tool', content: 'x' }, 'tool_call_id: '],
  ['openai-chat', chatCall(5), 'tool_calls.0.function.arguments'],
  ['openai-chat', { role: 'assistant', tool_calls: [{ id: 'a' }] }, 'tool_calls.0.function'],
  [
    'openai-chat',
    { role: 'user', content: 'x', tool_calls: [{ id: 'a' }] },
    'tool_calls: only an assistant',
  ],
  ['openai-responses', { content: 'x' }, 'type: '],
  ['openai-responses', { role: 'tool', content: 'x' }, 'role: .*function_call_output'],
  ['openai-responses', { role: 'user' }, 'content: '],
  ['openai-responses', { type: 'function_call', name: 'f', arguments: '' }, 'call_id: '],
  ['openai-responses', { type: 'function_call', call_id: 'a', name: 'f' }, 'arguments: '],
  ['openai-responses', { type: 'function_call_output', call_id: 'a' }, 'output: '],
  ['openai-responses', { type: 'local_shell_call_output', output: '' }, 'id: '],
];

test.each(refused)('%s refuses %j', (format, item, expected) => {
  expect(problems(format, item)).toEqual([expect.stringMatching(expected)]);
});

describe.each(FORMATS)('control items in %s', (format) => {
  test.each<Json>([
    { type: 'attachment', attachment: { kind: 'file', filename: 'a.ts', content: '' } },
    { type: 'attachment', attachment: { kind: 'todo', todos: [] } },
    { type: 'attachment', attachment: { kind: 'plan', content: 'p' } },
    { type: 'progress' },
    { type: 'system', subtype: 'compact_boundary' },
    { type: 'ghost_snapshot', ghost_commit: {} },
  ])('accepts %j', (item) => {
    expect(problems(format, item)).toEqual([]);
  });

  test.each<[Json, string]>([
    [{ type: 'attachment' }, 'attachment: '],
    [{ type: 'attachment', attachment: { kind: 'video', content: '' } }, 'attachment.kind: '],
    [{ type: 'attachment', attachment: { kind: 'file', content: '' } }, 'attachment.path: '],
    [{ type: 'attachment', attachment: { kind: 'memory' } }, 'attachment.content: '],
    [{ type: 'system', content: 'x' }, 'subtype: '],
    [{ type: 'system', subtype: 'x', content: [] }, 'content: '],
  ])('refuses %j', (item, expected) => {
    expect(problems(format, item)).toEqual([expect.stringMatching(expected)]);
  });

  test.each<Json>([null, 5, 'x', [], [[]]])('%j is no item', (json) => {
    expect(problems(format, json)).toEqual([': an item must be a JSON object']);
  });

  test('stops after fifty of two hundred thousand broken blocks, and says so', () => {
    const content = new Array<Json>(200_000).fill(null);
    const found = problems(format, { role: 'assistant', content });
    expect(found).toHaveLength(51);
    expect(found.at(-1)).toBe(
      'content.50: the check stops here: correct the blocks before this one, then send it again',
    );
  });
});
