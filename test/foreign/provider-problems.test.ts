import { expect, test } from 'vitest';
import { providerProblems } from '../support/foreign/context-rules.ts';
import type { WireFormat } from '../support/foreign/request-types.ts';

// The validator must be able to fail: each of these contexts is broken in one way.

const ask = { role: 'user', content: 'go' };
const user = (...content: object[]) => ({ role: 'user', content });
const model = (...content: object[]) => ({ role: 'assistant', content });
const text = (value: string) => ({ type: 'text', text: value });
const use = (id: string) => ({ type: 'tool_use', id, name: 'Read', input: {} });
const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'out' });
const system = { role: 'system', content: 'be brief' };
const mark = { ...text('x'), cache_control: { type: 'ephemeral' } };
const toolCall = (id: string, name = 'Read') => ({
  id,
  type: 'function',
  function: { name, arguments: '{}' },
});
const called = (...ids: string[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => toolCall(id)),
});
const answer = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'out' });
const fn = (id: string) => ({ type: 'function_call', call_id: id, name: 'Read', arguments: '{}' });
const output = (id: string) => ({ type: 'function_call_output', call_id: id, output: 'out' });
const reasoning = { type: 'reasoning', id: 'rs_1', summary: [] };

const BROKEN: [WireFormat, string, object[]][] = [
  [
    'anthropic',
    'additional properties ("stop_reason")',
    [ask, { ...model(text('x')), stop_reason: 'end_turn' }],
  ],
  ['anthropic', 'additional properties ("type")', [ask, { ...model(text('x')), type: 'message' }]],
  ['anthropic', 'additional properties ("parsed")', [ask, model({ ...text('x'), parsed: null })]],
  [
    'anthropic',
    'additional properties ("extra")',
    [ask, model(use('a')), user({ ...result('a'), content: [{ ...text('x'), extra: 1 }] })],
  ],
  [
    'anthropic',
    "must have required property 'signature'",
    [ask, model({ type: 'thinking', thinking: 'x' }, text('y'))],
  ],
  [
    'anthropic',
    'must be equal to one of the allowed values',
    [user({ type: 'input_text', text: 'x' })],
  ],
  ['anthropic', 'no type has role tool', [ask, answer('a')]],
  ['anthropic', 'does not start with user', [model(text('x'))]],
  ['anthropic', 'two user messages in a row', [ask, ask]],
  ['anthropic', 'a system message that follows no user', [ask, model(text('x')), system]],
  ['anthropic', 'a system message before the user', [ask, system, ask]],
  ['anthropic', 'empty content', [{ role: 'user', content: ' ' }]],
  ['anthropic', 'an empty text block', [user(text(''))]],
  [
    'anthropic',
    'ends with thinking',
    [ask, model({ type: 'thinking', thinking: 'x', signature: 's' })],
  ],
  ['anthropic', 'the call a is not answered', [ask, model(use('a')), ask]],
  ['anthropic', 'the result of a has no call before', [user(result('a'))]],
  ['anthropic', 'is not at the front', [ask, model(use('a')), user(text('x'), result('a'))]],
  ['anthropic', 'two results for a', [ask, model(use('a')), user(result('a'), result('a'))]],
  ['anthropic', 'two calls with the id a', [ask, model(use('a'), use('a')), user(result('a'))]],
  ['anthropic', 'the id a.b is refused', [ask, model(use('a.b'))]],
  [
    'anthropic',
    'has no call before',
    [ask, model({ type: 'web_search_tool_result', tool_use_id: 's', content: [] }, text('x'))],
  ],
  ['anthropic', '5 blocks with cache_control', [user(mark, mark, mark, mark, mark)]],
  ['anthropic', 'a lone surrogate', [{ role: 'user', content: 'half \ud83d' }]],
  [
    'openai-chat',
    'additional properties ("annotations")',
    [ask, { role: 'assistant', content: 'x', annotations: [] }],
  ],
  [
    'openai-chat',
    'must be string',
    [
      ask,
      {
        ...called(),
        tool_calls: [{ ...toolCall('a'), function: { name: 'Read', arguments: {} } }],
      },
      answer('a'),
    ],
  ],
  ['openai-chat', 'the call b before it has no result', [ask, called('a', 'b'), answer('a'), ask]],
  ['openai-chat', 'the result of a does not follow its call', [ask, answer('a')]],
  ['openai-chat', 'empty content', [{ role: 'user', content: '' }]],
  ['openai-chat', 'no tool calls', [ask, { role: 'assistant', content: 'x', tool_calls: [] }]],
  [
    'openai-chat',
    'the tool name a.b',
    [ask, { ...called(), tool_calls: [toolCall('a', 'a.b')] }, answer('a')],
  ],
  ['openai-chat', 'is longer than 40', [ask, called('a'.repeat(41)), answer('a'.repeat(41))]],
  ['openai-chat', 'base64 as text', [{ role: 'user', content: 'JVBERi0'.repeat(400) }]],
  [
    'openai-responses',
    'additional properties ("parsed_arguments")',
    [ask, { ...fn('a'), parsed_arguments: {} }, output('a')],
  ],
  ['openai-responses', 'no type has role undefined and type tool_use', [use('a')]],
  ['openai-responses', 'the call a has no output', [ask, fn('a'), ask]],
  ['openai-responses', 'the output of a answers no call', [ask, output('a')]],
  ['openai-responses', 'reasoning without what follows', [ask, reasoning, ask]],
  ['openai-responses', 'a trigger is not last', [{ type: 'compaction_trigger' }, ask]],
  ['openai-responses', 'is longer than 64', [ask, fn('a'.repeat(65)), output('a'.repeat(65))]],
];

test.each(BROKEN)('%s: %s', (format, problem, context) => {
  const found = providerProblems(format, context, { isConverted: true });
  expect(found.some((one) => one.includes(problem))).toBe(true);
  expect(found.length).toBeLessThan(4);
});

test.each<[WireFormat, object[]]>([
  ['anthropic', [ask, system, model(use('a'), use('b')), user(result('b'), result('a')), system]],
  ['anthropic', [ask, model(use('a'), use('b')), user(result('a'))]],
  ['openai-chat', [ask, called('a', 'b'), answer('b'), answer('a'), ask, called('c')]],
  ['openai-responses', [ask, reasoning, fn('a'), output('a'), ask, reasoning, fn('b')]],
])('%s: nothing is said against a good context', (format, context) => {
  expect(providerProblems(format, context, { isConverted: true })).toEqual([]);
});
