import { describe, expect, test } from 'vitest';
import { runKindOf } from '../../../src/domain/ledger/command-line.ts';
import { outcomeOf } from '../../../src/domain/ledger/outcome.ts';
import { toolResult } from '../../support/tool-calls.ts';

/** Behind a pipe no exit code speaks for a run: how it ended is known by its words. */
const endOf = (command: string, end: string) => {
  const script = `${command} 2>&1 | tail -40`;
  const text = `${'one line of many\n'.repeat(30)}${end}`;
  return outcomeOf(toolResult(text), script, runKindOf(script) !== null).kind;
};

describe('how runs of other languages sum up', () => {
  test.each<[string, string, string]>([
    ['ctest', '67% tests passed, 1 tests failed out of 3', '100% tests passed, 0 tests failed'],
    [
      'build/tests/unit_test',
      '[  PASSED  ] 1 test.\n[  FAILED  ] 1 test, listed below:\n 1 FAILED TEST',
      '[==========] 2 tests ran.\n[  PASSED  ] 2 tests.',
    ],
    [
      'bazel test //...',
      'Executed 2 out of 2 tests: 1 test passes and 1 fails locally.',
      'Executed 2 out of 2 tests: 2 tests pass.',
    ],
    [
      'bazel build //app',
      'ERROR: /w/BUILD:3:10: Compiling a.cc failed: (Exit 1)',
      'INFO: Build completed successfully, 5 total actions',
    ],
    ['swift build', "/w/A.swift:3:5: error: cannot find 'a'", 'Build complete! (3.21s)'],
    [
      'swift test',
      '✘ Test run with 2 tests in 1 suite failed after 0.1 seconds with 1 issue.',
      '✔ Test run with 2 tests in 1 suite passed after 0.1 seconds.',
    ],
    ['xcodebuild -scheme A build', '** BUILD FAILED **', '** BUILD SUCCEEDED **'],
    [
      'mix compile',
      '** (CompileError) lib/a.ex:3: undefined function',
      'no issues: Generated a app',
    ],
    ['vendor/bin/phpstan analyse', ' [ERROR] Found 1 error', ' [OK] No errors'],
    [
      'Rscript -e "devtools::test()"',
      '[ FAIL 1 | WARN 0 | SKIP 0 | PASS 1 ]',
      '[ FAIL 0 | WARN 0 | SKIP 0 | PASS 2 ]',
    ],
    ['R CMD check a', 'Status: 1 ERROR, 1 NOTE', 'Status: OK'],
    [
      'julia --project -e "using Pkg; Pkg.test()"',
      'ERROR: Package A errored during testing',
      '     Testing A tests passed',
    ],
    [
      'dotnet test',
      'Failed!  - Failed:     1, Passed:     1',
      'Passed!  - Failed:     0, Passed:     2',
    ],
    ['sbt test', '[error] Failed tests:\n[error] \tCalcSpec', '[info] All tests passed.'],
    ['flutter test', '00:02 +1 -1: Some tests failed.', '00:02 +2: All tests passed!'],
    ['dart analyze', '1 issue found.', 'No issues found!'],
    [
      'cabal test',
      '1 of 2 test suites (1 of 2 test cases) failed.',
      '2 of 2 test suites (2 of 2 test cases) passed.',
    ],
    ['lein test', '1 failures, 0 errors.', 'Ran 2 tests: 0 failures, 0 errors.'],
    ['prove -r t', 'Result: FAIL', 'All tests successful.\nResult: PASS'],
    [
      'forge test',
      'Suite result: FAILED. 1 passed; 1 failed',
      'Suite result: ok. 2 passed; 0 failed',
    ],
    ['ng test', 'Executed 2 of 2 (1 FAILED) (0.1 secs)', 'Executed 2 of 2 SUCCESS (0.1 secs)'],
    [
      'helm lint chart',
      'Error: 1 chart(s) linted, 1 chart(s) failed',
      '1 chart(s) linted, 0 chart(s) failed',
    ],
    ['terraform validate', '│ Error: Unsupported argument', 'Success! The configuration is valid.'],
    ['npx turbo run build', 'Failed:    web#build', ' Tasks:    2 successful, 2 total'],
  ])('%s', (command, failed, passed) => {
    expect(endOf(command, failed)).toBe('failed');
    expect(endOf(command, passed)).toBe('ok');
  });

  test.each([
    ['cmake -S . -B build', '-- Configuring incomplete, errors occurred!'],
    ['docker compose build', 'failed to solve: process "/bin/sh -c npm ci" did not complete'],
    ['ansible-playbook site.yml', 'web1    : ok=3    changed=1    unreachable=0    failed=1'],
    ['pre-commit run -a', 'ruff.....................................Failed'],
    ['stack test', 'a> Test suite failure for package a-0.1'],
    ['nox -s tests', 'nox > Session tests failed.'],
  ])('%s, failed', (command, end) => expect(endOf(command, end)).toBe('failed'));

  test.each([
    ['npx turbo run build', ' Tasks:    1 successful, 2 total'],
    ['bats test', 'not ok 1 adds'],
    ['cabal test', '1 of 2 test suites (1 of 1 test cases) passed.'],
    ['ansible-playbook site.yml', 'web1    : ok=3    changed=1    unreachable=0    failed=0'],
  ])('%s, and nobody knows how', (command, end) => expect(endOf(command, end)).toBe('unknown'));
});
