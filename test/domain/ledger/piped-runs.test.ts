import { describe, expect, test } from 'vitest';
import { ledgerOf, ran } from '../../support/log-items.ts';

describe('the outcome of a run', () => {
  test.each([
    [
      'of a container',
      'shop-tests | FAIL: coverage 89.0% is below 90%\nshop-db exited with code 0',
    ],
    ['of a package', '@shop/api:test: FAIL src/a.test.ts\n@shop/web:test: done'],
  ])('that says so in the output %s, behind a pipe', (_, output) => {
    const { runs, failures } = ledgerOf(ran('./run_tests.sh 2>&1 | tail -40', output));
    expect(runs).toMatchObject([{ kind: 'test', outcome: 'failed' }]);
    expect(failures).toMatchObject([{ lines: [output.split('\n')[0]] }]);
  });

  test.each([
    [
      'javac A.java',
      "A.java:1: error: ';' expected\nclass A { int f = 1 }\n                   ^\n1 error",
    ],
    ['go build ./...', './a.go:3:25: cannot use "x" (untyped string constant) as int value'],
    [
      'phpunit',
      'Error: Call to a member function foo() on null\n\nTests: 3, Assertions: 2, Errors: 1.',
    ],
    ['mypy src', 'src/a.py:3: error: Incompatible types in assignment'],
    [
      'pnpm -F @shop/web typecheck',
      'ERR_PNPM_RECURSIVE_RUN_NO_SCRIPT None of the packages has a "typecheck" script',
    ],
    [
      'pnpm -F @shop/web build',
      'Error: No entry.\n ERR_PNPM_RECURSIVE_RUN_FIRST_FAIL  @shop/web@1.0.0 build: `vite build`\nExit status 1',
    ],
    ['terraform plan', '│ Error: Missing required provider\n│\n│ This configuration requires one.'],
  ])('that fails behind a pipe: %s', (command, output) => {
    const { runs, failures } = ledgerOf(ran(`${command} 2>&1 | tail -40`, output));
    expect(runs).toMatchObject([{ command, outcome: 'failed' }]);
    expect(failures[0]?.lines[0]).toBe(output.split('\n')[0]);
  });

  test('with the part in which something was tested', () => {
    const output =
      'test result: ok. 3 passed; 0 failed\n\n   Doc-tests app\n\nrunning 0 tests\n\ntest result: ok. 0 passed; 0 failed';
    expect(ledgerOf(ran('cargo test', output)).runs).toMatchObject([
      { outcome: 'ok', line: 'test result: ok. 3 passed; 0 failed' },
    ]);
  });
});
