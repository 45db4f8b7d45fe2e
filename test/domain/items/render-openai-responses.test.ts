import { expect, test } from 'vitest';
import { renderEntries } from '../../../src/domain/context/render.ts';
import { codecFor } from '../../../src/domain/items/codecs.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import { openaiResponsesCodec } from '../../../src/domain/items/openai-responses/codec.ts';
import { MISSING_RESULT_NOTE } from '../../../src/domain/items/pairing.ts';
import { speakerOf } from '../../../src/domain/items/speaker.ts';
import type { Entry } from '../../../src/domain/session/entry.ts';

const ask: Item = { role: 'user', content: 'go' };
const say: Item = {
  type: 'message',
  id: 'm',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'ok' }],
};
const reasoning: Item = { type: 'reasoning', id: 'rs', summary: [] };
const trigger: Item = { type: 'compaction_trigger' };
const call = (id: string): Item => ({
  type: 'function_call',
  call_id: id,
  name: 'f',
  arguments: '{}',
});
const output = (id: string, text = `out ${id}`): Item => ({
  type: 'function_call_output',
  call_id: id,
  output: text,
});
const note = (id: string): Item => output(id, MISSING_RESULT_NOTE);
const custom: Item = { type: 'custom_tool_call', call_id: 'c', name: 'f', input: 'x' };
const shell: Item = { type: 'local_shell_call', id: 'l', call_id: 's', action: {} };
const patch: Item = { type: 'apply_patch_call', call_id: 'p', operation: {} };

const shellOutput: Item = { type: 'shell_call_output', call_id: 'a', output: [{ stdout: 'x' }] };
const localOutput: Item = { type: 'local_shell_call_output', call_id: 'a', output: 'x' };
const customOutput: Item = { type: 'custom_tool_call_output', call_id: 'a', output: 'x' };

const cases: [string, Item[], Item[]][] = [
  [
    'a message between call and output is fine',
    [call('a'), ask, output('a')],
    [call('a'), ask, output('a')],
  ],
  [
    'a call that was passed over gets a note',
    [call('a'), call('b'), output('b'), ask],
    [call('a'), note('a'), call('b'), output('b'), ask],
  ],
  [
    'calls at the very end stay open',
    [ask, reasoning, call('a'), call('b'), output('b')],
    [ask, reasoning, call('a'), call('b'), output('b')],
  ],
  [
    'orphans and second outputs are dropped',
    [output('b'), call('a'), output('a'), output('a', '2')],
    [call('a'), output('a')],
  ],
  [
    'an early output comes after the calls that were made with its call',
    [ask, output('b'), output('a'), reasoning, call('a'), call('b'), say, ask],
    [ask, reasoning, call('a'), call('b'), output('b'), output('a'), say, ask],
  ],
  [
    'an early output of a call at the very end',
    [output('a'), ask, reasoning, call('a')],
    [ask, reasoning, call('a'), output('a')],
  ],
  [
    'two outputs of two calls with one id',
    [ask, call('a'), call('a'), output('a', '1'), output('a', '2')],
    [ask, call('a'), call('a_2'), output('a', '1'), output('a_2', '2')],
  ],
  [
    'a local shell is answered by the id that its call names',
    [{ type: 'local_shell_call_output', id: 's', output: 'x' }, shell, ask],
    [shell, { type: 'local_shell_call_output', id: 's', output: 'x' }, ask],
  ],
  [
    'a call that the model does not wait for may be answered any time',
    [{ ...call('a'), async: true }, ask, call('b'), output('b', '1'), ask, output('a', '2')],
    [{ ...call('a'), async: true }, ask, call('b'), output('b', '1'), ask, output('a', '2')],
  ],
  [
    'and has no note while it runs',
    [{ ...call('a'), async: true }, ask, { ...custom, async: true }, ask],
    [{ ...call('a'), async: true }, ask, { ...custom, async: true }, ask],
  ],
  [
    'the note has the type that the call needs',
    [custom, shell, patch, ask],
    [
      custom,
      { type: 'custom_tool_call_output', call_id: 'c', output: MISSING_RESULT_NOTE },
      shell,
      { type: 'local_shell_call_output', id: 's', output: MISSING_RESULT_NOTE },
      patch,
      {
        type: 'apply_patch_call_output',
        call_id: 'p',
        output: MISSING_RESULT_NOTE,
        status: 'failed',
      },
      ask,
    ],
  ],
  ...[shellOutput, localOutput, customOutput].map((other): [string, Item[], Item[]] => [
    `a ${String(other.type)} is written as the output that a function call takes`,
    [call('a'), other, ask],
    [call('a'), output('a', 'x'), ask],
  ]),
  [
    'a function output is written as the output that a custom call takes',
    [custom, output('c'), ask],
    [custom, { type: 'custom_tool_call_output', call_id: 'c', output: 'out c' }, ask],
  ],
  [
    'or an apply_patch call',
    [patch, output('p'), ask],
    [
      patch,
      { type: 'apply_patch_call_output', call_id: 'p', output: 'out p', status: 'completed' },
      ask,
    ],
  ],
  ['a function output answers a local shell', [shell, output('s')], [shell, output('s')]],
  [
    'a call with the id of one that is still open is renamed',
    [ask, call('a'), call('a_2'), call('a'), call('a')],
    [ask, call('a'), call('a_2'), call('a_3'), call('a_4')],
  ],
  [
    'so is its output',
    [ask, call('a'), call('a'), output('a')],
    [ask, call('a'), call('a_2'), output('a_2', 'out a')],
  ],
  [
    'an id that is used again after its output stays',
    [ask, call('a'), output('a'), call('a')],
    [ask, call('a'), output('a'), call('a')],
  ],
  [
    'a tool search of the server needs no answer',
    [{ type: 'tool_search_call', call_id: null, arguments: {} }, ask],
    [{ type: 'tool_search_call', call_id: null, arguments: {} }, ask],
  ],
  [
    'reasoning stays with what follows it',
    [reasoning, say, reasoning, call('a'), output('a')],
    [reasoning, say, reasoning, call('a'), output('a')],
  ],
  ['reasoning without follower is dropped', [ask, reasoning, ask, say], [ask, ask, say]],
  ['reasoning at the very end waits for what it leads to', [ask, reasoning], [ask]],
  [
    'outputs that were logged between reasoning and its item go before both',
    [call('a'), reasoning, output('a'), call('b'), output('b')],
    [call('a'), output('a'), reasoning, call('b'), output('b')],
  ],
  ['a trigger of an older version is no content', [ask, trigger, say, trigger], [ask, say]],
  [
    'empty messages are dropped',
    [
      { role: 'user', content: '' },
      { role: 'assistant', content: [{ type: 'output_text', text: '' }] },
    ],
    [],
  ],
  [
    'our own fields go, id and unknown items stay',
    [
      { ...say, usage: {}, model: 'x' },
      { type: 'hologram', id: 'h' },
    ],
    [say, { type: 'hologram', id: 'h' }],
  ],
  [
    'a memory is a labelled user message',
    [{ type: 'attachment', attachment: { kind: 'memory', content: 'x' } }],
    [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Memory:\nx' }] }],
  ],
];

test.each(cases)('%s', (_, items, expected) => {
  const rendered = openaiResponsesCodec.render(items);
  expect(rendered).toEqual(expected);
  expect(openaiResponsesCodec.violations(rendered)).toEqual([]);
});

test.each<[string, Item[]]>([
  ['the output of a answers no call', [output('a')]],
  ['the output of a answers no call', [call('a'), output('a'), output('a')]],
  ['the output of a answers no call of its kind', [call('a'), shellOutput]],
  ['the call a has no output', [call('a'), shellOutput, ask]],
  ['before its id is used again', [call('a'), call('a')]],
  ['the call a has no output', [call('a'), ask]],
  ['before its id is used again', [call('a'), ask, call('a'), output('a')]],
  ['reasoning without', [reasoning, ask]],
  ['reasoning without', [ask, reasoning]],
  ['not the last item', [trigger, ask]],
  ['the content is empty', [{ role: 'user', content: [] }]],
  ['a text part is empty', [{ role: 'user', content: [{ type: 'input_text', text: '' }] }]],
  ['the role is unknown', [{ role: 'tool', content: 'x' }]],
  ['refuses the field "usage"', [{ ...say, usage: {} }]],
  ['control item', [{ type: 'ghost_snapshot' }]],
])('the checker finds: %s', (expected, items) => {
  expect(openaiResponsesCodec.violations(items)).toContainEqual(expect.stringContaining(expected));
});

test('a request for an approval goes only with the decision, or while it is open', () => {
  const request: Item = {
    type: 'mcp_approval_request',
    id: 'mcpr_1',
    server_label: 'docs',
    name: 'delete_page',
    arguments: '{}',
  };
  const decision = { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true };
  const other = output('mcpr_1');
  const rendered = (...items: Item[]) => openaiResponsesCodec.render(items);
  expect(rendered(ask, request, ask)).toEqual([ask, ask]);
  expect(rendered(ask, reasoning, request, ask)).toEqual([ask, ask]);
  expect(rendered(ask, request, other, ask)).toEqual([ask, ask]);
  expect(rendered(ask, request)).toEqual([ask, request]);
  expect(rendered(ask, request, decision, ask)).toEqual([ask, request, decision, ask]);
});

test('calls whose program is gone are the own calls of the model', () => {
  const caller = { type: 'program', caller_id: 'p1' };
  const ended: Item = { type: 'program_output', id: 'po', call_id: 'p1', result: 'ok' };
  const calls: Item[] = [
    { ...call('a'), caller },
    { ...output('a'), caller },
  ];
  const program: Item = { type: 'program', id: 'prg', call_id: 'p1', code: '', fingerprint: 'f' };
  const whole = [ask, program, ...calls, ended, say];
  expect(openaiResponsesCodec.render(whole)).toEqual(whole);
  expect(openaiResponsesCodec.render([ask, ...calls, ended, say])).toEqual([
    ask,
    call('a'),
    output('a'),
    say,
  ]);
  // It may stand before a part.
  const part = [...calls, ended, say];
  expect(openaiResponsesCodec.render(part, 'part')).toEqual(part);
});

test('an output of no call, as Codex tells the objective of a goal, stays where it is', () => {
  const codec = openaiResponsesCodec;
  const told = {
    type: 'function_call_output',
    id: 'fco_1',
    name: 'goal_objective',
    namespace: 'agent',
    output: 'All tests pass',
  };
  const items = [
    { type: 'message', role: 'user', content: 'Mend it.' },
    { type: 'function_call', call_id: 'c', name: 'create_goal', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c', output: '{"goal":{}}' },
    told,
    { type: 'message', role: 'assistant', content: 'I begin.' },
  ];
  expect(codec.check(told)).toEqual([]);
  expect(codec.check({ type: told.type, output: told.output })).toHaveLength(1);
  expect(codec.render(items)).toEqual(items);
  expect(codec.violations(items)).toEqual([]);
  expect(codec.normalise(told)).toMatchObject({
    role: 'user',
    speaker: 'program',
    told_as: 'agent goal_objective',
    parts: [{ kind: 'text', text: 'All tests pass' }],
  });
  // In another format it says what it is: else the user would say so.
  const entries = items.map((item): Entry => ({ seq: null, item, tokens: 1, origin: 'log' }));
  expect(renderEntries(entries, 'openai-responses', 'openai-chat').at(-2)).toEqual({
    role: 'user',
    content: [
      { type: 'text', text: 'agent goal_objective:' },
      { type: 'text', text: 'All tests pass' },
    ],
  });
});

test('what one agent of Codex says to another is that agent, also in another format', () => {
  const codec = openaiResponsesCodec;
  const head = (type: string, sender: string) =>
    `Message Type: ${type}\nTask name: /root\nSender: ${sender}\nPayload:\n`;
  const report = {
    type: 'agent_message',
    id: 'amsg_1',
    author: '/root/alpha',
    recipient: '/root',
    content: [{ type: 'input_text', text: `${head('FINAL_ANSWER', '/root/alpha')}It is 4711 ms.` }],
  };
  const items = [
    { type: 'message', role: 'user', content: 'Find the timeout.' },
    report,
    { type: 'message', role: 'assistant', content: 'Found.' },
  ];
  expect(codec.render(items)).toEqual(items);
  expect(codec.violations(items)).toEqual([]);
  const said = codec.normalise(report);
  expect(said).toMatchObject({ role: 'user', speaker: 'subagent' });
  expect(said).not.toHaveProperty('told_as');
  const entries = items.map((item): Entry => ({ seq: null, item, tokens: 1, origin: 'log' }));
  const chat = renderEntries(entries, 'openai-responses', 'openai-chat');
  const told = codecFor('openai-chat').normalise(chat.at(1) ?? {});
  expect(told.kind === 'message' && speakerOf(told)).toBe('subagent');
});
