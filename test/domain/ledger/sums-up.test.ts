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
    [
      'dart analyze',
      "  error - lib/a.dart:3:5 - Undefined name 'x'. - undefined_identifier\n\n1 issue found.",
      'No issues found!',
    ],
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
    [
      'npx vite build',
      'error during build:\n[vite]: Rollup failed to resolve import "x" from "src/main.ts".',
      'dist/index.html  0.4 kB\n✓ built in 1.45s',
    ],
    [
      'npm run build',
      '✓ built in 89ms\nsrc/server.ts(3,7): error TS2304: Cannot find name "x".',
      '✓ built in 89ms',
    ],
    [
      'mvn test',
      '[ERROR] Cannot resolve project dependencies:\n[ERROR] \n[ERROR] Re-run Maven using the -X switch to enable full debug logging.',
      '[INFO] BUILD SUCCESS',
    ],
    ['npx turbo run build', 'Failed:    web#build', ' Tasks:    2 successful, 2 total'],
    [
      '~/.platformio/penv/bin/pio run -e esp32cam',
      '========================= [FAILED] Took 24.99 seconds =========================',
      '========================= [SUCCESS] Took 39.82 seconds =========================',
    ],
    [
      'bundle exec rubocop',
      'a.rb:3:5: error: unexpected token\n\n24 files inspected, 1 offense detected',
      '24 files inspected, no offenses detected',
    ],
  ])('%s', (command, failed, passed) => {
    expect(endOf(command, failed)).toBe('failed');
    expect(endOf(command, passed)).toBe('ok');
  });

  test.each([
    ['cmake -S . -B build', '-- Configuring incomplete, errors occurred!'],
    ['docker compose build', 'failed to solve: process "/bin/sh -c npm ci" did not complete'],
    ['ansible-playbook site.yml', 'web1    : ok=3    changed=1    unreachable=0    failed=1'],
    ['pre-commit run -a', 'ruff.....................................Failed'],
    ['ruff check --fix .', 'Found 5 errors (2 fixed, 3 remaining).'],
    ['npx tsc --pretty', 'Found 2 errors in the same file, starting at: src/a.ts:3'],
    [
      'flutter analyze',
      "  error • Undefined name 'x' • lib/a.dart:1:1 • undefined_identifier\n\n1 issue found.",
    ],
    ['stack test', 'a> Test suite failure for package a-0.1'],
    ['nox -s tests', 'nox > Session tests failed.'],
    ['pio run', '(eval):1: command not found: pio'],
    [
      'pnpm --filter @shop/e2e test',
      'Error: No tests found.\n\n/w/e2e:\n ERR_PNPM_RECURSIVE_RUN_FIRST_FAIL  @shop/e2e@0.1.0 test: `playwright test`\nExit status 1',
    ],
  ])('%s, failed', (command, end) => expect(endOf(command, end)).toBe('failed'));

  test.each([
    ['npx turbo run build', ' Tasks:    1 successful, 2 total'],
    ['bats test', 'not ok 1 adds'],
    ['cabal test', '1 of 2 test suites (1 of 1 test cases) passed.'],
    ['ansible-playbook site.yml', 'web1    : ok=3    changed=1    unreachable=0    failed=0'],
  ])('%s, and nobody knows how', (command, end) => expect(endOf(command, end)).toBe('unknown'));

  test.each([
    ['ruff check --fix .', 'Found 2 errors (2 fixed, 0 remaining).'],
    ['dart analyze', '   info - lib/a.dart:1:1 - Prefer const. - prefer_const\n\n1 issue found.'],
    ['npm test', 'Validating fixture broken.json...Failed'],
    [
      'pre-commit run -a || pre-commit run -a',
      'black..............................Failed\nblack..............................Passed',
    ],
    ['npm test', 'Only 3 of 10 tests pass.'],
    ['npm test', '3 of 10 tests passed'],
    ['stack test', '0 of 0 test suites (0 of 0 test cases) passed.'],
    ['make lint', 'The old configuration is valid no more'],
    ['npm test', 'Not all tests passed'],
  ])('%s, which says neither: %s', (command, end) => expect(endOf(command, end)).toBe('unknown'));
});

describe('what a search lets through', () => {
  const kindOf = (script: string, text: string) => outcomeOf(toolResult(text), script, true).kind;

  test.each([
    ['ctest -V | grep PASSED', '[  PASSED  ] 3 tests.'],
    ['make test | grep "tests"', '[==========] 4 tests ran.\n[  PASSED  ] 3 tests.'],
    ['npx mocha | grep passing', '  3 passing (20ms)'],
    ['npx karma start | grep SUCC', 'Executed 3 of 3 SUCCESS'],
    ['cargo test | grep "test result: ok"', 'test result: ok. 3 passed; 0 failed'],
    ['xcodebuild build test | grep SUCC', '** BUILD SUCCEEDED **'],
  ])('says nothing of what has failed: %s', (script, text) =>
    expect(kindOf(script, text)).toBe('unknown'),
  );

  test.each([
    ['npx mocha | grep -E "passing|failing"', '  3 passing (20ms)'],
    ['npx vitest run | grep passed', '      Tests  12 passed (12)'],
    ['npx jest | grep passed', 'Tests:       12 passed, 12 total'],
    ['pytest -q | grep passed', '12 passed in 0.10s'],
  ])('says all: %s', (script, text) => expect(kindOf(script, text)).toBe('ok'));
});

describe('an exit code that a run itself has told', () => {
  const kindOf = (script: string, code: number, text: string) =>
    outcomeOf(
      toolResult(`<returncode>${code}</returncode>\n<output>\n${text}\n</output>`),
      script,
      true,
    ).kind;

  test.each([
    ['npm test', 'Found 2 errors.\n✓ prints the errors\nTests  12 passed (12)'],
    ['cd /w && npm test', 'FAIL is a word\nTests  12 passed (12)'],
    ['set -o pipefail; npm test | tail -9', '> test\nerror: is printed\n12 passing'],
    ['python -m pytest -s', 'Traceback (most recent call last):\n.\n1 passed in 0.1s'],
    ['dart analyze', '   info - lib/a.dart:1:1 - Prefer const. - prefer_const\n\n1 issue found.'],
    ['ruff check --fix .', 'Found 2 errors (2 fixed, 0 remaining).'],
  ])('knows it better than what it prints: %s', (script, text) => {
    expect(kindOf(script, 0, text)).toBe('ok');
    expect(kindOf(script, 1, text)).toBe('failed');
  });

  test.each(['npm test | tail -9', 'npm test || true', 'npm test; git status'])(
    'knows nothing where it is hidden: %s',
    (script) => expect(kindOf(script, 0, 'Tests  1 failed | 11 passed (12)')).toBe('failed'),
  );
});

describe('a run that logs the errors that its tests ask for', () => {
  const bun =
    'error: Database connection failed\n      at <anonymous> (/w/src/a.test.ts:3:25)\n\n 1274 pass\n 2 skip\n 0 fail\n 2760 expect() calls\nRan 1276 tests across 56 files. [813.00ms]';
  const jest =
    'error: Settlement failed for vendor v1\n\nTest Suites: 1 passed, 1 total\nTests:       26 passed, 26 total\nSnapshots:   0 total\nTime:        2.3 s, estimated 3 s\nRan all test suites matching /a.test.ts/i.';

  test.each([
    ['bun test', bun],
    ['npx jest a.test.ts', jest],
  ])('has passed by what it counts last: %s', (command, end) =>
    expect(endOf(command, end)).toBe('ok'),
  );

  test.each([
    ['a file that does not load', 'npx jest', jest.replace('1 passed, 1', '1 failed, 1 passed, 2')],
    ['an error between tests', 'bun test', bun.replace('0 fail\n', '0 fail\n 1 error\n')],
    ['what ends it after', 'bun run test', `${bun}\nerror: script "test" exited with code 1`],
    ['what else has run', 'cargo build 2>&1 | tail -3; bun test', bun],
    ['a test that failed', 'bun test', bun.replace('0 fail', '1 fail')],
    ['a script before it', 'npm test', `error: script "lint" exited with code 1\n${bun}`],
    [
      'too little covered',
      'npx jest --coverage',
      jest.replace('\n\n', '\nJest: "global" coverage threshold for lines (80%) not met: 66%\n\n'),
    ],
  ])('but not with %s', (_, command, end) => expect(endOf(command, end)).toBe('failed'));

  test.each([
    ['node --test', '# pass 62\n# fail 1\n# cancelled 0', '# pass 62\n# fail 0\n# cancelled 0'],
    ['node --test a', '# pass 62\n# fail 0\n# cancelled 1', '# pass 62\n# fail 0\n# skipped 1'],
    [
      'node --test --experimental-test-coverage',
      'ℹ pass 5\nℹ fail 0\nℹ Error: 50.00% line coverage does not meet threshold of 90%.',
      'ℹ pass 5\nℹ fail 0\nℹ skipped 0',
    ],
    [
      'bun test b',
      ' 3 pass\n 0 fail\n 1 error\nRan 3 tests across 2 files.',
      ' 0 fail\nRan 3 tests',
    ],
  ])('%s, by its counts', (command, failed, passed) => {
    expect(endOf(command, failed)).toBe('failed');
    expect(endOf(command, passed)).toBe('ok');
  });

  test.each([
    ['bun test -t x', ' 0 pass\n 12 filtered out\n 0 fail\nRan 0 tests across 5 files. [3.00ms]'],
    ['node --test', '# tests 0\n# pass 0\n# fail 0\n# skipped 0'],
  ])('says nothing where it has tested nothing: %s', (command, end) =>
    expect(endOf(command, end)).toBe('unknown'),
  );

  test('of several packages, one may have no tests', () =>
    expect(endOf('npm test -ws', '# pass 5\n# fail 0\n\n# pass 0\n# fail 0')).toBe('ok'));

  test.each([
    ['0', 'ok'],
    ['1', 'failed'],
  ])('is known by the code that its script prints: %s', (code, kind) => {
    const result = toolResult(`bun test v1\n${bun}\nexit: ${code}`);
    expect(outcomeOf(result, 'bun test 2>&1; echo "exit: $?"', true).kind).toBe(kind);
  });

  test('an image that cannot be built, named by its service', () =>
    expect(endOf('docker compose up --build', 'target api: failed to solve: exit code: 1')).toBe(
      'failed',
    ));
});
