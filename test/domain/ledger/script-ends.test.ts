import { describe, expect, test } from 'vitest';
import { type Outcome, outcomeOf } from '../../../src/domain/ledger/outcome.ts';
import {
  endsByClock,
  endsInQuestion,
  endsInSearch,
  messagesAmong,
} from '../../../src/domain/ledger/script-ends.ts';
import { ledgerOf, ran } from '../../support/log-items.ts';
import { codex, toolResult } from '../../support/tool-calls.ts';

describe('searches, which end with 1 when they found nothing', () => {
  test.each<[boolean, string]>([
    [true, 'rg -n foo src'],
    [true, 'cd /w && grep -r foo .'],
    [true, 'git diff --exit-code'],
    [true, 'cat a | grep foo'],
    [true, 'which pnpm'],
    [true, 'ls out.csv 2>/dev/null && echo exists'],
    [true, 'make log; tail -8 logs/*.out 2>/dev/null'],
    [true, 'cd /w && cat a.txt 2>/dev/null'],
    [true, 'cat a.txt 2>/dev/null || cat b.txt 2>/dev/null'],
    [false, './deploy.sh && cat out.txt 2>/dev/null'],
    [false, './deploy.sh || cat out.txt 2>/dev/null'],
    [false, 'set -e; ./deploy.sh; cat out.txt 2>/dev/null'],
    [false, 'set -euo pipefail; ./migrate.sh | tail -2 2>/dev/null'],
    [false, 'npm run build && cat dist/v.txt 2>/dev/null'],
    [false, 'make log; tail -8 logs/*.out'],
    [false, 'npm test && echo passed'],
    [false, 'ls && npm test && echo passed'],
    [false, 'grep foo a && npm test'],
    [true, `bash -lc 'cd /w && rg -n foo src'`],
    [true, `bash --noprofile --norc -lc "bash -c 'grep foo a'"`],
    [false, `bash -lc 'npm test'`],
    [false, `bash run.sh -c 'grep foo a'`],
    [false, `bash -lc 'grep foo a' && npm test`],
    [false, 'npm test'],
    [false, 'git push'],
  ])('%s: %s', (isSearch, script) => expect(endsInSearch(script)).toBe(isSearch));

  test.each([
    'echo "== build"; [ -d build ] && echo "built already"; ./deploy.sh',
    'echo "== build" && grep -q foo a.txt && echo "has foo"; ./deploy.sh',
    'ls x && echo "== a" && grep -rn foo . && echo "== build" && ./build.sh && echo "== b" && ./deploy.sh',
  ])('a heading that is not shown has stopped nothing that is run all the same: %s', (script) =>
    expect(endsInSearch(script, ['== build', '== b', 'no credentials given'])).toBe(false),
  );

  const row =
    'echo "== tools" && pip list 2>/dev/null | grep -i graph && echo "== build" && make all && echo "== rest" && ls x';
  test.each<[boolean, string[]]>([
    [true, ['== tools']],
    [false, ['== tools', 'graphviz 0.20', '== build', 'cc a.c']],
    [true, ['== tools', 'graphviz 0.20', '== build', '== rest']],
    [true, []],
  ])('%s: a row of commands that stopped behind these headings: %j', (isSearch, shown) =>
    expect(endsInSearch(row, shown)).toBe(isSearch),
  );
});

describe('questions, to which a failure is the answer', () => {
  test.each<[boolean, string]>([
    [true, 'which bun'],
    [true, 'type bun'],
    [true, 'cd /w && command -v bun && echo there'],
    [true, 'dpkg -s libpq-dev'],
    [true, 'git rev-parse --verify feature'],
    [true, 'systemctl is-active nginx'],
    [true, 'jq -re .scripts.lint package.json'],
    [true, 'node -v; /usr/bin/which deno'],
    [true, 'ps -p 597843,597847 -o pid,etime,cmd'],
    [true, 'tmux has-session -t train'],
    [true, `bash -lc 'which deno'`],
    [false, 'ps -ef'],
    [false, 'command npm test'],
    [false, 'dpkg -i app.deb'],
    [false, 'git rev-parse HEAD'],
    [false, 'jq .scripts package.json'],
    [false, 'which bun && bun install'],
    [false, './deploy.sh && which bun'],
    [false, 'set -e; ./deploy.sh; which bun'],
  ])('%s: %s', (isQuestion, script) => expect(endsInQuestion(script, false)).toBe(isQuestion));

  test.each([
    ['type bun', '/bin/bash: line 1: type: bun: not found'],
    ['which deno', '/usr/bin/which: no deno in (/usr/local/bin:/usr/bin)'],
    ['dpkg -s foo', "dpkg-query: package 'foo' is not installed and no information is available"],
    ['git rev-parse --verify feature', 'fatal: Needed a single revision'],
    ['systemctl is-active nginx', 'inactive'],
  ])('%s leaves no error behind', (script, answer) =>
    expect(ledgerOf(ran(script, answer, 1)).failures).toEqual([]),
  );

  test.each([
    ['jq -e .a x.json', 'jq: error: Could not open file x.json: No such file or directory'],
    ['jq -e .a x.json', 'jq: parse error: Invalid numeric literal at line 1, column 5'],
    ['git merge-base --is-ancestor a b', 'fatal: Not a valid object name a'],
    ['type src\\a.txt', 'The system cannot find the file specified.'],
  ])('%s could not be asked: %s', (script, answer) =>
    expect(ledgerOf(ran(script, answer, 1)).failures).toMatchObject([{ lines: [answer] }]),
  );
});

describe('what is stopped by the clock', () => {
  const dev = (output: string, script = 'timeout 10 npm run dev'): Outcome =>
    outcomeOf(toolResult(`Exit code 124\n${output}`, true), script, false);

  test('has not failed', () => {
    const served = '> app@1.0.0 dev\n> vite\n\n  VITE v6.0.1  ready in 312 ms';
    expect(dev(served)).toEqual({ kind: 'unknown', lines: [] });
    const run = codex('Compiling app v0.1.0\nlistening on 3000\n', 124);
    expect(outcomeOf(toolResult(run), 'timeout 5 cargo run', false).kind).toBe('unknown');
  });

  test('has failed where it told of an error, or nobody asked for the clock', () => {
    const taken = 'Error: listen EADDRINUSE: address already in use :::3000';
    expect(dev(taken)).toEqual({ kind: 'failed', lines: [taken] });
    expect(dev('ready in 312 ms', 'npm run dev').kind).toBe('failed');
  });
});

describe('a script that shows files', () => {
  const code = [
    'func (c *reader) Close() error {',
    'return fmt.Errorf("close pack reader: %w", err)',
    'error: not found',
  ];
  test.each([
    ["sed -n '1,20p' a.go; echo ===; sed -n '5,9p' b.go", '(eval):1: == not found'],
    ['cat a.go missing.go', 'cat: missing.go: No such file or directory'],
    ['grep -n error *.go | head; ls out', "ls: cannot access 'out': No such file or directory"],
    ['git show HEAD~99:a.go', "fatal: invalid object name 'HEAD~99'."],
    ['rg -n error internal/*_test.go', 'zsh:1: no matches found: internal/*_test.go'],
  ])('%s: what the files hold is no error', (script, message) => {
    const ledger = ledgerOf(ran(script, [...code, message].join('\n'), 1));
    // Of Git, `error: ` is a message.
    const own = script.startsWith('git') ? [message, 'error: not found'] : [message];
    expect(ledger.failures.flatMap(({ lines }) => lines).toSorted()).toEqual(own.toSorted());
  });

  test('leaves no error where no program says one', () =>
    expect(ledgerOf(ran('cat a.go; grep -n TODO b.go', code.join('\n'), 1)).failures).toEqual([]));

  test('and what runs anything else may have printed them', () =>
    expect(messagesAmong(code, 'cat a.go; ./run.sh')).toEqual(code));

  test.each([
    ['cat a.txt', "cat : Cannot find path 'C:\\p\\a.txt' because it does not exist."],
    ['cat a.txt', "Get-Content: Cannot find path 'C:\\p\\a.txt' because it does not exist."],
    ['cd src; ls', "Set-Location: Cannot find path 'C:\\p\\src' because it does not exist."],
    ['cd src', 'The system cannot find the path specified.'],
    ['bat a.ts', "[bat error]: 'a.ts': No such file or directory (os error 2)"],
    ['fd foo src', "[fd error]: Search path 'src' is not a directory."],
    ['tree', `/nix/store/${'8'.repeat(32)}-bash-5.2/bin/bash: line 1: tree: command not found`],
    ['cat a.txt', 'Error: spawn /bin/zsh ENOENT'],
  ])('%s failed: %s', (script, message) =>
    expect(ledgerOf(ran(script, message, 1)).failures).toMatchObject([{ lines: [message] }]),
  );
});

test.each([
  ['timeout 8s rostopic echo -n 1 /scan', true],
  [`bash --noprofile --norc -lc 'source setup.bash && timeout 8s rostopic echo -n 1 /scan'`, true],
  [`bash -lc 'timeout 8s make && make install'`, false],
])('is ended by the clock: %s', (script, isEnded) => expect(endsByClock(script)).toBe(isEnded));
