import { expect, test } from 'vitest';
import type { Item } from '../../../src/domain/items/item.ts';
import { openaiChatCodec } from '../../../src/domain/items/openai-chat/codec.ts';
import { MISSING_RESULT_NOTE } from '../../../src/domain/items/pairing.ts';

const ask: Item = { role: 'user', content: 'go' };
const say: Item = { role: 'assistant', content: 'ok' };
const call = (...ids: string[]): Item => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })),
});
const result = (id: string, content = `out ${id}`): Item => ({
  role: 'tool',
  tool_call_id: id,
  content,
});
const note = (id: string): Item => result(id, MISSING_RESULT_NOTE);

const cases: [string, Item[], Item[]][] = [
  [
    'a user message between call and result moves after the results',
    [ask, call('a', 'b'), result('a'), ask, result('b'), say],
    [ask, call('a', 'b'), result('a'), result('b'), ask, say],
  ],
  [
    'a call that was passed over gets a note',
    [ask, call('a', 'b'), result('b'), say],
    [ask, call('a', 'b'), result('b'), note('a'), say],
  ],
  [
    'calls at the very end stay open',
    [ask, call('a', 'b'), result('a')],
    [ask, call('a', 'b'), result('a')],
  ],
  ['orphans are dropped', [ask, result('x'), say], [ask, say]],
  [
    'an early result comes after its call',
    [ask, result('b'), result('a'), call('a', 'b'), say],
    [ask, call('a', 'b'), result('b'), result('a'), say],
  ],
  ['also at the very end', [result('a'), ask, call('a')], [ask, call('a'), result('a')]],
  [
    'a second call of one id in a message gets an id of its own',
    [ask, call('a', 'a', 'a_2'), result('a', '1'), result('a', '2'), result('a_2'), say],
    [ask, call('a', 'a_3', 'a_2'), result('a', '1'), result('a_3', '2'), result('a_2'), say],
  ],
  [
    'the first of two results is kept',
    [call('a'), result('a'), result('a', '2')],
    [call('a'), result('a')],
  ],
  [
    'an id that is used again is answered by the result after it',
    [call('a'), call('a'), result('a'), say],
    [call('a'), note('a'), call('a'), result('a'), say],
  ],
  [
    'messages without content are dropped',
    [
      { role: 'assistant', content: null },
      { role: 'user', content: '' },
      { role: 'user', content: [] },
    ],
    [],
  ],
  [
    'empty text parts are dropped',
    [
      {
        role: 'user',
        content: [
          { type: 'text', text: '' },
          { type: 'text', text: 'x' },
        ],
      },
    ],
    [{ role: 'user', content: [{ type: 'text', text: 'x' }] }],
  ],
  [
    'a refusal is content',
    [{ role: 'assistant', content: null, refusal: 'no' }],
    [{ role: 'assistant', content: null, refusal: 'no' }],
  ],
  [
    'arguments become strings and calls get a type',
    [
      {
        role: 'assistant',
        tool_calls: [{ id: 'a', function: { name: 'f', arguments: { n: 1 } } }],
      },
    ],
    [
      {
        role: 'assistant',
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{"n":1}' } }],
      },
    ],
  ],
  ['an empty list of calls is left out', [{ ...say, tool_calls: [] }], [say]],
  [
    'the old function_call is paired by name',
    [
      { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
      ask,
      { role: 'function', name: 'f', content: '1' },
    ],
    [
      { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
      { role: 'function', name: 'f', content: '1' },
      ask,
    ],
  ],
  [
    'a todo list is a labelled user message',
    [{ type: 'attachment', attachment: { kind: 'todo', content: '- a' } }],
    [{ role: 'user', content: 'Todo list (current state):\n- a' }],
  ],
  [
    'a call of a function under another type gets the type that the API knows',
    [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'a', type: 'tool', function: { name: 'f', arguments: '{}' } }],
      },
      result('a'),
    ],
    [call('a'), result('a')],
  ],
];

test.each(cases)('%s', (_, items, expected) => {
  const rendered = openaiChatCodec.render(items);
  expect(rendered).toEqual(expected);
  expect(openaiChatCodec.violations(rendered)).toEqual([]);
});

test.each<[string, Item[]]>([
  ['result of a does not follow', [result('a')]],
  ['result of a does not follow', [call('a'), result('a'), ask, result('a')]],
  ['call a before it has no result', [call('a'), ask]],
  ['call b before it has no result', [call('a', 'b'), result('a'), say]],
  ['occurs twice', [call('a', 'a')]],
  ['the content is empty', [{ role: 'assistant', content: null }]],
  ['a text part is empty', [{ role: 'user', content: [{ type: 'text', text: '' }] }]],
  ['empty array', [{ ...say, tool_calls: [] }]],
  ['has no type', [{ role: 'assistant', tool_calls: [{ id: 'a', function: { arguments: '' } }] }]],
  [
    'not a string',
    [{ role: 'assistant', tool_calls: [{ id: 'a', type: 'function', function: {} }] }],
  ],
  ['refuses the field "model"', [{ ...say, model: 'm' }]],
  ['control item', [{ type: 'progress' }]],
])('the checker finds: %s', (expected, items) => {
  expect(openaiChatCodec.violations(items)).toContainEqual(expect.stringContaining(expected));
});
