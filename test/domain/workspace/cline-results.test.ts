import { expect, test } from 'vitest';
import { answerToCall } from '../../../src/domain/workspace/call-answer.ts';
import { ledgerOf, used } from '../../support/log-items.ts';
import { done, toolCall, toolResult } from '../../support/tool-calls.ts';

const answer = (...asked: [query: string, result: string, error?: string][]) =>
  JSON.stringify(
    asked.map(([query, result, error]) => ({
      query,
      result,
      ...(error !== undefined && { error }),
      success: error === undefined,
    })),
  );

test('the files that one call has asked for, in whole and in part', () => {
  const files = [
    { path: '/w/a.py' },
    { path: '/w/none.py' },
    { path: '/w/b.py', start_line: 3, end_line: 4 },
  ];
  const shown = answer(
    ['/w/a.py', '1 | def a():\n2 | \treturn 1'],
    ['/w/none.py', '', "Error reading file: ENOENT: no such file or directory, statx '/w/none.py'"],
    ['/w/b.py:3-4', '3 | \n4 | class B:'],
  );
  expect(done('read_files', { files }, shown)).toEqual([
    {
      kind: 'seen',
      path: '/w/a.py',
      text: { blocks: [{ first: 1, text: 'def a():\n\treturn 1' }], total: 2 },
    },
    {
      kind: 'seen',
      path: '/w/b.py',
      text: { blocks: [{ first: 3, text: '\nclass B:' }], total: null },
    },
  ]);
});

test.each([
  ['of 3100. Use start_line/end_line to read other sections.]', 3100],
  ['of 50001+ lines. Use start_line/end_line to read other sections.]', null],
])('a part of a long file, which it tells as such: %s', (note, total) => {
  const result = `1 | a\n2 | b\n\n[Showing lines 1-2 ${note}`;
  expect(done('read_files', { files: [{ path: '/w/a.py' }] }, answer(['/w/a.py', result]))).toEqual(
    [{ kind: 'seen', path: '/w/a.py', text: { blocks: [{ first: 1, text: 'a\nb' }], total } }],
  );
});

test('no text of a file with lines that it has cut off', () => {
  const result = `1 | ${'a'.repeat(2_000)} [line truncated]\n2 | b`;
  expect(done('read_files', { files: [{ path: '/w/a.js' }] }, answer(['/w/a.js', result]))).toEqual(
    [{ kind: 'seen', path: '/w/a.js', text: null }],
  );
});

test.each<[string[], string, string, boolean]>([
  [['make'], answer(['make', 'all is well\n']), 'all is well\n', false],
  [
    ['make', 'echo hi; cat none'],
    answer(
      ['make', '[Command exited with code 3]', 'Command exited with code 3'],
      [
        'echo hi; cat none',
        '[Command exited with code 1]\nhi\n\n[stderr]\ncat: none: No such file or directory\n',
        'Command exited with code 1',
      ],
    ),
    '\nhi\n\n[stderr]\ncat: none: No such file or directory\n',
    true,
  ],
])(
  'what the commands %j have printed, and whether they failed',
  (commands, text, printed, isFailed) => {
    const call = toolCall('run_commands', { commands });
    expect(answerToCall(call, toolResult(text))).toMatchObject({ text: printed, isFailed });
  },
);

test('a patch that was not applied has changed nothing', () => {
  const input = '*** Begin Patch\n*** Update File: /w/a.py\n@@\n-x\n+y\n*** End Patch';
  const failed = {
    query: 'apply_patch',
    result: '',
    error: 'apply_patch failed: Patch could not be applied because 1 hunk did not match.',
    success: false,
  };
  const applied = {
    query: 'apply_patch',
    result: 'Successfully applied patch to the following files:\na.py',
    success: true,
  };
  expect(done('apply_patch', { input }, JSON.stringify(failed))).toEqual([]);
  expect(done('apply_patch', { input }, JSON.stringify(applied))).toMatchObject([
    { kind: 'patched', path: '/w/a.py' },
  ]);
});

test('what is worded otherwise is no answer of its', () => {
  const call = toolCall('run_commands', { commands: ['cat a.json'] });
  const text = '[{"query":"x","result":"y","success":true,"more":1}]';
  expect(answerToCall(call, toolResult(text)).text).toBe(text);
});

test('how each of the commands that were run at once has ended', () => {
  const text = answer(
    ['python3 -m unittest', '\n[stderr]\n..\nRan 2 tests in 0.000s\n\nOK\n'],
    [
      'npx tsc --noEmit',
      '[Command exited with code 2]\nsrc/a.ts(1,1): error TS2322: no\n',
      'Command exited with code 2',
    ],
  );
  const commands = ['python3 -m unittest', 'npx tsc --noEmit'];
  const { runs, failures } = ledgerOf(used('run_commands', { commands }, text));
  expect(runs).toMatchObject([
    { command: 'python3 -m unittest', outcome: 'ok' },
    { command: 'npx tsc --noEmit', outcome: 'failed' },
  ]);
  expect(failures.map(({ lines }) => lines)).toEqual([['src/a.ts(1,1): error TS2322: no']]);
});

test('commands whose results are not told apart stay one call', () => {
  const commands = ['python3 -m unittest', 'ls'];
  const { runs } = ledgerOf(used('run_commands', { commands }, 'Ran 2 tests in 0.000s\n\nOK\n'));
  expect(runs).toHaveLength(1);
});

test.each<[object, string, object[]]>([
  [
    { path: '/w/a.py', old_text: 'a', new_text: 'b' },
    'Edited /w/a.py\n```diff\n-1: a\n+1: b\n```',
    [{ kind: 'replaced', path: '/w/a.py', replacements: [{ from: 'a', to: 'b', all: false }] }],
  ],
  [
    { path: '/w/n.py', old_text: null, new_text: 'b\n', insert_line: null },
    'File created successfully at: /w/n.py',
    [{ kind: 'written', path: '/w/n.py', text: 'b\n' }],
  ],
  [
    { path: '/w/n.py', old_text: 'a', new_text: 'b\n' },
    'File created successfully at: /w/n.py',
    [{ kind: 'written', path: '/w/n.py', text: 'b\n' }],
  ],
  [
    { path: '/w/a.py', new_text: 'b', insert_line: 3 },
    'Inserted content at line 3 in /w/a.py.',
    [{ kind: 'inserted', path: '/w/a.py', after: 2, text: 'b' }],
  ],
])('what its editor has done that was given %j', (input, result, actions) => {
  const query = 'insert_line' in input && input.insert_line !== null ? 'insert' : 'edit';
  const told = JSON.stringify({ query: `${query}:/w/a.py`, result, success: true });
  expect(done('editor', { ...input }, told)).toEqual(actions);
});

test('an edit that its editor has not made', () => {
  const error = 'Editor operation failed: No replacement performed: text not found in /w/a.py.';
  const told = JSON.stringify({ query: 'edit:/w/a.py', result: '', error, success: false });
  expect(done('editor', { path: '/w/a.py', old_text: 'a', new_text: 'b' }, told)).toEqual([]);
});
