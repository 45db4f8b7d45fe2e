import { expect, test } from 'vitest';
import { anthropicCodec } from '../../../src/domain/items/anthropic/codec.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import { MISSING_RESULT_NOTE } from '../../../src/domain/items/pairing.ts';
import type { Json, JsonObject } from '../../../src/domain/json.ts';

const user = (...content: Json[]): Item => ({ role: 'user', content });
const model = (...content: Json[]): Item => ({ role: 'assistant', content });
const piece = (id: string, ...content: Json[]): Item => ({ role: 'assistant', id, content });
const text = (value: string): JsonObject => ({ type: 'text', text: value });
const thinking = { type: 'thinking', thinking: 'hm', signature: 's' };
const call = (id: string): JsonObject => ({ type: 'tool_use', id, name: 'Read', input: {} });
const result = (id: string, content = `out ${id}`): JsonObject => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
});
const note = (id: string): JsonObject => ({ ...result(id, MISSING_RESULT_NOTE), is_error: true });
const search = (id: string): JsonObject => ({
  type: 'server_tool_use',
  id,
  name: 'web_search',
  input: {},
});
const found = (id: string): JsonObject => ({
  type: 'web_search_tool_result',
  tool_use_id: id,
  content: [],
});
const mcp = (id: string): JsonObject => ({ ...search(id), type: 'mcp_tool_use' });
const mcpResult = (id: string): JsonObject => ({ ...found(id), type: 'mcp_tool_result' });
const system = (content: string): Item => ({ role: 'system', content });
const ask: Item = { role: 'user', content: 'go' };

const cases: [string, Item[], Item[]][] = [
  [
    'thinking without a signature is refused, and goes',
    [
      ask,
      model({ type: 'thinking', thinking: 'hm' }, text('so')),
      ask,
      model({ type: 'thinking', thinking: 'cut off' }),
      ask,
    ],
    [ask, model(text('so')), user(text('go'), text('go'))],
  ],
  [
    'consecutive user messages are merged and strings become blocks',
    [ask, { role: 'user', content: 'more' }],
    [user(text('go'), text('more'))],
  ],
  [
    'pieces of one message are merged, also with results between them',
    [
      ask,
      piece('m', thinking),
      piece('m', call('a')),
      user(result('a')),
      piece('m', call('b')),
      user(result('b')),
    ],
    [ask, model(thinking, call('a'), call('b')), user(result('a'), result('b'))],
  ],
  [
    'also with notes of the client between them, which come after the message',
    [
      ask,
      piece('m', thinking),
      { role: 'user', content: 'hook', is_meta: true },
      piece('m', call('a')),
      { type: 'attachment', attachment: { kind: 'memory', content: 'x' } },
      user(result('a')),
      piece('m', call('b')),
      user(result('b')),
    ],
    [
      ask,
      model(thinking, call('a'), call('b')),
      user(result('a'), result('b'), text('hook'), text('Memory:\nx')),
    ],
  ],
  [
    'what the user says ends a message',
    [ask, piece('m', text('1')), ask, piece('m', text('2')), ask],
    [ask, model(text('1')), ask, model(text('2')), ask],
  ],
  [
    'an early result comes after the message of its call, and what the model said to it after that',
    [
      ask,
      user(result('b')),
      user(result('a')),
      model(call('a')),
      model(call('b')),
      model(text('2')),
    ],
    [ask, model(call('a'), call('b')), user(result('b'), result('a')), model(text('2'))],
  ],
  [
    'an early result of a call at the very end',
    [ask, user(result('a'), text('so')), piece('m', thinking), piece('m', call('a'))],
    [user(text('go'), text('so')), model(thinking, call('a')), user(result('a'))],
  ],
  [
    'early results between the pieces of one message',
    [
      ask,
      piece('m', thinking),
      user(result('b')),
      piece('m', call('a')),
      piece('m', call('b')),
      ask,
    ],
    [ask, model(thinking, call('a'), call('b')), user(result('b'), note('a'), text('go'))],
  ],
  [
    'a conversation starts with the user',
    [model(text('hi'))],
    [expect.any(Object), model(text('hi'))],
  ],
  [
    'a compaction block may be the head',
    [model({ type: 'compaction', content: 's' }), ask],
    [model({ type: 'compaction', content: 's' }), ask],
  ],
  [
    'empty text and messages without content are dropped',
    [user(text(''), text('go')), model(text(' \n')), { role: 'user', content: '' }],
    [user(text('go'))],
  ],
  [
    'a late result moves after its call, in front of what the user said',
    [
      ask,
      model(call('a')),
      { role: 'user', content: 'wait' },
      model(text('ok')),
      user(result('a')),
    ],
    [ask, model(call('a')), user(result('a'), text('wait')), model(text('ok'))],
  ],
  [
    'a call that was passed over gets a note',
    [ask, model(call('a'), call('b')), user(result('b')), model(text('ok'))],
    [ask, model(call('a'), call('b')), user(result('b'), note('a')), model(text('ok'))],
  ],
  ['a call at the very end stays open', [ask, model(call('a'))], [ask, model(call('a'))]],
  [
    'so does one beside which only results stand',
    [ask, model(call('a'), call('b')), user(result('a'))],
    [ask, model(call('a'), call('b')), user(result('a'))],
  ],
  [
    'a call is not open any more when the user went on',
    [ask, model(call('a')), { role: 'user', content: 'stop' }],
    [ask, model(call('a')), user(note('a'), text('stop'))],
  ],
  [
    'orphans and second results are dropped, the first one is kept',
    [ask, user(result('x')), model(call('a')), user(result('a'), result('a', 'again'))],
    [ask, model(call('a')), user(result('a'))],
  ],
  [
    'an id that is used again is renamed with its result',
    [ask, model(call('a')), user(result('a')), model(call('a')), user(result('a', 'two'))],
    [ask, model(call('a')), user(result('a')), model(call('a_2')), user(result('a_2', 'two'))],
  ],
  [
    'thinking that led to nothing is dropped, other thinking stays as it is',
    [ask, model(thinking, text('hi')), user(text('and?')), model(thinking)],
    [ask, model(thinking, text('hi')), user(text('and?'))],
  ],
  [
    'server tools live inside the assistant message',
    [
      ask,
      model(
        { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
        { type: 'web_search_tool_result', tool_use_id: 's', content: [] },
        text('found'),
      ),
    ],
    [
      ask,
      model(
        { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
        { type: 'web_search_tool_result', tool_use_id: 's', content: [] },
        text('found'),
      ),
    ],
  ],
  [
    'server calls without result and server results without call are dropped',
    [
      ask,
      model(search('s'), mcp('m'), text('one')),
      ask,
      model(found('x'), mcpResult('y'), text('two')),
    ],
    [ask, model(text('one')), ask, model(text('two'))],
  ],
  [
    'with all that they leave empty',
    [ask, model(thinking, search('s')), user(text('more')), model(search('s'), found('s'))],
    [user(text('go'), text('more')), model(search('s'), found('s'))],
  ],
  [
    'a result in front of its call, a second one, and one of another owner are dropped',
    [ask, model(found('s'), search('s'), found('s'), found('s'), mcp('m'), found('m'), text('x'))],
    [ask, model(search('s'), found('s'), text('x'))],
  ],
  [
    'a server call at the very end stays open',
    [ask, model(text('x'), search('s'), mcp('m'))],
    [ask, model(text('x'), search('s'), mcp('m'))],
  ],
  [
    'also beside a call of the client, whose result alone follows',
    [ask, model(search('s'), call('a')), user(result('a'))],
    [ask, model(search('s'), call('a')), user(result('a'))],
  ],
  [
    'its result then opens the next message of the model',
    [ask, model(search('s'), call('a')), user(result('a')), model(found('s'), text('x'))],
    [ask, model(search('s'), call('a')), user(result('a')), model(found('s'), text('x'))],
  ],
  [
    'but not when the user said something in between',
    [
      ask,
      model(search('s'), call('a')),
      user(result('a'), text('y')),
      model(found('s'), text('x')),
    ],
    [ask, model(call('a')), user(result('a'), text('y')), model(text('x'))],
  ],
  [
    'a server call with text after it is over',
    [ask, model(search('s'), text('x'))],
    [ask, model(text('x'))],
  ],
  ['a user has no server tools', [user(text('x'), found('s'))], [user(text('x'))]],
  [
    'attachments are labelled, boundaries and other control items left out',
    [
      { type: 'system', subtype: 'compact_boundary', content: 'Conversation compacted' },
      { type: 'attachment', attachment: { kind: 'file', path: 'src/a.ts', content: 'let a;' } },
      { type: 'attachment', attachment: { kind: 'plan', content: '' } },
      { type: 'progress' },
      { type: 'ghost_snapshot' },
    ],
    [{ role: 'user', content: 'File src/a.ts (as last known):\nlet a;' }],
  ],
  [
    'our own fields, the id and what no request has are left out',
    [{ ...ask, id: 'm', is_meta: true, timestamp: 't', usage: {}, model: 'x', cache: 1 }],
    [ask],
  ],
  [
    'a block that no request type is known for stays as it is',
    [ask, model({ type: 'dream_20270101', of: { electric: 'sheep' } })],
    [ask, model({ type: 'dream_20270101', of: { electric: 'sheep' } })],
  ],
  [
    'a system message follows the whole run of user messages',
    [ask, system('be brief'), user(text('and')), model(text('ok'))],
    [user(text('go'), text('and')), system('be brief'), model(text('ok'))],
  ],
  [
    'two system messages in a row become one',
    [ask, system('be brief'), { ...system('be kind'), output_config: { effort: 'low' } }],
    [
      ask,
      {
        ...system(''),
        content: [text('be brief'), text('be kind')],
        output_config: { effort: 'low' },
      },
    ],
  ],
  [
    'a system message stands after the results that it was sent with',
    [ask, model(call('a')), system('be brief'), user(result('a')), model(text('ok'))],
    [ask, model(call('a')), user(result('a')), system('be brief'), model(text('ok'))],
  ],
  [
    'a system message that is near no user message becomes a labelled one',
    [ask, model(text('a')), system('be brief'), model(text('b'))],
    [
      ask,
      model(text('a')),
      user(text('System instructions:\n'), text('be brief')),
      model(text('b')),
    ],
  ],
  [
    'a call beside which only results and a system message stand is open',
    [ask, model(call('a'), call('b')), user(result('a')), system('be brief')],
    [ask, model(call('a'), call('b')), user(result('a')), system('be brief')],
  ],
  ['nothing stays nothing', [], []],
];

test.each(cases)('%s', (_, items, expected) => {
  const rendered = anthropicCodec.render(items);
  expect(rendered).toEqual(expected);
  expect(anthropicCodec.violations(rendered)).toEqual([]);
});

test.each<[string, Item[]]>([
  ['does not start with the user', [model(text('hi'))]],
  ['two messages of one role', [ask, ask]],
  ['the content is empty', [user()]],
  ['the content is empty', [ask, { role: 'system', content: [] }]],
  ['the content is empty', [{ ...user(), output_config: { effort: 'low' } }]],
  ['a text block is empty', [user(text(' '))]],
  ['ends with thinking', [ask, model(thinking)]],
  ['call a is not answered', [ask, model(call('a')), ask]],
  ['result of a has no call', [user(result('a'))]],
  ['result of a has no call', [ask, model(call('a')), ask, model(text('x')), user(result('a'))]],
  ['has two results', [ask, model(call('a')), user(result('a'), result('a'))]],
  ['stands after other content', [ask, model(call('a')), user(text('x'), result('a'))]],
  ['occurs twice', [ask, model(call('a')), user(result('a')), model(call('a')), user(result('a'))]],
  [
    'error result has no content',
    [ask, model(call('a')), user({ ...result('a', ''), is_error: true })],
  ],
  ['call provider s has no result', [ask, model(search('s'), text('x'))]],
  ['call mcp m has no result', [ask, model(mcp('m')), ask]],
  ['call provider s has no result', [ask, model(search('s'), search('s'), found('s'))]],
  ['result provider s has no call', [ask, model(found('s'), text('x'))]],
  ['result mcp m has no call', [ask, model(search('m'), mcpResult('m'))]],
  ['result provider s has no call', [ask, model(search('s')), ask, model(found('s'))]],
  ['a user message holds a server tool block', [user(found('s'))]],
  ['refuses the field "is_meta"', [{ ...ask, is_meta: true }]],
  ['refuses the field "id"', [{ ...ask, id: 'm' }]],
  ['control item', [ask, { type: 'progress' }]],
])('the checker finds: %s', (expected, items) => {
  expect(anthropicCodec.violations(items)).toContainEqual(expect.stringContaining(expected));
});

test.each([[], undefined])('a system message that sets an option says nothing: %s', (content) => {
  const sets = { role: 'system', output_config: { effort: 'low' } };
  const items = [ask, content === undefined ? sets : { ...sets, content }, model(text('Well.'))];
  expect(anthropicCodec.violations(items)).toEqual([]);
  expect(anthropicCodec.violations(anthropicCodec.render(items))).toEqual([]);
});

test('ids in letters that the provider refuses are replaced in the call and its result', () => {
  const ids = ['functions.Read:0', 'functions_Read_0', 'functions.Read.0'];
  const items = [ask, model(...ids.map(call)), user(...ids.map((id) => result(id)))];
  const [, calls, results] = anthropicCodec.render(items);
  const idsOf = ({ content }: Item = {}, field: string) =>
    (content as JsonObject[]).map((block) => String(block[field]));
  const found = idsOf(calls, 'id');
  expect(found[1]).toBe('functions_Read_0');
  expect(new Set(found).size).toBe(3);
  for (const id of found) expect(id).toMatch(/^[a-zA-Z0-9_-]+$/);
  expect(idsOf(results, 'tool_use_id')).toEqual(found);
  expect(anthropicCodec.violations(items)).toContainEqual(expect.stringContaining('letters'));
});

test('keeps the call of a program that waits for the second tool that it calls', () => {
  const caller = { type: 'code_execution_20250825', tool_id: 's' };
  const call = (id: string) => ({ type: 'tool_use', id, name: 'f', input: {}, caller });
  const answer = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'x' });
  const run = { type: 'server_tool_use', id: 's', name: 'code_execution', input: {} };
  const items = [
    { role: 'user', content: 'Go.' },
    { role: 'assistant', content: [run, call('a')] },
    { role: 'user', content: [answer('a')] },
    { role: 'assistant', content: [call('b')] },
    { role: 'user', content: [answer('b')] },
  ];
  expect(JSON.stringify(anthropicCodec.render(items))).toContain('server_tool_use');
  expect(anthropicCodec.violations(items)).toEqual([]);
  const own = { type: 'tool_use', id: 'c', name: 'f', input: {} };
  const left = [...items, { role: 'assistant', content: [own] }];
  expect(anthropicCodec.violations(left)).toEqual([
    'message 1: the server tool call provider s has no result after it',
  ]);
});

test('a call whose program is gone is the own call of the model', () => {
  const caller = { type: 'code_execution_20250825', tool_id: 's' };
  const own = { type: 'tool_use', id: 'a', name: 'f', input: {} };
  const direct = { ...own, id: 'b', caller: { type: 'direct' } };
  const result = { type: 'code_execution_tool_result', tool_use_id: 's', content: {} };
  const items: Item[] = [
    { role: 'user', content: 'A summary.' },
    { role: 'assistant', content: [{ ...own, caller }, direct] },
    {
      role: 'user',
      content: ['a', 'b'].map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'x' })),
    },
    { role: 'assistant', content: [result, { type: 'text', text: 'It ran.' }] },
  ];
  const rendered = anthropicCodec.render(items);
  expect(rendered[1]?.content).toEqual([own, direct]);
  // It may stand before a part.
  expect(anthropicCodec.render(items, 'part')[1]).toEqual(items[1]);
  expect(rendered[3]?.content).toEqual([{ type: 'text', text: 'It ran.' }]);
});

test('a call of a tool of the provider within a torn message stays only at its very end', () => {
  const call = (id: string) => ({ type: 'tool_use', id, name: 'f', input: {} });
  const piece = (id: string): Item => ({ role: 'assistant', id: 'msg_1', content: [call(id)] });
  const result = (id: string) => user({ type: 'tool_result', tool_use_id: id, content: 'x' });
  const items: Item[] = [
    user({ type: 'text', text: 'Do it.' }),
    piece('a'),
    { role: 'system', content: 'Be brief.' },
    piece('b'),
    model({ type: 'server_tool_use', id: 's', name: 'web_search', input: {} }),
    result('b'),
    piece('c'),
    result('c'),
  ];
  const rendered = anthropicCodec.render(items);
  expect(anthropicCodec.violations(rendered)).toEqual([]);
  expect(anthropicCodec.render(rendered)).toEqual(rendered);
});
