import { describe, expect, it, test } from 'vitest';
import type { Json } from '../../../src/domain/json.ts';
import { outcomeOf } from '../../../src/domain/ledger/outcome.ts';
import { actionsOfCall } from '../../../src/domain/workspace/call-actions.ts';
import { answerToCall } from '../../../src/domain/workspace/call-answer.ts';
import { Effort } from '../../../src/domain/workspace/effort.ts';
import { answerOf, answerTo } from '../../../src/domain/workspace/result-text.ts';
import { ledgerOf, used } from '../../support/log-items.ts';
import { toolCall, toolResult } from '../../support/tool-calls.ts';

/** How a tool answers what a command has printed, and its exit code. */
const TOOLS: readonly [string, (output: string, code: number) => string][] = [
  [
    'JSON with both streams',
    (output, code) =>
      JSON.stringify({ stdout: output, stderr: '', exitCode: code, timedOut: false }),
  ],
  ['JSON that begins with the code', (output, exit_code) => JSON.stringify({ exit_code, output })],
  [
    'mini-swe-agent, version 2',
    (output, returncode) => JSON.stringify({ returncode, output }, null, 2),
  ],
  [
    'a block of code execution',
    (output, return_code) =>
      JSON.stringify({ type: 'code_execution_result', stdout: '', stderr: output, return_code }),
  ],
  ['JSON without codes', (output, code) => JSON.stringify({ success: code === 0, output })],
  ['a first line', (output, code) => `rc=${code}\n${output}`],
  ['a first line with words', (output, code) => `Exit code: ${code}\nOutput:\n${output}`],
  ['AutoGen', (output, code) => `exitcode: ${code} (execution ended)\nCode output: ${output}`],
  ['LangChain', (output, code) => `${output}\n\nExit code: ${code}`],
  [
    'deepagents',
    (output, code) =>
      `${output}\n[Command ${code ? 'failed' : 'succeeded'} with exit code ${code}]`,
  ],
  [
    'OpenHands',
    (output, code) =>
      `${output}\n[The command completed with exit code ${code}.]\n[Current working directory: /w]\n[Python interpreter: /usr/bin/python]`,
  ],
  [
    'Roo Code',
    (output, code) =>
      `Command executed in terminal within working directory '/w'. ${
        code === 0 ? '' : 'Command execution was not successful, inspect the cause.\n'
      }Exit code: ${code}\nOutput:\n${output}`,
  ],
];

test.each([
  ['Command failed: make x\nno rule\n', true],
  ['Command failed: Command failed: make x\nno rule\n', true],
  ['Command failed: make y\nno rule\n', false],
])('what Node says of a command is known by the command: %s', (text, isFailed) => {
  expect(answerTo('make x', toolResult(text))).toMatchObject({
    text: isFailed ? 'no rule\n' : text,
    isFailed,
  });
});

describe('an exit code that a tool writes beside the output', () => {
  it.each(TOOLS)('%s', (_, answer) => {
    const failed = toolResult(answer('a.c:3: expected ;', 2));
    expect(answerTo('make', failed)).toMatchObject({ text: 'a.c:3: expected ;', isFailed: true });
    expect(outcomeOf(failed, 'make', true)).toEqual({
      kind: 'failed',
      lines: ['a.c:3: expected ;'],
    });
    const worked = toolResult(answer('linked a', 0));
    expect(answerTo('make', worked)).toMatchObject({ text: 'linked a', isFailed: false });
    expect(outcomeOf(worked, 'make', true)).toEqual({ kind: 'ok', lines: [] });
  });

  it.each([
    ['a script that prints it itself', 'grep -q x a; echo "exit code: $?"; cp a b', 'rc=1\nx'],
    ['a variable of a script', 'make; rc=$?; tail log; echo rc=$rc', 'x\nrc=1'],
    ['a log', 'tail app.log', 'started\nProcess finished with exit code 1'],
    ['the end of a script', 'cat run.sh', 'make\nexit 1'],
    ['a status of HTTP', 'curl -si localhost', 'status: 500\nx'],
    ['a document', 'cat a.json', '{"stderr":"a","name":"b"}'],
    [
      'a report',
      'cat report.json',
      '{"name":"job 5","exit_code":1,"output":"log of it","steps":[]}',
    ],
    ['flags', 'jq . flags.json', '{"success":false,"output":"stdout"}'],
    ['a service', 'curl -s localhost/orders/7', '{"ok":false,"error":"no such order"}'],
    ['an object of a script', `node -e 'p({exit_code:1})'`, '{"exit_code":1,"output":"x"}'],
    ['a log behind an edit', 'sed -i s/a/b/ a.ts; tail -1 ci.log', 'deploy log\nexit code: 1'],
    ['a log of a container', 'docker logs web | tail -2', 'x\n[Process exited with code 1]'],
    ['a document that begins so', './show', 'rc 1\nnotes'],
    ['a line of a run', 'npm test', 'Process exited with code 1\n\nTests  12 passed (12)'],
    ['a shown file', 'sed s/a/b/ ci.log', 'deploy\nexit code: 1'],
    ['a word for a status', 'make; echo "status $x"', 'x\nexit status: 1'],
  ])('not so %s', (_, script, text) => {
    expect(answerTo(script, toolResult(text))).toMatchObject({ text, isFailed: false });
  });

  it('stands in what Python prints of an object', () => {
    const text = `{'exit_code': 2, 'stdout': '', 'stderr': 'a.c:3: error: expected ;'}`;
    const answer = (said: string) => answerTo('make', toolResult(said));
    expect(answer(text)).toMatchObject({ text, isFailed: true });
    expect(answer(text.replace('2', '0')).isFailed).toBe(false);
    expect(answer(`{'name': 'exit_code', 'value': 2}`).isFailed).toBe(false);
    expect(answer(`${text}\n.\n=== 12 passed in 0.10s ===`).isFailed).toBe(false);
    expect(answer(`{'cmd': 'false', 'exit_code': 1}`).isFailed).toBe(false);
    expect(answer(`{'exit_code': 1, 'name': 'lint'}`).isFailed).toBe(false);
    expect(answerTo(null, toolResult(text)).isFailed).toBe(false);
  });

  it.each(['git status --short; make', 'npx tsc -p packages/status', 'sed -i s/a/b/ x && make'])(
    'is believed of %s',
    (script) => {
      const failed = toolResult('a.c:3: expected ;\n\nExit code: 2');
      expect(answerTo(script, failed)).toMatchObject({ text: 'a.c:3: expected ;', isFailed: true });
    },
  );

  it.each([
    ['both streams', { output: 'cc a.c', stderr: 'a.c:3: error: expected ;', exit_code: 1 }],
    ['an error', { output: '', error: 'a.c:3: error: expected ;', exit_code: 1 }],
    ['an error object', { error: { message: 'a.c:3: error: expected ;' }, success: false }],
    ['the end', { output_head: '> cc', output_tail: 'a.c:3: error: expected ;', exit_code: 1 }],
    ['a code in quotes', { stdout: 'a.c:3: error: expected ;', exitCode: '2', stderr: '' }],
    ['a signal', { stdout: 'a.c:3: error: expected ;', signal: 'SIGKILL', exit_code: null }],
    ['a time limit', { output: 'a.c:3: error: expected ;', timed_out: true }],
  ])('stands beside %s', (_, json) => {
    expect(outcomeOf(toolResult(JSON.stringify(json)), 'make', true)).toEqual({
      kind: 'failed',
      lines: ['a.c:3: error: expected ;'],
    });
  });

  it.each([
    { returncode: 0, output: 'all fine', id: 5 },
    { stdout: 'a', stderr: 'b' },
    { success: true, output: 'dist' },
  ])('leaves files as they are: %j', (json) => {
    const text = JSON.stringify(json);
    const files = (name: string, input: Json) => ledgerOf(used(name, input, text)).files;
    expect(answerTo(null, toolResult(text)).text).toBe(text);
    expect(files('read_file', { path: 'r.json' })).toMatchObject([{ path: 'r.json' }]);
    const view = { command: 'view', path: 'r.json' };
    expect(answerToCall(toolCall('str_replace_editor', view), toolResult(text)).text).toBe(text);
  });

  it('is not looked for in a file that an editor shows', () => {
    const view = toolCall('str_replace_editor', { command: 'view', path: 'ci.log' });
    const shown = toolResult('deploy log\nexit code: 1');
    expect(answerToCall(view, shown).isFailed).toBe(false);
    const log = ledgerOf(used(view.name, view.input, 'deploy log\nexit code: 1'));
    expect(log).toMatchObject({ failures: [], files: [{ path: 'ci.log' }] });
  });

  it('loses no edit to a log that is printed behind it', () => {
    const command = `sed -i 's/a/b/' src/a.ts; tail -1 ci.log`;
    const { files, failures } = ledgerOf(used('bash', { command }, 'deploy log\nexit code: 1'));
    expect(files.map(({ path }) => path)).toContain('src/a.ts');
    expect(failures).toEqual([]);
  });

  it('is not looked for where the program has told one', () => {
    const text = '<returncode>0</returncode>\n<output>\nx\n[exit 1]\n</output>';
    expect(answerTo('./run', toolResult(text)).isFailed).toBe(false);
  });

  it('keeps what was changed before a command failed in doubt', () => {
    const edit = (answer: string) =>
      ledgerOf(used('bash', { command: "sed -i 's/a(b/c/' src/a.ts" }, answer)).files;
    expect(edit('rc=1\nsed: -e expression #1: Unmatched (')).not.toEqual(edit('rc=0\n'));
  });
});

describe('what went wrong, told in JSON by a tool that is no command', () => {
  it.each([
    ['success', { success: false, error: 'no such order' }, 'no such order'],
    ['ok', { ok: false, message: 'no such order' }, 'no such order'],
    ['an error alone', { error: 'no such order', code: 404 }, 'no such order'],
    ['an error object', { ok: false, error: { message: 'no such order' } }, 'no such order'],
    ['a flag of errors', { isError: true, message: 'no such order' }, 'no such order'],
    ['nothing else', { success: false, error: 'no such order', data: null }, 'no such order'],
  ])('%s', (_, json, text) => {
    expect(answerTo(null, toolResult(JSON.stringify(json)))).toMatchObject({
      text,
      isFailed: true,
    });
  });

  it.each([
    ['an error among other things', { error: 'Fehler', save: 'Sichern' }],
    ['no error', { error: '', orders: [] }],
    ['null', { error: null }],
    ['a flag', { ok: false, name: 'beta' }],
    ['a flag alone', { success: false }],
    ['a warning', { success: false, data: { id: 5 }, message: 'created with warnings' }],
  ])('not so %s', (_, json) => {
    expect(answerTo(null, toolResult(JSON.stringify(json))).isFailed).toBe(false);
  });

  it('that it was refused', () => {
    const refused = toolResult('{"success":false,"error":"User rejected the tool call"}');
    expect(answerTo(null, refused)).toMatchObject({ isFailed: true, isRefused: true });
    expect(outcomeOf(refused, null, false).kind).toBe('refused');
  });

  it.each([
    'The user rejected this tool call. User feedback: Keep it.',
    'The user denied this operation and provided the following feedback:\n<feedback>\nKeep it.\n</feedback>',
    'Error: The user rejected permission to use this specific tool call.',
    '{"status":"denied","feedback":"Keep it."}',
    '{"status":"denied","message":"The user denied this operation."}',
    'Permission for this tool use was denied. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file).',
    '[ERROR] CONFIRMATION_FAILED: Approve "execute_command"?\n  Input: {"command":"rm a.ts"}',
    '[ERROR] DENIED: not on a Friday',
  ])('that the user has refused it: %s', (refused) => {
    const isError = refused.startsWith('Permission');
    const items = used('execute_command', { command: 'rm a.ts' }, refused, isError);
    const { files, failures } = ledgerOf(items);
    expect(files).toEqual([]);
    expect(failures).toMatchObject([{ what: 'execute_command (rm a.ts)', is_refused: true }]);
  });

  it('that the user has stopped it: it may have been carried out', () => {
    const refused =
      "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed.";
    const stopped = `${refused} Correction to the text above: this call was stopped while running, not refused before it ran. It may have run in part or in full, and its changes may have been written.`;
    const call = toolCall('Bash', { command: "sed -i 's/a/b/' /w/a.py" });
    const actionsOf = (told: string) =>
      actionsOfCall(call, toolResult(told, true), { session: null, shell: null }, new Effort())
        .actions;
    expect(actionsOf(refused)).toEqual([]);
    const by = 'Bash without a result';
    const perhaps = { kind: 'changed', path: '/w/a.py', by, isCertain: false };
    expect(actionsOf(stopped)).toEqual([perhaps]);
  });

  it('but not what a service says of somebody else', () => {
    const told = toolResult('{"status":"denied","reason":"no funds"}');
    expect(answerOf(told)).toMatchObject({ isFailed: false, isRefused: false });
    const ended = toolResult('The user denied the request for a login.', true);
    expect(answerOf(ended)).toMatchObject({ isFailed: true, isRefused: false });
  });

  it('what Strands prints of both streams', () => {
    const answer = (error: string) => toolResult(JSON.stringify({ output: 'ran', error }));
    const failed = answer('FAIL: test_a\n\nFAILED (failures=1)');
    expect(outcomeOf(failed, 'python3 -m unittest', true)).toMatchObject({ kind: 'failed' });
    expect(answerTo('make', answer(''))).toMatchObject({ text: 'ran', isFailed: false });
    // A file may have the same fields.
    const text = '{\n  "output": "ran",\n  "error": ""\n}\n';
    expect(answerTo('cat out.json', toolResult(text))).toMatchObject({ text, isFailed: false });
    expect(answerTo('cat a.ts', answer(''))).toMatchObject({ text: 'ran', isFailed: false });
  });

  it('no edit was made', () => {
    const input = { path: 'src/a.ts', old_str: 'a', new_str: 'b' };
    const refused = JSON.stringify({ success: false, error: 'old_str was not found' });
    const { files, failures } = ledgerOf(used('str_replace', input, refused));
    expect(files).toEqual([]);
    expect(failures).toMatchObject([{ lines: ['old_str was not found'] }]);
    expect(answerOf(toolResult(refused)).isFailed).toBe(false);
  });
});

describe('an exit code that Claude Code has written above, where the flag beside it was dropped', () => {
  test.each<[string, string, string]>([
    ['a run', 'python3 -m pytest -v 2>&1', 'E assert 1 == 2'],
    ['behind a pipe', 'source venv/bin/activate && pytest -q | tail -5', 'venv: No such file'],
  ])('%s', (_, script, said) => {
    const result = toolResult(`Exit code 1\n${said}`);
    expect(answerTo(script, result)).toMatchObject({ text: said, isFailed: true });
    expect(outcomeOf(result, script, true)).toMatchObject({ kind: 'failed', lines: [said] });
  });

  test.each<[string, string]>([
    ['a code of 0', 'Exit code 0\nbuilt'],
    ['more on its line', 'Exit code 1 means that nothing was found\nbuilt'],
    ['another line', 'built\nExit code 1\ndone'],
  ])('not by %s', (_, text) => {
    expect(answerTo('make', toolResult(text))).toMatchObject({ text, isFailed: false });
  });

  test.each([
    'make >/dev/null 2>&1; echo "Exit code $?"',
    'grep -rh "Exit code" logs | sort',
    'echo Exit code 1',
  ])('nor where the script itself prints it: %s', (script) => {
    expect(answerTo(script, toolResult('Exit code 1\ndone'))).toMatchObject({ isFailed: false });
  });

  test.each([
    ['head -50 tool-results/b1.txt', 'FAIL src/a.test.ts', false],
    ['cd /w && cat out.txt | tail -20', 'FAIL src/a.test.ts', false],
    ['cat out.txt', 'cat: out.txt: No such file or directory', true],
    ['cat out.txt 2>/dev/null; echo ---; cat b.txt 2>/dev/null', '---', true],
    ['cat a.json && npm test', 'FAIL src/a.test.ts', true],
    ['cat a.json | python3 b.py', 'KeyError', true],
  ])('nor where it may be the beginning of a file: %s', (script, below, isFailed) => {
    expect(answerTo(script, toolResult(`Exit code 1\n${below}`))).toMatchObject({ isFailed });
  });
});
