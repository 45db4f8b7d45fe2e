import { describe, expect, test } from 'vitest';
import type { Json } from '../../../src/domain/json.ts';
import { commandKey, rowsWithin, runKindOf } from '../../../src/domain/ledger/command-line.ts';
import type { Run } from '../../../src/domain/ledger/ledger.ts';
import { asks, ledgerOf, messageOf, ran, tells, used } from '../../support/log-items.ts';
import { codex } from '../../support/tool-calls.ts';

describe('what a command runs', () => {
  test.each<[Run['kind'] | null, string]>([
    ['test', 'npm test'],
    ['test', 'npm run test:unit -- --watch=false'],
    ['test', 'npx vitest run test/a.test.ts'],
    ['test', 'pytest tests/test_fields.py -k precision'],
    ['test', 'python -m pytest -q'],
    ['test', 'python manage.py test orders'],
    ['test', 'go test -race ./...'],
    ['test', 'cargo test --workspace'],
    ['test', 'cd /w && go test ./... 2>&1 | tail -30'],
    ['test', 'CI=1 timeout 60 npx jest'],
    ['test', 'dotnet test'],
    ['build', 'npm run build'],
    ['build', 'go build ./...'],
    ['build', 'cargo build --release'],
    ['build', 'tsc -p tsconfig.build.json'],
    ['build', 'make'],
    ['build', 'docker build -t app .'],
    ['build', 'cmake --build build'],
    ['check', 'npm run lint'],
    ['check', 'npx eslint src'],
    ['check', 'npx biome check src'],
    ['check', 'go vet ./...'],
    ['check', 'cargo clippy'],
    ['check', 'ruff check .'],
    ['check', 'golangci-lint run ./...'],
    ['check', 'python -m mypy src'],
    ['check', 'npx tsc --noEmit'],
    [null, 'ls -la'],
    [null, 'cat test/a.test.ts'],
    [null, 'git commit -m "Run npm test before a release"'],
    [null, "rg -n 'pytest' docs"],
    [null, 'mkdir -p build && ls build'],
    [null, 'python reproduce_bug.py'],
    [null, 'echo test'],
    [null, "cat > run.sh <<'EOF'\nnpm test\nEOF"],
    ['test', 'cd /w && nix-shell --run "pytest -q" 2>&1 | tail -40'],
    ['test', "bash -lc 'cd /w && npm run test'"],
    ['build', 'docker compose exec -T web sh -c "npm run build"'],
    ['check', 'nix develop --command "ruff check ."'],
    // Its code is that of `tail`.
    [null, "bash -c 'pytest -q | tail -5'"],
    [null, 'bash -c "pytest -q; echo done"'],
    // The words of one say nothing of the other.
    [null, 'nix-shell --run "pytest -q && pylint ." | tail -8'],
    [null, 'bash -c "echo the pytest run"'],
    ['build', '~/.platformio/penv/bin/pio run -e board -t upload'],
    ['test', 'pio test -e native'],
    ['build', 'idf.py -p /dev/ttyUSB0 flash monitor'],
    ['build', 'west build -b nrf52840dk'],
    ['build', 'arduino-cli compile --fqbn arduino:avr:uno'],
    [null, 'pio device monitor -b 115200'],
    [null, 'pio pkg install'],
  ])('%s: %s', (kind, script) => expect(runKindOf(script)).toBe(kind));

  test.each<[Run['kind'], string]>([
    // What is built for is named before what builds it.
    ['test', './gradlew test'],
    ['test', 'make test'],
    ['test', 'mvn -q test'],
    ['check', 'make lint'],
    ['test', 'bundle exec rspec spec/a_spec.rb'],
    ['test', 'mise run test'],
  ])('%s: %s', (kind, script) => expect(runKindOf(script)).toBe(kind));
});

describe('the same command, however it is run', () => {
  test.each([
    ['npm test', 'cd /w && npm test 2>&1 | tail -20'],
    ['npm test', 'CI=1 npm test'],
    ['npm test', 'timeout 120 npm test'],
    ['npm test', '  npm   test '],
    ['npm test', 'cd /w\nexport CI=1\nnpm test'],
    ['pytest -q', 'cd /w && source .venv/bin/activate && pytest -q'],
    ['pytest -q', 'set -e; cd "/w x"; pytest -q'],
    ['cd /w', 'cd /w'],
    ['npm test', 'npm test 2>&1 | tail -20; echo "exit=$?"'],
    [
      'python debug.py',
      "cat > debug.py <<'EOF'\nimport re\nprint(1)\nEOF\npython debug.py 2>&1 | head -50",
    ],
    [
      'go test ./...',
      "cd /w && python3 - <<'EOF'\nsrc = open('a.go').read()\nEOF\ncd b && go test ./...",
    ],
    ["python3 - <<'EOF' print(1) EOF", "python3 - <<'EOF'\nprint(1)\nEOF\n"],
    ["node <<'E' run() E echo ok", "node <<'E'\nrun()\nE\necho ok"],
    ["cat > a <<'EOF' EOFS", "cat > a <<'EOF'\nEOFS"],
    ["cat > a <<'EOF' && npm test x EOF", "cat > a <<'EOF' && npm test\nx\nEOF"],
    ['npm test', 'npm test > /tmp/run.log 2>&1; echo "exit=$?"; grep -E "FAIL|ok" /tmp/run.log'],
    ['npm test', 'npm test &> out.log'],
    ['npm test', 'npm.cmd test'],
    ['npm run gen > src/a.ts', 'npm run gen > src/a.ts'],
    ['down | tail -5 && npm test', 'down 2>&1 | tail -5 && npm test > /tmp/run.log; echo $?'],
    ['npm test -- a.test.ts', 'npm test -- a.test.ts'],
  ])('%s: %s', (key, script) => expect(commandKey(script)).toBe(key));

  test('with a pattern that holds a bar', () =>
    expect(commandKey('npm test 2>&1 | grep -E "fail|pass" | head -5')).toBe('npm test'));
});

test('a failure of a script is named for its work, not for the folder that it goes to first', () => {
  const script = 'cd /w/app\nexport LEVEL=2\n./deploy staging\necho done';
  const items = ran(script, 'Error: no route to host', 1);
  expect(ledgerOf(items).failures).toMatchObject([{ what: 'Bash (./deploy staging)' }]);
});

describe('the rows within a row of commands', () => {
  test.each<[string, string[]]>([
    ['a && b', ['a', 'b']],
    ['a && b && c', ['a', 'a && b', 'b', 'b && c', 'c']],
    ['git stash && a', ['git stash']],
    ['a', []],
    ['a; b && c', []],
    ['a && b | c', []],
    ['a && "b && c"', []],
    ['a && b # && c', []],
    [`a && ${'b'.repeat(200)}`, []],
    [Array.from({ length: 9 }, () => 'a').join(' && '), []],
  ])('%s', (key, rows) => expect(rowsWithin(key, key)).toEqual(rows));
});

describe('the last outcome of a command', () => {
  test('that runs in surroundings of its own', () => {
    const command = 'nix-shell --run "pytest -q" 2>&1 | tail -40';
    const failed = ran(
      command,
      'FAILED test_a.py::test_sum - AttributeError: no sum\n8 failed, 524 passed in 2.03s',
    );
    expect(ledgerOf(failed)).toMatchObject({
      runs: [{ kind: 'test', outcome: 'failed' }],
      failures: [
        {
          lines: [
            'FAILED test_a.py::test_sum - AttributeError: no sum',
            '8 failed, 524 passed in 2.03s',
          ],
        },
      ],
    });
    expect(ledgerOf([...failed, ...ran(command, '536 passed in 1.95s')])).toMatchObject({
      runs: [{ outcome: 'ok', runs: 2, failures: 1 }],
      failures: [{ cure: { seq: 4 } }],
    });
  });

  test('with how often it ran and failed, the newest command last', () => {
    const items = [
      ...ran('npm test', 'FAIL test/a.test.ts\nError: maxRetries is not defined', 1),
      ...ran('npm run lint', 'no problems'),
      ...ran('cd /w && npm test 2>&1 | tail -5', ' Tests  12 passed (12)'),
    ];
    expect(ledgerOf(items).runs).toEqual([
      {
        seq: 4,
        last_seq: 4,
        command: 'npm run lint',
        kind: 'check',
        runs: 1,
        failures: 0,
        outcome: 'ok',
        line: 'no problems',
      },
      {
        seq: 2,
        last_seq: 6,
        command: 'npm test',
        kind: 'test',
        runs: 2,
        failures: 1,
        outcome: 'ok',
        line: 'Tests 12 passed (12)',
      },
    ]);
  });

  test.each<[string, string, string]>([
    [
      'the first line of Go that fails',
      '[test] $ go test ./...\n# example.com/x\ncmd/a.go:47:38: cannot use content (variable of type string) as []byte value\ncmd/b.go:4:1: undefined: frob',
      'cmd/a.go:47:38: cannot use content (variable of type string) as []byte value',
    ],
    [
      'of pytest',
      '=== test session starts ===\ncollected 3 items\n\nE   AssertionError: assert 344 == 345\ntest_a.py:12: AssertionError\n=== 1 failed, 2 passed in 0.12s ===',
      'E AssertionError: assert 344 == 345',
    ],
    [
      'of the type checker',
      "src/a.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'.",
      "src/a.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'.",
    ],
  ])('%s', (_, output, line) => {
    expect(ledgerOf(ran('npm test', output, 1)).runs[0]).toMatchObject({ outcome: 'failed', line });
  });

  test('a failure that a pipe hides is told from what the run sums up', () => {
    const items = ran(
      'npm test 2>&1 | tail -5',
      'FAIL test/a.test.ts\n Tests  1 failed | 11 passed (12)',
    );
    expect(ledgerOf(items).runs[0]).toMatchObject({
      outcome: 'failed',
      line: 'FAIL test/a.test.ts',
    });
  });

  test('a run that was turned down is none', () => {
    const refused = used(
      'Bash',
      { command: 'npm test' },
      "The user doesn't want to proceed with this tool use. The tool use was rejected.",
      true,
    );
    const why = "The user doesn't want to proceed with this tool use. The tool use was rejected.";
    expect(ledgerOf(refused)).toMatchObject({
      runs: [],
      failures: [{ what: 'Bash (npm test)', lines: [why], is_refused: true, cure: null }],
    });
    expect(ledgerOf([...refused, ...ran('npm test', '3 passed')])).toMatchObject({
      failures: [{ is_refused: true, cure: { files: [] } }],
    });
  });

  test.each([
    [
      'a hook that refused',
      'PreToolUse:Bash hook error: Policy P-12: packages are added by uv add only.',
      'PreToolUse:Bash hook error: Policy P-12: packages are added by uv add only.',
    ],
    [
      'the user, without what Claude Code asks for at that moment',
      "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed.",
      "The user doesn't want to proceed with this tool use. The tool use was rejected.",
    ],
    [
      'a check of the program',
      'Permission for this command was denied by a built-in Claude Code safety check',
      'Permission for this command was denied by a built-in Claude Code safety check',
    ],
  ])('of a call that was refused stands who refused it, and why: %s', (_, told, line) => {
    const items = used('Bash', { command: 'pip install simplejson' }, told, true);
    expect(ledgerOf(items).failures).toMatchObject([{ lines: [line], is_refused: true }]);
  });

  test.each([
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed. Correction to the text above: this call was stopped while running, not refused before it ran. It may have run in part or in full, and its changes may have been written. No permission prompt was involved.",
    '[Tool call did not complete: the turn was ended to deliver the message that follows. Nothing refused it; re-run it if still needed.]',
    'InputValidationError: Bash failed due to the following issue:\nThe required parameter `command` is missing',
  ])('a call that was stopped, or given wrongly, was not refused: %s', (told) => {
    expect(ledgerOf(used('Bash', { command: 'make all' }, told, true)).failures).toEqual([]);
  });

  test.each([
    'denied: requested access to the resource is denied',
    'Permission to read file denied',
  ])('what a server or a system has refused has failed: %s', (told) => {
    const [failure] = ledgerOf(used('Bash', { command: 'docker push -q x' }, told, true)).failures;
    expect(failure).toMatchObject({ lines: [told], cure: null });
    expect(failure?.is_refused).toBeUndefined();
  });

  test('what did not begin any more beside a call that was stopped was not refused', () => {
    const no =
      "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed.";
    const stopped = `${no} Correction to the text above: this call was stopped while running, not refused before it ran.`;
    const answered = (...told: string[]) => {
      const pairs = told.map((text, at) => used('Bash', { command: `make ${at}` }, text, true));
      const [calls = [], results = []] = [0, 1].map((at) =>
        pairs.flatMap((pair) => pair[at]?.parts ?? []),
      );
      return ledgerOf([messageOf('assistant', calls), messageOf('user', results)]).failures;
    };
    expect(answered(stopped, no)).toEqual([]);
    expect(answered(no, stopped)).toEqual([]);
    expect(answered(no, no)).toHaveLength(2);
  });

  test('an error stands without what Claude Code adds of what the tool takes', () => {
    const note =
      'This tool\'s input schema was not in your prompt when you called it. The input schema is: {"type":"object"}\nIf your input does not match this schema, correct it and call the tool again. If it matches, the error above has another cause. If the corrected call fails the same way, call ToolSearch with query "select:mcp__tracker__get_ticket" to load the tool, then call it again.';
    const told = `No ticket TCK-1: it was moved to project LEGACY\n\n${note}`;
    const items = used('mcp__tracker__get_ticket', { id: 'TCK-1' }, told, true);
    expect(ledgerOf(items).failures).toMatchObject([
      { lines: ['No ticket TCK-1: it was moved to project LEGACY'] },
    ]);
  });
});

const edited = (file_path: string) =>
  used(
    'Edit',
    { file_path, old_string: 'a', new_string: 'b' },
    `The file ${file_path} has been updated successfully.`,
  );

describe('failures', () => {
  const failed = ran('npm test', 'Error: maxRetries is not defined', 1);

  test('stand with what was said next', () => {
    const items = [...failed, tells('The constant is never exported.'), tells('Later words.')];
    expect(ledgerOf(items).failures).toEqual([
      {
        seq: 2,
        last_seq: 2,
        what: 'Bash (npm test)',
        key: 'npm test',
        lines: ['Error: maxRetries is not defined'],
        times: 1,
        said: 'The constant is never exported.',
        failed_at: 2,
        cure: null,
      },
    ]);
  });

  const looked = ran('git log -1', 'abc1234 Retry');

  test('not with what was said after another call of something else', () => {
    const said = tells('The branch is clean. Now the docs:');
    expect(ledgerOf([...failed, ...looked, said]).failures).toMatchObject([{ said: '' }]);
    const again = ran('npm test', 'Error: maxRetries is not defined', 1);
    const [own] = ledgerOf([...failed, ...looked, said, ...again, said]).failures;
    expect(own).toMatchObject({ times: 2, said: 'The branch is clean. Now the docs:' });
  });

  test.each([
    ['its program', 'I found it: `bd dep add A B`.', ran('bd unlink', 'Error: unknown', 1)],
    ['its error', 'So maxRetries has to be exported.', failed],
    ['its error in a script without blanks', '因为maxRetries没有导出。', failed],
    ['its error with an ending', 'maxRetries를 내보내야 합니다.', failed],
    [
      'its file',
      'The parser_notes.md of old is gone.',
      used('Read', { file_path: '/w/parser_notes.md' }, 'File does not exist.', true),
    ],
  ])('but with what then names %s', (_, words, items) => {
    const [failure] = ledgerOf([...items, ...looked, tells(words)]).failures;
    expect(failure?.said).toBe(words);
    expect(failure).not.toHaveProperty('is_passed');
  });

  test('nor is a tool that was called with it another one', () => {
    const both = [failed[0], looked[0], failed[1], looked[1]].filter((one) => one !== undefined);
    const said = tells('The branch is clean. Now the docs:');
    const [failure] = ledgerOf([...both, said]).failures;
    expect(failure?.said).toBe('The branch is clean. Now the docs:');
  });

  test('are cured as soon as the same works, by the files changed in between', () => {
    const items = [
      ...edited('/w/before.ts'),
      ...failed,
      ...edited('/w/src/retry.ts'),
      ...edited('/w/src/client.ts'),
      ...ran('npm test', '12 passed'),
      ...edited('/w/after.ts'),
    ];
    expect(ledgerOf(items).failures).toMatchObject([
      { cure: { seq: 10, files: ['/w/src/client.ts', '/w/src/retry.ts'] } },
    ]);
  });

  test('of a call whose few values name nothing are cured by the same values alone', () => {
    const fetches = (input: Json, isError: boolean) =>
      used('mcp_get_live_strategies', input, isError ? 'Error: unreachable' : 'none', isError);
    const failed = fetches({ limit: 20, all: true }, true);
    const curedBy = (input: Json) =>
      ledgerOf([...failed, ...fetches(input, false)]).failures.map(({ cure }) => cure !== null);
    expect(curedBy({ all: true, limit: 20 })).toEqual([true]);
    expect(curedBy({ all: true, limit: 10 })).toEqual([false]);
  });

  test.each([
    ['ExitPlanMode', (plan: string) => ({ plan }), /^ExitPlanMode \(Look\. .{100,140}…\)$/],
    [
      'TodoWrite',
      (content: string) => ({ todos: [{ content, status: 'pending' }] }),
      /^TodoWrite$/,
    ],
    ['update_plan', (step: string) => ({ plan: [{ step, status: 'pending' }] }), /^update_plan$/],
  ])('of a plan are cured by the next that is taken: %s', (name, given, told) => {
    const first = used(name, given(`Look. ${'Then look again. '.repeat(20)}`), 'Not yet.', true);
    const items = [...first, ...used(name, given('Look, then mend.'), 'It is taken.')];
    const { failures } = ledgerOf(items);
    expect(failures).toMatchObject([{ cure: { seq: 4, files: [] } }]);
    expect(failures[0]?.what).toMatch(told);
  });

  test('of a call that nobody knows what it was about are not told as failing still, once it has worked', () => {
    const pays = (from: string, answer: string) =>
      used('update_reservation_flights', { flights: [{ flight: 'HAT078' }], from }, answer);
    const failed = pays('gift_card_1', 'Error: gift card balance is not enough');
    expect(
      ledgerOf([...failed, ...pays('credit_card_2', '{"cabin": "business"}')]).failures,
    ).toEqual([expect.objectContaining({ cure: { seq: 4, files: [], otherwise: 'called' } })]);
    expect(ledgerOf([...failed, ...failed]).failures).toMatchObject([{ cure: null }]);
  });

  test('of a file that was to be created are cured where it was, under its whole path', () => {
    const creates = (filePath: string, answer: string, isError: boolean) =>
      used('create_file', { filePath, content: '# Plan' }, answer, isError);
    const items = [
      ...creates('plan.md', 'Error: use an absolute path', true),
      ...creates('/w/plan.md', 'The following files were successfully edited:\n/w/plan.md', false),
    ];
    expect(ledgerOf(items).failures).toMatchObject([{ cure: { otherwise: 'changed' } }]);
  });

  test('of a part of a plan are not cured by a call for another part', () => {
    const first = used('update_todo', { id: 3, status: 'done' }, 'Error: no todo 3', true);
    const items = [...first, ...used('update_todo', { id: 4, status: 'done' }, 'Updated.')];
    expect(ledgerOf(items).failures).toMatchObject([{ cure: null }]);
  });

  test.each(['browser_tabs', 'browser_snapshot'])(
    'of a call that is given nothing are cured by the same call: %s',
    (name) => {
      const failing = used(name, {}, 'Error: not now', true);
      const [failure] = ledgerOf([...failing, ...used(name, {}, 'Here it is.')]).failures;
      expect(failure).toMatchObject({ what: name, cure: { files: [] } });
      // What it is given may make another call of it.
      const other = ledgerOf([...failing, ...used(name, { depth: 2 }, 'Here it is.')]);
      expect(other.failures).toMatchObject([{ cure: null }]);
      const given = used(name, { depth: 2 }, 'Error: not now', true);
      const { failures } = ledgerOf([...given, ...used(name, {}, 'Here it is.')]);
      expect(failures).toMatchObject([{ cure: null }]);
    },
  );

  test('are cured by none of many files', () => {
    const many = Array.from({ length: 11 }, (_, n) => edited(`/w/src/${n}.ts`)).flat();
    const items = [...failed, ...many, ...ran('npm test', '12 passed')];
    expect(ledgerOf(items).failures).toMatchObject([{ cure: { files: [] } }]);
  });

  test('of an edit are not cured by what the next try at it changes', () => {
    const edit = (text: string, isError: boolean) =>
      used('Edit', { file_path: '/w/a.ts', old_string: 'x', new_string: 'y' }, text, isError);
    const items = [
      ...edit('<tool_use_error>String to replace not found in file.</tool_use_error>', true),
      ...edit('The file /w/a.ts has been updated.', false),
    ];
    expect(ledgerOf(items).failures).toMatchObject([{ cure: { seq: 4, files: [] } }]);
  });

  test('of an edit are not called done by another edit of the same file', () => {
    const edit = (old_string: string, answer: string, hasFailed: boolean) =>
      used('Edit', { file_path: '/w/a.ts', old_string, new_string: 'y' }, answer, hasFailed);
    const items = [
      ...edit(
        'gone',
        '<tool_use_error>String to replace not found in file.</tool_use_error>',
        true,
      ),
      ...edit('there', 'The file /w/a.ts has been updated.', false),
    ];
    const [failure] = ledgerOf(items).failures;
    expect(failure?.cure).toEqual({ seq: 4, files: [], otherwise: 'changed' });
  });

  test.each([
    [
      'a write',
      used(
        'Write',
        { file_path: '/w/src/a.ts', content: 'y' },
        'File created successfully at: /w/src/a.ts',
      ),
    ],
    ['a shell', ran("cat > /w/src/a.ts <<'EOF'\ny\nEOF", '')],
  ])('of an edit are over when the file is changed in another way: %s', (_, changed) => {
    const edit = (path: string) => {
      const input = { file_path: path, old_string: 'x', new_string: 'y' };
      return used(
        'Edit',
        input,
        '<tool_use_error>String to replace not found.</tool_use_error>',
        true,
      );
    };
    const items = [...edit('/w/src/a.ts'), ...edit('/w/src/b.ts'), ...changed];
    expect(ledgerOf(items).failures).toMatchObject([
      { cure: { seq: 6, files: [], otherwise: 'changed' } },
      { cure: null },
    ]);
  });

  test.each([
    ['cargo fmt --check', 'cargo fmt'],
    ['cargo fmt -- --check', 'cargo fmt'],
    ['prettier --check src', 'prettier --write src'],
    ['npx eslint src', 'npx eslint src --fix'],
    ['npx biome check src', 'npx biome check --write src'],
    ['terraform fmt -check', 'terraform fmt'],
    ['black --check .', 'black .'],
    ['gofmt -l .', 'gofmt -w .'],
  ])('of a look are over when the same tool mends it: %s', (look, mend) => {
    const items = [...ran(look, 'src/a.ts:1:1 error: not as it should be', 1), ...ran(mend, '')];
    expect(ledgerOf(items).failures).toMatchObject([{ cure: { otherwise: 'mended' } }]);
    const again = ledgerOf([...items, ...ran(look, '')]).failures;
    expect(again.map(({ cure }) => cure)).toEqual([{ seq: 6, files: [] }]);
  });

  test.each([
    ['npm test', 'npm test -- --fix'],
    ['cargo fmt --check', 'cargo build'],
    ['cargo fmt --check', 'cargo fmt -- --check src/a.rs'],
    ['npx eslint src', 'npx eslint test --fix'],
    ['kubectl apply -f a.yaml', 'kubectl apply'],
  ])('of another one are not: %s', (look, other) => {
    const items = [...ran(look, 'src/a.ts:1:1 error: not as it should be', 1), ...ran(other, '')];
    expect(ledgerOf(items).failures).toMatchObject([{ cure: null }]);
  });

  test('of a command are not over when its file is changed', () => {
    const items = [
      ...ran('write-report src/a.ts', 'Error: no report', 1),
      ...used(
        'Write',
        { file_path: '/w/src/a.ts', content: 'y' },
        'File created successfully at: /w/src/a.ts',
      ),
    ];
    expect(ledgerOf(items).failures).toMatchObject([{ cure: null }]);
  });

  test('of a key that is pressed are not cured when it is pressed again', () => {
    const items = [
      ...ran('C-c', 'ERROR: No previous running command to interact with.', 1),
      ...ran('C-c', '^C', 0),
    ];
    expect(ledgerOf(items).failures).toMatchObject([{ cure: null }]);
  });

  test.each([
    ['behind another command', 'sleep 5 && npm test'],
    ['in front of one', 'npm test && git push'],
    ['behind a folder and variables', 'cd /w && docker compose up -d && npm test 2>&1 | tail -5'],
  ])('are cured where the same works %s', (_, script) => {
    const ledger = ledgerOf([...failed, ...ran(script, '12 passed')]);
    expect(ledger.failures).toMatchObject([{ cure: { seq: 4 } }]);
    const run = ledger.runs.find(({ command }) => command === 'npm test');
    expect(run).toMatchObject({ outcome: 'ok', runs: 2, failures: 1 });
  });

  test.each([
    ['may have been passed over', 'npm run lint || npm test'],
    ['runs in another folder', 'npm run lint && cd ../other && npm test'],
    ['tries other files', 'git stash && npm test && git stash pop'],
    ['is only written down', 'git add -A && git commit -m "Run npm ci && npm test"'],
    ['is longer there', 'sleep 5 && npm test -- one.test.ts'],
  ])('are not cured where the same %s', (_, script) => {
    const ledger = ledgerOf([...failed, ...ran(script, '12 passed')]);
    expect(ledger.failures).toMatchObject([{ cure: null }]);
    expect(ledger.runs[0]).toMatchObject({ command: 'npm test', outcome: 'failed' });
  });

  test.each([
    ['./load.sh && ./send.sh\nls', null],
    ['./load.sh &&\n  ./send.sh', { seq: 4 }],
    ['cd /w\n./load.sh && ./send.sh', { seq: 4 }],
  ])('are cured only in a row that has ended so: %j', (script, cure) => {
    const items = [...ran('./load.sh', 'Error: no such table', 1), ...ran(script, 'x')];
    expect(ledgerOf(items).failures).toMatchObject([{ cure }]);
  });

  test('are not cured where a row of commands fails', () => {
    const again = ran('sleep 5 && npm test', 'FAIL test/b.test.ts', 1);
    expect(ledgerOf([...failed, ...again]).failures[0]).toMatchObject({ cure: null });
  });

  test('are not cured by another command', () => {
    expect(ledgerOf([...failed, ...ran('npm run build', 'ok')]).failures).toMatchObject([
      { cure: null },
    ]);
  });

  test('that come back are open again, and counted', () => {
    const items = [
      ...failed,
      ...ran('npm test', '12 passed'),
      ...ran('npm test', 'Error: maxRetries is not defined', 1),
    ];
    expect(ledgerOf(items).failures).toMatchObject([{ seq: 2, last_seq: 6, times: 2, cure: null }]);
  });

  test('of one command with other words are others', () => {
    const items = [...failed, ...ran('npm test', 'Error: backoff is not a function', 1)];
    expect(ledgerOf(items).failures.map(({ lines }) => lines[0])).toEqual([
      'Error: maxRetries is not defined',
      'Error: backoff is not a function',
    ]);
  });

  test.each([
    ['OpenCode', 'edit', { filePath: '/w/src/plan.md', newString: 'b' }],
    ['Gemini CLI', 'replace', { absolute_path: '/w/src/plan.md', new_string: 'b' }],
    ['Antigravity', 'write_to_file', { TargetFile: '/w/src/plan.md', CodeContent: 'b' }],
    ['a server of MCP', 'create_text_file', { relative_path: 'src/plan.md', content: 'b' }],
  ])('name their file as this program does: %s', (_, tool, input) => {
    const failed = used(tool, input, 'Error: invalid tool call', true);
    const items = [...failed, ...used(tool, input, 'done')];
    expect(ledgerOf(items).failures).toMatchObject([
      { what: `${tool} (src/plan.md)`, cure: { seq: 4, files: [] } },
    ]);
  });

  test('of a tool are cured when it works on the same file', () => {
    const read = (text: string, isError: boolean) =>
      used('Read', { file_path: '/w/src/a.ts' }, text, isError);
    const items = [
      ...read('<tool_use_error>File does not exist.</tool_use_error>', true),
      ...used('Read', { file_path: '/w/src/b.ts' }, '     1→x'),
    ];
    expect(ledgerOf(items).failures).toMatchObject([
      { what: 'Read (src/a.ts)', lines: ['File does not exist.'], cure: null },
    ]);
    expect(ledgerOf([...items, ...read('     1→x', false)]).failures).toMatchObject([
      { cure: { seq: 6, files: [] } },
    ]);
  });
});

test('a search for something else in the same folder cures no other', () => {
  const grep = (pattern: string, text: string, isError: boolean) =>
    used('Grep', { pattern, path: '/w/src' }, text, isError);
  const items = [
    ...grep('a(b', '<tool_use_error>ripgrep error: unclosed group</tool_use_error>', true),
    ...grep('loadConfig', 'Found 1 file\n/w/src/a.ts', false),
  ];
  expect(ledgerOf(items).failures).toMatchObject([{ what: 'Grep (a(b)', cure: null }]);
});

test('how often each tool was called', () => {
  const items = [
    ...ran('ls', 'a'),
    ...ran('cat nowhere.txt', 'cat: nowhere.txt: No such file or directory', 1),
    ...used('Grep', { pattern: 'maxRetries' }, 'Found 1 file\n/w/a.ts'),
  ];
  expect(ledgerOf(items).tools).toEqual([
    { seq: 2, last_seq: 4, name: 'Bash', calls: 2 },
    { seq: 6, last_seq: 6, name: 'Grep', calls: 1 },
  ]);
});

test('a run of Codex that goes on ends with what it says later', () => {
  const items = [
    ...used(
      'exec_command',
      { cmd: 'go test ./...', yield_time_ms: 1_000 },
      'Chunk ID: 68fe8b\nWall time: 1.0016 seconds\nProcess running with session ID 4964\nOriginal token count: 3\nOutput:\nok  \ta\t0.1s\n',
    ),
    ...used(
      'write_stdin',
      { session_id: 4964, chars: '' },
      codex('--- FAIL: TestX (0.00s)\nFAIL\n', 1),
    ),
  ];
  expect(ledgerOf(items).runs).toMatchObject([{ command: 'go test ./...', outcome: 'failed' }]);
});

const LEFT = 'Wall time: 1.0 seconds\nProcess running with session ID 73\nOutput:\n';

test.each([
  ['were terminated', []],
  ['may still be running in the background', [{ id: 'process 73', script: 'npm start' }]],
])('the user has stopped the turn, and processes %s', (how, left) => {
  const stopped = `<turn_aborted>\nThe user interrupted the previous turn on purpose. Any running unified exec processes ${how}. Go on.\n</turn_aborted>`;
  const items = [...used('exec_command', { cmd: 'npm start' }, LEFT), asks(stopped)];
  expect(ledgerOf(items).open_calls).toMatchObject(left);
  expect(ledgerOf(items).open_calls).toHaveLength(left.length);
});

test.each([
  'pkill: Cannot get process list',
  'bash: line 1: pkill: command not found',
  'sh: 1: pkill: not found',
  'zsh:1: command not found: pkill',
])('a command that could not end another has not ended it: %s', (said) => {
  const answer = codex(`${said}\n`, 0);
  const items = [
    ...used('exec_command', { cmd: 'npm install' }, LEFT),
    ...used('exec_command', { cmd: 'pkill -f "npm install" || true' }, answer),
    ...used('write_stdin', { session_id: 73, chars: '' }, LEFT),
  ];
  expect(ledgerOf(items).open_calls).toMatchObject([{ id: 'process 73', script: 'npm install' }]);
});

test('a run of Codex is known by its exit code', () => {
  const items = used(
    'exec_command',
    { cmd: 'go test ./...', workdir: '/w' },
    codex('--- FAIL: TestX', 1),
  );
  expect(ledgerOf(items).runs).toMatchObject([
    { command: 'go test ./...', outcome: 'failed', line: '--- FAIL: TestX' },
  ]);
});

test('a text that PowerShell hands on is not what a command is about', () => {
  const script = "@'\n<template>\n</template>\n'@ | Set-Content src\\a.vue";
  const { failures } = ledgerOf(
    used(
      'shell_command',
      { command: script },
      'Exit code: 1\nWall time: 1 seconds\nOutput:\nSet-Content : Could not find a part of the path',
      true,
    ),
  );
  expect(failures.map(({ what }) => what)).toEqual(['shell_command (Set-Content src\\a.vue)']);
});

test('a script that is run again is named for its run, not for how it was written', () => {
  const write = "cd /w && cat > debug.py << 'EOF'\nimport app\napp.load()\nEOF\npython debug.py";
  const items = [
    ...ran(write, "AttributeError: module 'app' has no attribute 'load'", 1),
    ...ran('cd /w && python debug.py', 'done'),
  ];
  const { failures } = ledgerOf(items);
  expect(failures).toMatchObject([{ what: 'Bash (python debug.py)', cure: { files: [] } }]);
});

test('a script that writes a long text first is the same when it ends later', () => {
  const script = `cat > body.md <<'EOF'\n${'A line of the text.\n'.repeat(100)}EOF\n\ngh pr create --body-file body.md`;
  const left = 'Wall time: 1.0 seconds\nProcess running with session ID 73\nOutput:\n';
  const items = used('exec_command', { cmd: script }, left);
  expect(ledgerOf(items).open_calls).toMatchObject([
    { script: 'gh pr create --body-file body.md' },
  ]);
});

test.each([
  [
    'python3 -c "\nimport serial, time\nser = serial.Serial(\'/dev/cu.usbserial-1130\', 115200)\nprint(ser.read())"',
    "python3 -c \" ser = serial.Serial('/dev/cu.usbserial-1130', 115200)",
  ],
  [
    "environment/bin/python - <<'EOF' 2>/dev/null\nx = 1\nEOF",
    "environment/bin/python - <<'EOF' 2>/dev/null",
  ],
  [
    "environment/bin/python - <<'EOF'\nimport inspect\n\ns = str(inspect.signature(pheatmap))\nEOF",
    "environment/bin/python - <<'EOF' s = str(inspect.signature(pheatmap))",
  ],
  [
    'srun --time=00:15:00 --mem=16G \\\n  environment/bin/python work/inspect.py',
    'srun --time=00:15:00 --mem=16G environment/bin/python work/inspect.py',
  ],
  ['S=/private/tmp/scratchpad\nzsh $S/mutate.sh', 'zsh $S/mutate.sh'],
  ['S="/tmp/a b" zsh mutate.sh', 'S="/tmp/a b" zsh mutate.sh'],
])('a failed script is named by what it is about: %s', (command, what) => {
  const [failure] = ledgerOf(ran(command, 'ValueError: it is not there', 1)).failures;
  expect(failure?.what).toBe(`Bash (${what})`);
});
