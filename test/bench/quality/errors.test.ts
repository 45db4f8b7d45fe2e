import { describe, expect, it } from 'vitest';
import { textCandidate } from '../../../bench/quality/candidate.ts';
import { failuresOf, measureErrors } from '../../../bench/quality/measures/errors.ts';
import { errorLines, hasFailed } from '../../../bench/quality/runs.ts';
import { call, conversation } from './session.ts';

const FAILURE = 'Exit code 1\nAssertionError: expected three retries but the client gave up';

describe('failed runs', () => {
  it.each([
    ['by the flag', call('Read', { file_path: 'a.ts' }, 'File does not exist.', true), true],
    [
      'by an exit code',
      call('exec_command', { cmd: 'go test' }, 'Process exited with code 2\nOutput:\nundefined: x'),
      true,
    ],
    [
      'by a return code',
      call(
        'bash',
        { command: 'python x.py' },
        '<returncode>1</returncode>\n<output>\nNameError: y\n</output>',
      ),
      true,
    ],
    [
      'not by an exit code of 0',
      call(
        'exec_command',
        { cmd: 'go test' },
        'Process exited with code 0\nOutput:\nerror 7 fixed',
      ),
      false,
    ],
    [
      'not what finds nothing',
      call('bash', { command: 'cd src && grep -rn nothing .' }, 'Exit code 1', true),
      false,
    ],
    [
      'not what the user refused',
      call(
        'Bash',
        { command: 'rm x' },
        "The user doesn't want to proceed with this tool use.",
        true,
      ),
      false,
    ],
    ['not what is open', call('Bash', { command: 'make' }), false],
  ])('%s', (_, items, expected) => {
    expect(conversation(items).calls.map(hasFailed)).toEqual([expected]);
  });
});

it('words about an error are no names of files', () => {
  const lines = ['goroutine 1 [running]:', '\t/usr/lib/go/src/runtime/panic.go:860 +0x13a'];
  expect(errorLines([...lines, 'panic: no such user'].join('\n'), 5, 'go run .')).toEqual([
    'panic: no such user',
  ]);
});

it('what a test says it failed by comes before what passing ones have logged', () => {
  const lines = [
    'Fallback: failed to update. Error: server down',
    'at fetchList (/w/node_modules/runner/error.js:22:10)',
    ' ✓ rejects an unknown code 2ms',
    ' × names the unknown code 5ms',
    "AssertionError: expected 'A' to be 'a'",
  ];
  expect(errorLines(lines.join('\n'), 5, 'npm test')).toEqual([
    '× names the unknown code 5ms',
    "AssertionError: expected 'A' to be 'a'",
    'Fallback: failed to update. Error: server down',
  ]);
});

it('a tool that runs no command says first why it failed', () => {
  const text = 'Found 2 matches of the string to replace.\nString: } catch (error: any) {';
  expect(errorLines(text, 5, null)[0]).toBe('Found 2 matches of the string to replace.');
});

describe('errors', () => {
  const failures = failuresOf(
    conversation(
      call('Bash', { command: 'npm test' }, FAILURE, true),
      call('Bash', { command: 'npm test 2>&1 | tail -5' }, FAILURE, true),
      call('Edit', { file_path: 'src/client.ts', old_string: 'a', new_string: 'b' }, 'ok'),
      call('Bash', { command: 'cd /app && npm test' }, 'all passed'),
      call(
        'Bash',
        { command: 'npm run deploy' },
        'Exit code 7\nfatal: no permission for this registry',
        true,
      ),
    ),
  );

  it('are failed runs with what was changed until the same run worked', () => {
    expect(failures.map(({ cure }) => cure)).toEqual([['client.ts'], null]);
  });

  it.each([
    ['the line, without its cure', 'AssertionError: expected three retries but the client', [1, 0]],
    [
      'with words that say so',
      'AssertionError: expected three retries but the client gave up; fixed later',
      [1, 1],
    ],
    [
      'with the file that was changed',
      '`expected three retries but the client gave up` (AssertionError): client.ts',
      [1, 1],
    ],
    ['one that was never cured', 'Deploying: fatal: no permission for this registry', [1, 1]],
    ['that something failed says nothing', '- Tool Bash: 4 calls, 3 failed', [0, 0]],
  ])('told by %s', (_, context, expected) => {
    const { told, with_cure } = measureErrors(failures, textCandidate(context));
    expect([told.found, with_cure.found]).toEqual(expected);
    expect(told.of).toBe(2);
  });
});
