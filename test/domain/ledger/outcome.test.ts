import { describe, expect, test } from 'vitest';
import { errorTellings } from '../../../src/domain/compaction/extractive/failure-lines.ts';
import { runText } from '../../../src/domain/compaction/extractive/work-lines.ts';
import type { Normalised } from '../../../src/domain/items/item.ts';
import { factsOf } from '../../../src/domain/ledger/facts.ts';
import { type Outcome, outcomeOf } from '../../../src/domain/ledger/outcome.ts';
import { ledgersOfItems } from '../../support/ledgers.ts';
import { asks, ledgerOf, ran, tells, used } from '../../support/log-items.ts';
import { codex, toolResult } from '../../support/tool-calls.ts';

/** What a command of no test run came to. */
const ofCommand = (text: string, isError = false, script = './run.sh'): Outcome =>
  outcomeOf(toolResult(text, isError), script, false);

const mini = (code: number, output: string) =>
  `<returncode>${code}</returncode>\n<output>\n${output}\n</output>`;

describe('how a command ended', () => {
  test.each<[string, string, boolean, Outcome]>([
    [
      'Claude Code: flag and code',
      'Exit code 2\nsh: line 1: oops: unexpected token\nnothing more',
      true,
      { kind: 'failed', lines: ['sh: line 1: oops: unexpected token'] },
    ],
    [
      'a name of a file says nothing',
      'Exit code 1\nCompiling .pio/build/esp-tls/esp_tls_error_capture.c.o\nA fatal error occurred: no data',
      true,
      { kind: 'failed', lines: ['A fatal error occurred: no data'] },
    ],
    [
      'Claude Code: an output that was put into a file',
      '<persisted-output>\nOutput too large (87.9KB). Full output saved to: /tmp/r.txt\n\nPreview (first 2KB):\n{"a":1}\n...\n</persisted-output>',
      false,
      { kind: 'ok', lines: [] },
    ],
    ['Claude Code: done', 'all fine', false, { kind: 'ok', lines: [] }],
    [
      'a line of the startup file of the shell, before what was run',
      '/c/Users/me/.bashrc: line 3: starship: command not found\nall fine',
      false,
      { kind: 'ok', lines: [] },
    ],
    [
      'what the shell says of its locale, before why it failed',
      'Exit code 1\nbash: warning: setlocale: LC_ALL: cannot change locale (de_DE.UTF-8)\nmake: *** No rule to make target `all`.  Stop.',
      true,
      { kind: 'failed', lines: ['make: *** No rule to make target `all`. Stop.'] },
    ],
    [
      'Codex: a code',
      codex('fatal: not a git repository\n', 128),
      false,
      { kind: 'failed', lines: ['fatal: not a git repository'] },
    ],
    ['Codex: code 0', codex('error.log\nerrors.ts\n'), false, { kind: 'ok', lines: [] }],
    [
      'Codex: JSON with a code',
      '{"output":"ENOENT: no such file or directory\\n","metadata":{"exit_code":1,"duration_seconds":0.1}}',
      false,
      { kind: 'failed', lines: ['ENOENT: no such file or directory'] },
    ],
    [
      'mini-swe-agent: a code',
      mini(1, 'ImportError: cannot import name Foo'),
      false,
      { kind: 'failed', lines: ['ImportError: cannot import name Foo'] },
    ],
    ['mini-swe-agent: code 0', mini(0, 'a.py'), false, { kind: 'ok', lines: [] }],
    [
      'pi: a code at the end',
      'src/a.ts: cannot parse\n\nCommand exited with code 1',
      false,
      { kind: 'failed', lines: ['src/a.ts: cannot parse'] },
    ],
    [
      'SWE-agent: a traceback without a code',
      'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n    main()\nValueError: invalid literal for int()',
      false,
      { kind: 'failed', lines: ['ValueError: invalid literal for int()'] },
    ],
    [
      'SWE-agent: a program that is not there',
      'bash: pytest3: command not found\n',
      false,
      { kind: 'failed', lines: ['bash: pytest3: command not found'] },
    ],
    [
      'SWE-agent: an edit that was not made',
      'Your proposed edit has introduced new syntax error(s). Please read this error message carefully and then retry editing the file.\n\nERRORS:\n- E999 IndentationError: unexpected indent',
      false,
      {
        kind: 'failed',
        lines: [
          'Your proposed edit has introduced new syntax error(s). Please read this error message carefully and then retry editing the file.',
          '- E999 IndentationError: unexpected indent',
          'ERRORS:',
        ],
      },
    ],
    [
      'Next.js: what a build says first is no more than that it failed',
      "Exit code 1\nLinting and checking validity of types ...\nFailed to compile.\n\n./app/page.tsx:27:3\nType error: Cannot find name 'useEffect'.\nNext.js build worker exited with code: 1 and signal: null",
      true,
      {
        kind: 'failed',
        lines: ["Type error: Cannot find name 'useEffect'.", 'Failed to compile.'],
      },
    ],
    [
      'npm: its code and its reason, not where its own code stood',
      'Exit code 1\nnpm error code EACCES\nnpm error errno EACCES\nnpm error FetchError: request failed, reason: denied\nnpm error     at ClientRequest.<anonymous> (/n/minipass-fetch/lib/index.js:130:14)',
      true,
      {
        kind: 'failed',
        lines: [
          'npm error code EACCES',
          'npm error FetchError: request failed, reason: denied',
          'npm error errno EACCES',
        ],
      },
    ],
    [
      'PowerShell in Russian: a place and a category say nothing',
      'Exit code 1\nGet-Content : Объект app\\page.tsx не существует или отфильтрован.\nстрока:2 знак:1\n+ Get-Content app\\page.tsx\n+ ~~~~~~~~~~~~~~~~~~~~~~~~\n    + CategoryInfo          : ObjectNotFound: (System.String[]:String[]) [Get-Content], Exception\n    + FullyQualifiedErrorId : ItemNotFound,Microsoft.PowerShell.Commands.GetContentCommand',
      true,
      {
        kind: 'failed',
        lines: ['Get-Content : Объект app\\page.tsx не существует или отфильтрован.'],
      },
    ],
    [
      'Cargo: why it could not compile',
      'Exit code 101\nerror[E0308]: mismatched types\n --> src/main.rs:4:5\nerror: could not compile `app` (bin "app") due to 1 previous error',
      true,
      {
        kind: 'failed',
        lines: [
          'error[E0308]: mismatched types --> src/main.rs:4:5',
          'error: could not compile `app` (bin "app") due to 1 previous error',
        ],
      },
    ],
    [
      'Go: the test, not its package',
      'Exit code 1\nFAIL\tshop/api\t26.066s\n--- FAIL: TestLogout (0.24s)\n    auth_test.go:113: expected 401, got 200\nFAIL',
      true,
      {
        kind: 'failed',
        lines: [
          '--- FAIL: TestLogout (0.24s) auth_test.go:113: expected 401, got 200',
          'FAIL shop/api 26.066s',
          'FAIL',
        ],
      },
    ],
    [
      'Rust: no hints, C: what the linker misses, PHPUnit: no heading',
      "Exit code 1\nhelp: you can convert it and panic if it does not fit\ncollect2: error: ld returned 1 exit status\nb.cpp:(.text+0xa): undefined reference to `g(int)'\nThere was 1 failure:",
      true,
      {
        kind: 'failed',
        lines: [
          "b.cpp:(.text+0xa): undefined reference to `g(int)'",
          'collect2: error: ld returned 1 exit status',
          'There was 1 failure:',
        ],
      },
    ],
    [
      'RSpec: what stands below the name of an error',
      "Exit code 1\nFailures:\n  1) total fails\n     NoMethodError:\n       undefined method `foo' for nil:NilClass\n\n2 examples, 1 failure",
      true,
      {
        kind: 'failed',
        lines: [
          "NoMethodError: undefined method `foo' for nil:NilClass",
          '1) total fails',
          "undefined method `foo' for nil:NilClass",
        ],
      },
    ],
    [
      'Java: the cause behind an exception',
      'Exit code 1\nLoading\nException in thread "main" java.lang.RuntimeException: start\n\tat app.Main.main(Main.java:5)\nCaused by: java.io.IOException: disk full',
      true,
      {
        kind: 'failed',
        lines: [
          'Exception in thread "main" java.lang.RuntimeException: start',
          'Caused by: java.io.IOException: disk full',
        ],
      },
    ],
    [
      'golangci-lint: the place and what is wrong there, not the code that it quotes',
      'Exit code 1\ninternal/fetch.go:97:4: (*Refs).Fetch - result parents is never used (unparam)\n) (parents map[Hash][]Hash, err error) {\n   ^\n1 issues:\n* unparam: 1',
      true,
      {
        kind: 'failed',
        lines: [
          'internal/fetch.go:97:4: (*Refs).Fetch - result parents is never used (unparam)',
          ') (parents map[Hash][]Hash, err error) {',
        ],
      },
    ],
    [
      'Go: why a package could not be built',
      'Exit code 1\n# app/api\napi/auth_test.go:11:2: "time" imported and not used\nFAIL\tapp/api [build failed]\nFAIL',
      true,
      {
        kind: 'failed',
        lines: [
          'FAIL app/api [build failed]',
          'api/auth_test.go:11:2: "time" imported and not used',
          'FAIL',
        ],
      },
    ],
    [
      'GitHub CLI: why, not how it is used',
      'Exit code 1\nmust provide `--title` and `--body` (or `--fill`) when not running interactively\n\nUsage:  gh pr create [flags]\n\nFlags:\n      --recover string       Recover input from a failed run of create\n  -w, --web                  Open the web browser to create a pull request',
      true,
      {
        kind: 'failed',
        lines: ['must provide `--title` and `--body` (or `--fill`) when not running interactively'],
      },
    ],
    [
      'argparse: why stands behind how it is used',
      'Exit code 2\nusage: run.py [-h] --out OUT\nrun.py: error: the following arguments are required: --out',
      true,
      {
        kind: 'failed',
        lines: ['run.py: error: the following arguments are required: --out'],
      },
    ],
    [
      'Git: what is wrong, not what it advises',
      'Exit code 1\nThe following paths are ignored by one of your .gitignore files:\ncmd/sync\nhint: Use -f if you really want to add them.\nhint: Disable this message with "git config set advice.addIgnoredFile false"',
      true,
      {
        kind: 'failed',
        lines: ['The following paths are ignored by one of your .gitignore files:', 'cmd/sync'],
      },
    ],
    [
      'a program that names itself before its error, and says it twice',
      'Exit code 1\n0 errors so far\nsbatch: error: Batch job submission failed\nsbatch: error: Batch job submission failed\ndone with errors',
      true,
      {
        kind: 'failed',
        lines: ['sbatch: error: Batch job submission failed', 'done with errors'],
      },
    ],
    [
      'yargs behind npm: why, below how it is used',
      'Exit code 1\n> tool@1.0.0 start\nUsage: tool [options]\n\nOptions:\n  --file  [string]\n\nMissing required argument: file',
      true,
      { kind: 'failed', lines: ['Missing required argument: file'] },
    ],
    [
      'turned down',
      "The user doesn't want to proceed with this tool use. The tool use was rejected.",
      true,
      {
        kind: 'refused',
        lines: ["The user doesn't want to proceed with this tool use. The tool use was rejected."],
      },
    ],
    [
      'VS Code: not carried out',
      'The user cancelled the tool call.',
      false,
      { kind: 'refused', lines: ['The user cancelled the tool call.'] },
    ],
    ['a failure without a word', codex('', 1), false, { kind: 'unknown', lines: [] }],
    [
      'without a telling line: the last two',
      'Exit code 3\none thing\nanother thing\nthe end',
      true,
      { kind: 'failed', lines: ['another thing', 'the end'] },
    ],
    [
      'pi: nothing but that there was nothing',
      '(no output)\n\n\nCommand exited with code 1',
      true,
      { kind: 'unknown', lines: [] },
    ],
  ])('%s', (_, text, isError, outcome) => expect(ofCommand(text, isError)).toEqual(outcome));

  const HEADED =
    'cd /p && echo "=== Check error log ===" && gh pr diff 4 -- a.ts 2>&1 && echo "done"';
  test.each<[string, string, string, Outcome]>([
    [
      'a heading of the script is no error',
      HEADED,
      '=== Check error log ===\naccepts at most 1 arg(s), received 2\n\n\nCommand exited with code 1',
      { kind: 'failed', lines: ['accepts at most 1 arg(s), received 2'] },
    ],
    [
      'nothing behind the headings',
      HEADED,
      '=== Check error log ===\n\n\nCommand exited with code 1',
      { kind: 'unknown', lines: [] },
    ],
    [
      'what is printed only where it failed',
      './run.sh || echo "the run has failed"; exit 1',
      'the run has failed\n\n\nCommand exited with code 1',
      { kind: 'failed', lines: ['the run has failed'] },
    ],
  ])('%s', (_, script, text, outcome) => expect(ofCommand(text, true, script)).toEqual(outcome));

  test.each([
    ['Claude Code', '[Request interrupted by user for tool use]'],
    ['Claude Code, with a code', 'Exit code 137\n[Request interrupted by user for tool use]'],
    [
      'Claude Code, after some output',
      'step 1\n<error>Command was aborted before completion</error>',
    ],
    ['Codex', codex('aborted by user after 3.2s', 130)],
    ['Codex, without an exit code', 'Wall time: 222.0 seconds\naborted by user'],
    ['pi', 'collecting tests\n\nCommand aborted'],
    ['Gemini CLI', 'Command was cancelled by user before it could complete.'],
    ['opencode', 'User aborted the command'],
    [
      'Claude Code, for another call beside it',
      '<tool_use_error>Sibling tool call errored</tool_use_error>',
    ],
    [
      'Claude Code, naming that call',
      '<tool_use_error>Cancelled: parallel tool call Bash(ls /x) errored</tool_use_error>',
    ],
  ])('what the user breaks off neither worked nor failed: %s', (_, text) => {
    expect(outcomeOf(toolResult(text, true), 'npm test', true)).toEqual({
      kind: 'interrupted',
      lines: [],
    });
  });

  test('what failed before it was broken off has failed', () => {
    expect(ofCommand('Error: no such table: users\n\nCommand aborted', true)).toEqual({
      kind: 'failed',
      lines: ['Error: no such table: users'],
    });
  });

  test.each([
    ['pytest -q', 'F.\n1 failed, 1 passed in 0.12s'],
    ['bun test', ' 11 pass\n 1 fail\nRan 12 tests across 2 files. [9.00ms]'],
    ['Playwright', '  1 failed\n    [chromium] › a.spec.ts:3:1 › opens\n  2 passed (3.1s)'],
    [
      'Maven',
      '[ERROR] Failed to execute goal org.example:maker:1.0:make on project shop: no file -> [Help 1]\n[ERROR] [Help 1] http://example.org/help',
    ],
    ['Maven, at its end', '[INFO] BUILD FAILURE\n[INFO] Total time:  2.1 s'],
    ['.NET', 'Build FAILED.\n    0 Warning(s)\n    1 Error(s)'],
    ['Elixir', '3 doctests, 5 tests, 1 failure\nRandomized with seed 1'],
    ['pnpm', ' 12 passing\n ELIFECYCLE  Test failed. See above for more details.'],
    ['CTest', '67% tests passed, 1 tests failed out of 3'],
  ])('a failure that a pipe hides from the exit code: %s', (_, text) => {
    expect(outcomeOf(toolResult(text), 'npm test | tail -5', true).kind).toBe('failed');
  });

  test.each([
    '12 passed in 0.40s',
    ' 12 pass\n 0 fail',
    '  0 failed\n  2 passed (3.1s)',
    '[INFO] BUILD SUCCESS\n[INFO] Total time:  2.1 s',
  ])('and none: %s', (text) => {
    expect(outcomeOf(toolResult(text), 'npm test | tail -5', true).kind).toBe('ok');
  });

  test.each<[string, string, string]>([
    [
      'Vitest: what passing tests have logged',
      [
        'at runWithTimeout (file:///w/node_modules/@vitest/runner/dist/chunk.js:22:10)',
        'stderr | test/fetch.test.ts > falls back when a download fails',
        'Cache missing for list_b. Fetching it anew...',
        'Fallback: failed to update list_b. Error: server down',
        ' ✓ rejects an unknown code 2ms',
        ' × names the unknown code 5ms',
        ' FAIL  test/labels.test.ts > names the unknown code',
        "AssertionError: expected 'A' to be 'a' // Object.is equality",
      ].join('\n'),
      '× names the unknown code 5ms',
    ],
    [
      'Jest: a console between',
      '[1] [error] [app] [Failed to fetch a rate]\nFAIL api/rate.spec.ts\n  ● Console\n  ● rates › are positive',
      'FAIL api/rate.spec.ts',
    ],
    [
      'Jest: tests that throw as they should',
      '  ✓ should throw when the currency is not found (9 ms)\n  ✕ should sum up (3 ms)',
      '✕ should sum up (3 ms)',
    ],
    [
      'pytest -v',
      'test_a.py::test_invalid PASSED   [ 50%]\nE   assert 1 == 2\nFAILED test_a.py::test_sum',
      'E assert 1 == 2',
    ],
    ['cargo test', 'test parse::fails_on_error ... ok\nerror: test failed', 'error: test failed'],
    [
      'Go: a place says more than the package',
      './a.go:3:5: undefined: parse\nFAIL\texample.org/shop [build failed]',
      './a.go:3:5: undefined: parse',
    ],
    [
      'ESLint: a place, and warnings before it',
      '  3:1  warning  Unexpected console statement  no-console\n  9:4  error  Expected no return value  consistent-return',
      '9:4 error Expected no return value consistent-return',
    ],
    [
      'a call at its frame',
      'at Object.<anonymous> (/w/fail.js:1:1)\nnot ok 2 - sums',
      'not ok 2 - sums',
    ],
  ])('the line that says best why a run failed: %s', (_, text, first) => {
    expect(outcomeOf(toolResult(`Exit code 1\n${text}`, true), 'npm test', true).lines[0]).toBe(
      first,
    );
  });

  test.each([
    [
      'Claude Code',
      'Found 2 matches of the string to replace, but replace_all is false.\nString: } catch (error: any) {\n  throw error;',
      { file_path: '/w/a.ts', old_string: '} catch (error: any) {\n  throw error;' },
      'Found 2 matches of the string to replace, but replace_all is false.',
    ],
    ['nothing but its input', 'what went wrong', { text: 'what went wrong' }, 'what went wrong'],
  ])('what a tool repeats of its input is not why it failed: %s', (_, text, input, first) => {
    const { kind, lines } = outcomeOf(toolResult(text, true), null, false, true, input);
    expect([kind, lines[0]]).toEqual(['failed', first]);
  });

  test('the number by which a command can be run again is no part of its output', () =>
    expect(ofCommand('Exit code 1\n[rerun: b1]', true)).toEqual({ kind: 'unknown', lines: [] }));

  test('what stands in place of an output says nothing', () => {
    const gone = '[Old history was moved to cold storage]';
    expect(ofCommand(gone, true)).toEqual({ kind: 'unknown', lines: [] });
    expect(outcomeOf(toolResult(gone, true), 'npm test', true)).toEqual({
      kind: 'failed',
      lines: [],
    });
    expect(outcomeOf(toolResult(gone), 'npm test', true, false)).toEqual({
      kind: 'unknown',
      lines: [],
    });
  });

  test('what OpenHands writes below an output is no part of it', () => {
    const text =
      '3 things are wrong\n[The command completed with exit code 1.]\n[Current working directory: /w]\n[Python interpreter: /usr/bin/python]\n[Command finished with exit code 1]';
    expect(ofCommand(text)).toEqual({ kind: 'failed', lines: ['3 things are wrong'] });
  });

  test('a file that speaks of errors is no failure', () => {
    const page = 'export class ParseError extends Error {}\nthrow new ParseError("cannot parse");';
    expect(ofCommand(page, false, 'cat src/errors.ts')).toEqual({ kind: 'ok', lines: [] });
  });

  test('nor is a tool without a shell that shows a traceback', () => {
    const page = 'Traceback (most recent call last):\n  File "a.py"\nValueError: x';
    expect(outcomeOf(toolResult(page), null, false)).toEqual({ kind: 'ok', lines: [] });
  });
});

describe('a search that found nothing has not failed', () => {
  test.each<[string, string]>([
    ['rg -n loadConfig src', codex('', 1)],
    ['git diff --exit-code', codex('-let a;\n+let b;\n', 1)],
    ['grep -rn loadConfig /w', mini(1, '')],
    ['cd /w && ls *.md; grep -c x a.txt', codex('a.md\n0\n', 1)],
    ['curl -s localhost:3000; pkill -f "next dev" 2>/dev/null', codex('', 1)],
  ])('%s', (script, text) => {
    expect(ofCommand(text, false, script)).toEqual({ kind: 'ok', lines: [] });
  });

  test('in a row of commands that has stopped there', () => {
    const script =
      'echo "=== codegraph ===" && which codegraph && echo "" && echo "=== pip ===" && pip list | grep -i codegraph && echo "=== brew ===" && brew list | wc -l';
    const text =
      '=== codegraph ===\n/usr/local/bin/codegraph\n\n=== pip ===\n\n\nCommand exited with code 1';
    expect(ofCommand(text, true, script)).toEqual({ kind: 'ok', lines: [] });
  });

  test('but one of a folder that is not there has', () => {
    expect(
      ofCommand(codex('rg: srv: No such file or directory (os error 2)', 2), false, 'rg x srv'),
    ).toEqual({
      kind: 'failed',
      lines: ['rg: srv: No such file or directory (os error 2)'],
    });
  });
});

describe('why a row of commands failed is said below its last heading', () => {
  const script =
    'echo "=== tabs ===" && ls tabs && echo "=== login ===" && curl -s -w "HTTP %{http_code}\\n" localhost:3001';

  test('by what stands there', () => {
    const text =
      '=== tabs ===\nbrowser.ts\n=== login ===\nHTTP 000\n\n\nCommand exited with code 28';
    expect(ofCommand(text, true, script)).toEqual({ kind: 'failed', lines: ['HTTP 000'] });
  });

  test('and where nothing does, nothing of what went before is told', () => {
    const text = '=== tabs ===\nbrowser.ts\n=== login ===\n\n\nCommand exited with code 28';
    expect(ofCommand(text, true, script)).toEqual({ kind: 'unknown', lines: [] });
  });
});

test('a build is not failed by what stops nothing behind it', () => {
  const script = 'npm run build && echo BUILT; pkill -f "vite preview"';
  expect(outcomeOf(toolResult('Exit code 1\nBUILT', true), script, true).kind).toBe('ok');
  expect(outcomeOf(toolResult('Exit code 1\nerror TS1005', true), script, true).kind).toBe(
    'failed',
  );
});

test('of a failure in another language the last words are told, not what PowerShell draws around', () => {
  const said =
    "In Zeile:1 Zeichen:5\n+ run -m app ...\n+     ~~\nDas Token '-m' ist an dieser Stelle fehl am Platz.\n+     ~~~~~\n    + CategoryInfo          : ParserError: (:) [], ParentContainsErrorRecordException\n    + FullyQualifiedErrorId : UnexpectedToken";
  expect(ofCommand(said, true)).toMatchObject({
    kind: 'failed',
    lines: ['+ run -m app ...', "Das Token '-m' ist an dieser Stelle fehl am Platz."],
  });
});

test('a script that npm does not know has failed, also where a pipe hides it', () => {
  const said = 'npm error Missing script: "lint:api"\nnpm error To see a list of scripts, run:';
  expect(outcomeOf(toolResult(said), 'npm run lint:api 2>&1 | grep error', true)).toMatchObject({
    kind: 'failed',
    lines: ['npm error Missing script: "lint:api"', expect.any(String)],
  });
});

test('what begins with a colour begins with its word', () => {
  const said = '\u001b[31mError: ENOENT: no such file, open a.json\u001b[39m';
  expect(outcomeOf(toolResult(said), null, false)).toEqual({
    kind: 'failed',
    lines: ['Error: ENOENT: no such file, open a.json'],
  });
});

describe('runs of tests, builds and checks', () => {
  test.each<[string, Outcome]>([
    [
      'FAIL test/a.test.ts > adds\nTests 1 failed | 2 passed',
      { kind: 'failed', lines: ['FAIL test/a.test.ts > adds', 'Tests 1 failed | 2 passed'] },
    ],
    [
      '--- FAIL: TestAdd (0.00s)\nFAIL',
      { kind: 'failed', lines: ['--- FAIL: TestAdd (0.00s)', 'FAIL'] },
    ],
    [
      '==== 2 failed, 7 passed in 0.4s ====',
      { kind: 'failed', lines: ['==== 2 failed, 7 passed in 0.4s ===='] },
    ],
    ['  2 failing\n  1) adds', { kind: 'failed', lines: ['2 failing'] }],
    [
      'error[E0425]: cannot find value `x`',
      { kind: 'failed', lines: ['error[E0425]: cannot find value `x`'] },
    ],
    [
      'src/a.ts(1,2): error TS2304: Cannot find name',
      { kind: 'failed', lines: ['src/a.ts(1,2): error TS2304: Cannot find name'] },
    ],
    [
      'a.c:3:5: error: expected expression',
      { kind: 'failed', lines: ['a.c:3:5: error: expected expression'] },
    ],
    [
      // As vitest colours it.
      '\u001b[41m\u001b[1m FAIL \u001b[22m\u001b[49m a.test.ts\n\u001b[2m      Tests \u001b[22m \u001b[1m\u001b[31m1 failed\u001b[39m\u001b[22m | 2 passed',
      { kind: 'failed', lines: ['FAIL a.test.ts', 'Tests 1 failed | 2 passed'] },
    ],
    [
      '\u001b[31m\u001b[1m✖ 3 problems (1 error, 2 warnings)\u001b[22m\u001b[39m',
      { kind: 'failed', lines: ['✖ 3 problems (1 error, 2 warnings)'] },
    ],
    [
      '\u001b[96ma.ts\u001b[0m:\u001b[93m3\u001b[0m:\u001b[93m7\u001b[0m - \u001b[91merror\u001b[0m\u001b[90m TS2304: \u001b[0mCannot find name',
      { kind: 'failed', lines: ['a.ts:3:7 - error TS2304: Cannot find name'] },
    ],
    ['ℹ pass 4\nℹ fail 1', { kind: 'failed', lines: ['ℹ fail 1'] }],
    ['# pass 4\n# fail 1', { kind: 'failed', lines: ['# fail 1'] }],
    [
      'test result: FAILED. 3 passed; 1 failed',
      { kind: 'failed', lines: ['test result: FAILED. 3 passed; 1 failed'] },
    ],
    ['10 examples, 2 failures', { kind: 'failed', lines: ['10 examples, 2 failures'] }],
    ['make: *** [all] Error 2', { kind: 'failed', lines: ['make: *** [all] Error 2'] }],
    ['==== 9 passed in 0.41s ====', { kind: 'ok', lines: ['==== 9 passed in 0.41s ===='] }],
    ['ok  \texample.com/x\t0.4s', { kind: 'ok', lines: ['ok example.com/x 0.4s'] }],
    ['Ran 3 tests in 0.1s\n\nOK', { kind: 'ok', lines: [] }],
    ['0 issues.', { kind: 'ok', lines: [] }],
    [
      'test result: ok. 3 passed; 0 failed; 0 ignored',
      { kind: 'ok', lines: ['test result: ok. 3 passed; 0 failed; 0 ignored'] },
    ],
  ])('%j', (text, outcome) =>
    expect(outcomeOf(toolResult(text), 'npm test', true)).toEqual(outcome),
  );
});

test.each([
  'Tests 0 failed, 12 passed',
  '==== 12 passed, 0 errors in 0.4s ====',
  '  12 passing\n  0 failing',
  'ℹ pass 4\nℹ fail 0',
  '10 examples, 0 failures',
  '✖ 2 problems (0 errors, 2 warnings)',
  '\u001b[2m      Tests \u001b[22m \u001b[1m\u001b[32m12 passed\u001b[39m\u001b[22m (12)',
])('none that failed is no failure: %j', (text) => {
  expect(outcomeOf(toolResult(text), 'npm test', true).kind).toBe('ok');
});

test('lines are told without terminal codes, tags and numbers of lines, and not at length', () => {
  const long = `Error: \u001b[31m${'x y '.repeat(200)}\u001b[0m`;
  const { lines } = ofCommand(`Exit code 1\n<error>${long}</error>`, true);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^Error: x y [x y]*…$/);
  expect(lines[0]?.length).toBeLessThanOrEqual(200);
});

test.each([
  'Chunk ID: 68fe8b\nWall time: 5.0016 seconds\nProcess running with session ID 4964\nOriginal token count: 3\nOutput:\nRUN v4\n',
  'Command running in background with ID: bd2f1c. Output is being written to: /tmp/tasks/bd2f1c.output',
])('a command that still runs has not ended well yet: %j', (running) => {
  const items = used('exec_command', { cmd: 'npm test' }, running);
  expect(ledgerOf(items).runs.filter(({ outcome }) => outcome === 'ok')).toEqual([]);
});

describe('an exit code that does not speak for the run', () => {
  const kindOf = (script: string, text: string, isError = false) =>
    outcomeOf(toolResult(text, isError), script, true).kind;

  test.each([
    ['npm test || true', 'at Object.run (a.js:3:1)'],
    ['npm test; true', ''],
    ['npm test\ngit status', 'nothing to commit'],
    ['set +e\nnpm test\ngit status', 'nothing to commit'],
    ['npm test | tail -3', 'at Object.run (a.js:3:1)'],
    ['pytest -q | head -1', 'a_test.py::test_one PASSED'],
    ['go test ./... | grep ok', 'ok  \texample.com/x\t0.4s'],
    ['go test ./... | grep FAIL', ''],
    ['npm test &', ''],
    ['nohup npm test > log 2>&1 &', '[1] 4711'],
    ['timeout 5 npm test || :', ''],
    ['git pull || npm test', 'Already up to date.'],
    ['if npm test; then git push; fi', ''],
    ['npm test; echo "all OK"', 'all OK'],
    ['npm run lint; npm test; true', '12 passed'],
    ['npm test || true', 'not ok 3 - adds'],
    ['npm test || true', 'Run was unsuccessful'],
  ])('is told as unknown: %j', (script, text) => expect(kindOf(script, text)).toBe('unknown'));

  test('nor that of a search that found nothing', () => {
    expect(kindOf('npm test | grep FAIL', codex('', 1))).toBe('unknown');
  });

  test('nor that of a run that has found no test', () => {
    const none = `\n${'-'.repeat(70)}\nRan 0 tests in 0.000s\n\nOK`;
    const some = `.\n${'-'.repeat(70)}\nRan 1 test in 0.000s\n\nOK`;
    expect(kindOf('python3 -m unittest', none)).toBe('unknown');
    expect(kindOf('python3 -m unittest', some)).toBe('ok');
    expect(kindOf('python3 -m unittest a; python3 -m unittest b', `${none}\n${some}`)).toBe('ok');
    expect(kindOf('npx jest', 'No tests found, exiting with code 0')).toBe('unknown');
  });

  test.each([
    ['npm test || true', 'Tests  12 passed (12)'],
    ['npm test; git status', '12 passing\nnothing to commit'],
    ['python -m unittest | tail -2', 'Ran 3 tests in 0.1s\n\nOK'],
    ['go test ./... 2>&1 | tail -3', 'ok  \texample.com/x\t0.4s'],
    ['go test ./... 2>&1 | head -50', 'ok  \texample.com/x\t0.4s'],
    ['npx tsc --noEmit 2>&1 | head -20', ''],
    ['npx tsc --noEmit 2>&1 | head -20', '(Bash completed with no output)'],
    ['npm test; echo "exit: $?"', 'a.js\nexit: 0'],
    ['npm test | tail -1; echo $' + '{PIPESTATUS[0]}', 'a.js\n0'],
    ['npm test && echo WORKED; git status', 'a.js\nWORKED\nclean'],
    ['npm test || echo BROKEN', 'a.js'],
    ['npm test || exit 1', ''],
    ['set -o pipefail; npm test | tail -3', 'a.js'],
    ['set -e\nnpm test\ngit status', 'clean'],
    ['cd /w && npm test && git status', 'clean'],
    ['(cd /w && npm test)', ''],
    ['npm test', ''],
  ])('where other words do, it has passed: %j', (script, text) =>
    expect(kindOf(script, text)).toBe('ok'),
  );

  test.each([
    ['npm test; echo "exit: $?"', 'a.js\nexit: 1'],
    ['npm test && echo WORKED; git status', 'a.js\nclean'],
    ['npm test || echo BROKEN', 'a.js\nBROKEN'],
    ['python -m pytest -q 2>&1 | head -5', '/usr/bin/python: No module named pytest'],
  ])('or failed: %j', (script, text) => expect(kindOf(script, text)).toBe('failed'));

  test('a run that fails without a word has failed', () => {
    expect(kindOf('go vet ./...', codex('', 1))).toBe('failed');
  });

  test('a shell without exit codes says it in words, or not at all', () => {
    const shell = (answer: string) => [
      tells('I run them.\n```\nnpm test\n```'),
      asks(`${answer}\n(Open file: n/a)\n(Current directory: /w)\nbash-$ `),
    ];
    expect(ledgerOf(shell('a.js')).runs).toMatchObject([{ outcome: 'unknown' }]);
    expect(ledgerOf(shell('Tests  3 passed (3)')).runs).toMatchObject([{ outcome: 'ok' }]);
  });
});

test('an outcome that is not known cures nothing, and is told as such', () => {
  const items = [
    ...ran('npm test', 'Error: maxRetries is not defined', 1),
    ...ran('npm test 2>&1 | tail -1', 'at Object.run (a.js:3:1)'),
  ];
  const ledger = ledgerOf(items);
  expect(ledger.failures).toMatchObject([{ cure: null }]);
  expect(factsOf(ledger).filter(({ kind }) => kind === 'run')).toMatchObject([
    {
      state: 'current',
      text: 'npm test ended last, whether it passed is not known, 1 of 2 failed: at Object.run (a.js:3:1)',
    },
  ]);
  const [run] = ledger.runs;
  expect(run === undefined ? '' : runText(run)).toBe(
    'Run npm test: whether it passed last is not known: tool output "at Object.run (a.js:3:1)"',
  );
});

test('what ran again is not told as open, where nothing says how that ended', () => {
  const failed = ran('npm test', 'Error: maxRetries is not defined', 1);
  const again = ran('npm test 2>&1 | tail -1', 'at Object.run (a.js:3:1)');
  const told = (items: Normalised[]) => errorTellings(ledgersOfItems(items))[0]?.()[0]?.text;
  expect(told([...failed, ...again])).toContain('run again later, how that ended is not known');
  expect(told([...again, ...failed])).toContain('not seen to work later');
});

test('a test that took another time when it failed again, and works now, is told as cured', () => {
  const failed = (took: string) => ran('go test ./a', `--- FAIL: TestSum (${took}s)\nFAIL`, 1);
  const items = [...failed('0.02'), ...failed('0.03'), ...ran('go test ./a', 'ok  \ta\t0.01s')];
  const ledgers = ledgersOfItems(items, failed('0.02').length);
  expect(ledgers.standing.failures).toMatchObject([{ times: 2, cure: { files: [] } }]);
  expect(errorTellings(ledgers)[0]?.()[0]?.text).not.toContain('not seen to work later');
});

test('a search that could not be made gives way to what is to be mended', () => {
  const items = [
    ...ran('npm test', 'Error: maxRetries is not defined', 1),
    ...used('websearch', { query: 'agents sdk' }, 'Error: Search error (429)', true),
  ];
  const [search, test] = [...(errorTellings(ledgersOfItems(items))[0]?.() ?? [])].sort(
    (a, b) => a.worth - b.worth,
  );
  expect(search?.text).toContain('websearch');
  expect(test?.text).toContain('maxRetries');
});

test.each([
  'export NVM_DIR="$HOME/.nvm" && [ -s "$NVM_DIR/nvm.sh" ] && . "$NVM_DIR/nvm.sh" && nvm use >/dev/null && npm test',
  '[[ -f .env ]] && source .env\nnpm test',
])('a command behind what makes its shell ready is that command: %s', (script) => {
  const ledger = ledgerOf([
    ...ran('npm test', 'Error: Unsupported engine', 1),
    ...ran(script, 'All tests passed (10)'),
  ]);
  expect(ledger.runs).toMatchObject([{ command: 'npm test', outcome: 'ok' }]);
  expect(ledger.failures).toMatchObject([{ cure: { files: [] } }]);
});

test('a run of a process keeps how it was written', () => {
  const running =
    'Chunk ID: 68fe8b\nWall time: 1.0016 seconds\nProcess running with session ID 4964\nOriginal token count: 3\nOutput:\n';
  const ofProcess = (cmd: string) =>
    ledgerOf([
      ...used('exec_command', { cmd }, running),
      ...used('write_stdin', { session_id: 4964, chars: '' }, codex('a.js\n')),
    ]).runs;
  expect(ofProcess('npm test')).toMatchObject([{ outcome: 'ok' }]);
  expect(ofProcess(`npm test -- -t '${'a|'.repeat(150)}'`)).toMatchObject([{ outcome: 'ok' }]);
  expect(ofProcess('npm test | tail -1')).toMatchObject([{ outcome: 'unknown' }]);
});

test('an answer that is no text says nothing of how a run went', () => {
  const content = [{ kind: 'opaque', json: { type: 'resource', uri: 'log://1' } } as const];
  const result = { kind: 'tool_result', call_id: 'a', content, is_error: false } as const;
  expect(outcomeOf({ ...result, content: [...content] }, 'npm test', true)).toEqual({
    kind: 'unknown',
    lines: [],
  });
});

test('what a command shows of another place says nothing of how it went', () => {
  const screen =
    '• Ran bun run build\n  └ $ bun --filter core build\n    core build: /usr/bin/bash: line 1: tsup: command not found\n• Ran bun install';
  expect(ofCommand(screen, false, 'workmux capture worker -n 220').kind).toBe('ok');
  const own = 'core build: /usr/bin/bash: line 1: tsup: command not found';
  expect(ofCommand(own, false, './build.sh; date')).toEqual({ kind: 'failed', lines: [own] });
});

test('what a startup file says is told where the script runs it', () => {
  const said = '/home/me/.bashrc: line 3: starship: command not found';
  expect(ofCommand(said, false, '. ~/.bashrc')).toEqual({ kind: 'failed', lines: [said] });
  expect(ofCommand(said, false, 'cd src').kind).toBe('ok');
});

test.each([
  ['a file of the project', 'make check', 'dotfiles/.zshrc:12: parse error near `fi`'],
  [
    'a script that forbids unset variables',
    './setup.sh',
    '/root/.bashrc: line 6: PS1: unbound variable',
  ],
  ['a command that is not there', 'bash -lc "gti status"', 'bash: line 1: gti: command not found'],
])('a shell that fails says why: %s', (_, script, said) =>
  expect(ofCommand(`Exit code 1\n${said}`, true, script)).toEqual({
    kind: 'failed',
    lines: [said],
  }),
);

test('a run of tests whose output was put into a file is not told by the tag around it', () => {
  const shown =
    '<persisted-output>\nOutput too large\n\nPreview:\n00:02 +3: parses\n...\n</persisted-output>';
  expect(outcomeOf(toolResult(shown), 'flutter test | tail -50', true)).toEqual({
    kind: 'unknown',
    lines: ['00:02 +3: parses'],
  });
});

test('a test that takes another time each time has failed again, and for another reason anew', () => {
  const failed = (took: string, why: string) =>
    ran('go test ./api', `--- FAIL: TestLogin (${took})\n    api_test.go:9: ${why}\nFAIL`, 1);
  const items = [
    ...failed('0.06s', 'expected 401, got 200'),
    ...failed('0.41s', 'expected 401, got 200'),
    ...failed('0.40s', 'expected 401, got 500'),
  ];
  expect(ledgerOf(items).failures.map(({ times }) => times)).toEqual([2, 1]);
});
