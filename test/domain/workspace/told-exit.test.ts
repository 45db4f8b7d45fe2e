import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../../../src/domain/ledger/outcome.ts';
import { answerOf, answerTo } from '../../../src/domain/workspace/result-text.ts';
import { ledgerOf, used } from '../../support/log-items.ts';
import { toolResult } from '../../support/tool-calls.ts';

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
  ])('not so %s', (_, script, text) => {
    expect(answerTo(script, toolResult(text))).toMatchObject({ text, isFailed: false });
  });

  it('stands in what Python prints of an object', () => {
    const text = `{'exit_code': 2, 'stdout': '', 'stderr': 'a.c:3: error: expected ;'}`;
    expect(answerOf(toolResult(text))).toMatchObject({ text, isFailed: true });
    expect(answerOf(toolResult(text.replace('2', '0'))).isFailed).toBe(false);
    expect(answerOf(toolResult(`{'name': 'exit_code', 'value': 2}`)).isFailed).toBe(false);
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
  ])('not so %s', (_, json) => {
    expect(answerTo(null, toolResult(JSON.stringify(json))).isFailed).toBe(false);
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
