import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { digestOf, type Result } from '../../../src/domain/digests/digest.ts';
import { profileConfig } from '../../../src/domain/policy/profiles.ts';
import { estimator } from '../../../src/domain/tokens/count.ts';
import { expectTrue, readDigest } from '../../support/check-digest.ts';

const count = estimator(profileConfig('default', 200_000));

type About = Partial<Omit<Result, 'text'>> & {
  known?: string;
  used?: string[];
  tokens?: number;
  most?: number;
};

function digestIf(text: string, about: About = {}): string | null {
  const { tool = 'Bash', path = null, isFailed = false, known = '', used = [] } = about;
  const names = { known, isUsed: (key: string) => used.includes(key) };
  const result = { text, tool, path, isFailed };
  const { most } = about;
  const terms = { tokens: about.tokens ?? count(text), ...(most === undefined ? {} : { most }) };
  return digestOf(result, { ...terms, count, names });
}

/** A digest that keeps its promises. */
function digest(text: string, about: About = {}): string {
  const found = digestIf(text, about) ?? expect.unreachable('there is no digest');
  expectTrue(found, text);
  expect(count(found)).toBeLessThanOrEqual(count(text) / 4);
  return found;
}

const many = <T>(length: number, of: (index: number) => T): T[] =>
  Array.from({ length }, (_, index) => of(index));
const joined = (...parts: (string | string[])[]) => parts.flat().join('\n');

const DOTS = many(50, (index) => `. . . ${index % 10} . . .`);
const CODE = many(30, (n) => [
  `export function stepNumber${n}(input: string): number {`,
  `  const length${n} = input.trim().length;`,
  '  // Nothing of note.',
  `  return length${n} + ${n};`,
  '}',
  '',
]).flat();
const LOG = joined(
  many(60, (n) => `2026-03-01T10:00:${10 + (n % 50)}Z INFO request ${n} handled in ${n * 3} ms`),
  '2026-03-01T10:02:00Z WARN pool is nearly full',
  '2026-03-01T10:02:01Z ERROR connection to db-7 refused',
  many(40, (n) => `2026-03-01T10:03:${10 + n}Z INFO request ${100 + n} handled in ${n} ms`),
);
const TESTS = joined(
  many(40, (n) => ` ✓ test/part-${n}.test.ts (${n} tests) ${n}ms`),
  ' FAIL  test/session.test.ts > a session > is closed twice',
  'AssertionError: expected 2 to be 1',
  many(30, (n) => ` ✓ test/more-${n}.test.ts (${n} tests) ${n}ms`),
  ' Test Files  1 failed | 70 passed (71)',
);
const ROWS = many(40, (id) => ({ id, name: `user_${id}`, state: id === 17 ? 'locked' : 'active' }));
const DIFF = joined(
  'diff --git a/src/store.ts b/src/store.ts',
  '--- a/src/store.ts',
  '+++ b/src/store.ts',
  '@@ -10,6 +10,20 @@ export class Store {',
  many(20, (n) => `+    this.added${n} = true;`),
  '-  oldName(): void {',
  '+  newName(): void {',
  'diff --git a/docs/store.md b/docs/store.md',
  '--- a/docs/store.md',
  '+++ b/docs/store.md',
  '@@ -1,2 +1,2 @@',
  '-The old store.',
  '+The new store.',
  many(20, () => ' Words that stay as they are, on many lines.'),
);
const FOUND = joined(
  many(30, (n) => `src/app/append.ts:${n + 1}:  const value${n} = readSettings(input);`),
  many(10, (n) => `test/app.test.ts:${n + 5}:  expect(readSettings(${n})).toBe(${n});`),
);
const LISTED = joined(
  many(30, (n) => `/home/ada/shop/src/domain/rule-${n}.ts`),
  many(10, (n) => `/home/ada/shop/docs/page-${n}.md`),
);
const COMPILED = [
  'Compiling app v0.1.0',
  'error[E0308]: mismatched types',
  ' --> src/lib.rs:1:74',
  ...Array.from({ length: 30 }, (_, at) => `${at} | let value${at} = sums.of(${at});`),
  'error[E0308]: mismatched types',
  ' --> src/lib.rs:9:12',
  ...Array.from({ length: 30 }, (_, at) => `${at} | let other${at} = sums.of(${at});`),
  'error: could not compile `app` (lib) due to 2 previous errors',
].join('\n');
const SELECTED = [
  ' region  |  revenue',
  '---------+-----------',
  ...Array.from({ length: 90 }, (_, at) => ` r${at}     |      ${10_000 - at}`),
  '(90 rows)',
].join('\n');
const PODS = [
  'NAME         READY   STATUS             RESTARTS   AGE',
  ...Array.from({ length: 60 }, (_, at) =>
    at === 44
      ? `api-${at}       0/1     CrashLoopBackOff   17         2d3h`
      : `api-${at}       1/1     Running            0          2d3h`,
  ),
].join('\n');
const TABLE = joined(
  'name\tsize\tstate',
  many(60, (n) => `disk-${n}\t${n * 7} GB\thealthy`),
  'disk-60\t1 GB\tfailing',
);
const PAGE = joined(
  '<!doctype html>',
  '<html><head><title>Opening hours</title><style>p { color: red }</style></head><body>',
  many(20, (n) => `<div class="row row-${n}"><p>On day ${n} of the month we are open.</p></div>`),
  '<h2>How to find us</h2><a href="/map">Map</a><script>track("page");</script></body></html>',
);
const PROSE = joined(
  '# The harbour',
  many(40, (n) => `The ship number ${n} came in with the tide and left again before the night.`),
  '## What is left',
  'In the end nobody knew where the harbour had been.',
);

describe('a text in colours', () => {
  const ESC = '\u001b';
  const inColours = (line: string) =>
    line.startsWith(' ✓')
      ? `${ESC}[32m${line}${ESC}[39m`
      : `${ESC}[41m${ESC}[1m${line}${ESC}[22m${ESC}[49m`;

  it('says the same as without them', () => {
    const coloured = TESTS.split('\n').map(inColours).join('\n');
    // Neither the program nor an exit code says that the run has failed.
    const found = digestIf(coloured);
    expect(found).toBe(digestIf(TESTS, { tokens: count(coloured) }));
    expectTrue(found ?? '', TESTS);
    expect(found).toMatch(/^41: FAIL /m);
    expect(found).toMatch(/^42:AssertionError: expected 2 to be 1$/m);
  });

  it('is of the kind that it is without them', () => {
    const diff = many(30, (n) => DIFF.replaceAll('store', `store-${n}`)).join('\n');
    const coloured = diff.replaceAll(/^[-+@d].*$/gm, `${ESC}[36m$&${ESC}[m`);
    expect(digestIf(coloured)?.split(';')[0]).toBe(digestIf(diff)?.split(';')[0]);
  });
});

test.each([
  ['2026-03-01 10:05:00 错误 数据库连接失败:连接超时 10.0.3.7'],
  ['2026-03-01 10:05:00 エラー: データベースに接続できません'],
  ['2026-03-01 10:05:00 Ошибка: нет соединения с базой данных'],
])('an error in a log is told in any language: %s', (error) => {
  const line = (n: number) => `2026-03-01 10:0${n % 5}:${10 + (n % 50)} - ${n} ms`;
  expect(digest(joined(many(60, line), error, many(60, line)))).toContain(`\n61:${error}`);
});

describe('what a result was', () => {
  it.each<[string, string, About, string, string[], RegExp[]]>([
    [
      'code',
      joined(CODE),
      { tool: 'Read', path: 'src/steps.ts' },
      'code, 30 definitions',
      [],
      [/^\d+:export function stepNumber\d+\(/m, /^\[\d+-\d+ left out\]$/m],
    ],
    [
      'a log',
      LOG,
      {},
      'output',
      [],
      [
        /^61:.*WARN pool/m,
        /^62:.*ERROR connection/m,
        /^\d+:.* INFO request .*\n\[99 lines like it, up to 102\]$/m,
      ],
    ],
    [
      'tests',
      TESTS,
      { isFailed: true },
      'output of tests',
      [],
      [/^41: FAIL /m, /^42:AssertionError: expected 2 to be 1$/m, /^73: Test Files {2}1 failed/m],
    ],
    [
      'tests that pass',
      joined(many(50, (n) => `test part_${n} ... ok`)),
      {},
      'output of tests',
      ['Outcomes by line: ... ok 50'],
      [],
    ],
    [
      'JSON on many lines',
      JSON.stringify({ total: 40, rows: ROWS }, null, 2),
      {},
      'JSON, an object with 2 keys',
      [
        'Keys: total, rows (array of 40)',
        'Elements of rows: 40, keys: id, name, state',
        'state: "active" 39, "locked" 1',
      ],
      [/"name": "user_17"/, /"name": "user_0"/],
    ],
    [
      'JSON on one line',
      JSON.stringify(ROWS),
      {},
      'JSON, an array of 40',
      ['Elements: 40, keys: id, name, state'],
      [/^1:.*"id":17,"name":"user_17","state":"locked"/m, /^1:.*user_39/m],
    ],
    [
      'JSON lines',
      joined(ROWS.map((row) => JSON.stringify(row))),
      {},
      '40 values of JSON',
      ['Values: 40, keys: id, name, state'],
      [/^18:\{"id":17,/m],
    ],
    [
      'JSON that was cut off',
      JSON.stringify(ROWS).slice(0, -30),
      {},
      'JSON, an array of 40, cut off at its end',
      [],
      [],
    ],
    [
      'a diff',
      DIFF,
      {},
      'a diff of 2 files, 2 hunks',
      ['Changed: src/store.ts +21 -1, docs/store.md +1 -1'],
      [/^\d+:@@ -10,6 \+10,20 @@ export class Store \{$/m],
    ],
    [
      'what a search found',
      FOUND,
      { tool: 'Grep', known: 'readSettings' },
      'search results, 40 lines in 2 files',
      ['Found: src/app/append.ts 30, test/app.test.ts 10'],
      [/^\d+:src\/app\/append\.ts:\d+: {2}const value/m],
    ],
    [
      'a listing',
      LISTED,
      { tool: 'Glob' },
      'a listing, 40 entries',
      ['Endings: .ts 30, .md 10'],
      [
        /^\[\/home\/ada\/shop\/src\/domain\/, 30 entries: rule-0\.ts, rule-1\.ts, .+ and \d+ more\]$/m,
      ],
    ],
    [
      'a table',
      TABLE,
      {},
      'a table, 62 rows, 3 columns on most',
      [],
      [/^1:name\tsize\tstate$/m, /^62:disk-60\t1 GB\tfailing$/m],
    ],
    [
      'what a compiler says, with its places, however alike it is',
      COMPILED,
      { isFailed: true },
      'output',
      [],
      [/^3: --> src\/lib\.rs:1:74$/m, /^\d+: --> src\/lib\.rs:9:12$/m],
    ],
    [
      'a table with times in its third column',
      joined(
        'name\tcity\tseen\tstate',
        many(60, (n) => `n${n}\tc${n % 7}\t2026-02-25T15:05:10.${100 + n}Z\tdone`),
      ),
      {},
      'a table, 61 rows, 4 columns on most',
      [],
      [/^1:name\tcity\tseen\tstate$/m],
    ],
    [
      'a table of a database',
      SELECTED,
      {},
      'a table, 91 rows, 2 columns on most',
      [],
      [/^1: region {2}\| {2}revenue$/m, /^92: r89 +\| +9911$/m, /^93:\(90 rows\)$/m],
    ],
    [
      'a table that blanks divide',
      PODS,
      {},
      'a table, 61 rows, 5 columns on most',
      [],
      [/^1:NAME {9}READY {3}STATUS/m, /^\d+:api-44 .+CrashLoopBackOff/m],
    ],
    [
      'a page of HTML',
      PAGE,
      { tool: 'WebFetch' },
      'text of HTML, 2 headings, 1 link',
      [],
      [
        /^2:Opening hours$/m,
        /^23:How to find us$/m,
        /^\d+:On day \d+ of the month we are open\.$/m,
      ],
    ],
    [
      'base64',
      `iVBORw0KGgo${'aGVsbG8gd29ybGQhIQ'.repeat(100)}==`,
      {},
      'base64 data, begins as a PNG image',
      [],
      [/^\[Digest: .*1 of 1 line left out\]$/],
    ],
    [
      'prose',
      PROSE,
      { tool: 'Read', path: 'docs/harbour.md' },
      'text, 2 headings',
      [],
      [/^1:# The harbour$/m, /^43:In the end nobody/m, /^42:## What is left$/m],
    ],
  ])('%s', (_, text, about, what, notes, parts) => {
    const found = digest(text, about);
    const [head, ...others] = readDigest(found).notes;
    expect(head).toMatch(new RegExp(`^Digest: ${what.replaceAll(/[.[\]()]/g, '\\$&')}; `));
    expect(others).toEqual(expect.arrayContaining(notes));
    for (const part of parts) expect(found).toMatch(part);
  });

  test('quotes nothing that a script or a style of a page says', () => {
    expect(digest(PAGE, { tool: 'WebFetch' })).not.toMatch(/track\(|color: red/);
  });

  test('counts lines that are alike by what they share', () => {
    const found = digest(LOG);
    const quote = /^(\d+):(.* INFO .*)\n\[(\d+) lines like it, up to (\d+)\]$/m.exec(found);
    const alike = LOG.split('\n').flatMap((line, at) => (line.includes(' INFO ') ? [at + 1] : []));
    expect(quote?.slice(3).map(Number)).toEqual([alike.length - 1, alike.at(-1)]);
  });
});

describe('what is quoted', () => {
  const words = many(
    200,
    (n) => `line ${n} of the output says nameNumber${n} and no more than that`,
  );

  it('is preferred where the agent has written the name since', () => {
    const numbers = (used: string[]) => readDigest(digest(joined(words), { used })).quoted;
    const left = words.findIndex((_, at) => !numbers([]).has(at + 1));
    expect(numbers([`nameNumber${left}`]).has(left + 1)).toBe(true);
  });

  it('is not what the call says itself', () => {
    const text = joined(
      many(100, (n) => (n % 2 ? `known_name_${n} here` : `other_name_${n} is here`)),
    );
    const known = many(100, (n) => `known_name_${n}`).join(' ');
    const { quoted } = readDigest(digest(text, { known }));
    const [knows, others] = ['known', 'other'].map(
      (start) => [...quoted.values()].flat().filter((line) => line.startsWith(start)).length,
    );
    // At the beginning and the end stand some anyhow.
    expect(knows).toBeLessThanOrEqual(3);
    expect(others).toBeGreaterThan(10);
  });

  it('is what a failed run says first, last and by the beginning of a line, before the rest that it says', () => {
    const denied = many(60, (n) => `access number ${n} was denied to it`);
    const text = joined(denied, 'panic: this is the reason', words, 'so it ended');
    const { quoted } = readDigest(
      digest(`${text.slice(0, 5_000)}\nso it ended`, { isFailed: true }),
    );
    expect([quoted.has(1), quoted.has(61)]).toEqual([true, true]);
    expect([...quoted.values()].flat()).toContain('so it ended');
    expect(denied.filter((_, at) => quoted.has(at + 1)).length).toBeLessThan(10);
  });

  it.each([
    ['of a run that failed', true, ['it was denied']],
    ['of one that did not', false, []],
  ])('are the lines that tell a failure by a mere word, %s', (_, isFailed, expected) => {
    const text = joined(words, 'it was denied', words, 'so it ended', DOTS);
    const { quoted } = readDigest(digest(text, { isFailed }));
    const all = [...quoted.values()].flat();
    expect(['it was denied'].filter((line) => all.includes(line))).toEqual(expected);
  });

  describe('of a failure that takes more than a quarter', () => {
    const reasons = many(
      5,
      (n) =>
        `src/steps/part-${n}.go:${n}:21: cannot use stepNumber${n} as ${'a value of '.repeat(9)}`,
    );
    const text = joined(
      many(8, (n) => `ok part-${n} 0.0${n}s`),
      reasons,
      DOTS,
      DOTS,
      'FAIL',
    );

    it.each<[string, About]>([
      ['a run that failed', { isFailed: true }],
      ['a run in a pipe, of which only its last line says so', {}],
    ])('are all its lines, up to three quarters: %s', (_, about) => {
      const found = digestIf(text, about) ?? expect.unreachable('there is no digest');
      expectTrue(found, text);
      for (const reason of reasons) expect(found).toContain(reason);
      expect(count(found)).toBeLessThanOrEqual(count(text) * 0.75);
      expect(count(found)).toBeGreaterThan(count(text) / 4);
    });

    it('are not those of a run that counts all its tests as passed', () => {
      const logged = reasons.map((line) => line.replace(/^\S+/, 'error:'));
      const end = (failed: number) =>
        joined(' 12 pass', ` ${failed} fail`, 'Ran 12 tests across 2 files. [3.00ms]');
      digest(joined(logged, DOTS, DOTS, end(0)));
      const failed = joined(logged, DOTS, DOTS, end(1));
      expect(count(digestIf(failed) ?? '')).toBeGreaterThan(count(failed) / 4);
    });

    it('are not those of a file that is shown', () => {
      digest(text, { tool: 'Read', path: 'notes/build.txt' });
    });

    it('are no more of them than three quarters of the result hold', () => {
      const short = joined(
        reasons,
        reasons.map((line) => line.replace('cannot', 'could not')),
        'FAIL',
      );
      const found = digestIf(short, { isFailed: true }) ?? expect.unreachable('no digest');
      expectTrue(found, short);
      expect(count(found)).toBeLessThanOrEqual(count(short) * 0.75);
    });
  });

  it('is which tests have failed, each of them, and not only how the first of them did', () => {
    const failed = (n: number) => [
      `--- FAIL: TestStep${n} (0.0${n}s)`,
      `    steps_test.go:${10 + n}: `,
      `        \tError Trace:\t/w/steps/steps_test.go:${10 + n}`,
      `        \tError:      \tNot equal: step ${n}`,
      `        \t            \texpected: ${n}`,
      `        \t            \tactual  : ${n + 1}`,
      `        \tTest:       \tTestStep${n}`,
    ];
    const text = joined(
      many(12, failed).flat(),
      'FAIL',
      'FAIL\texample.org/steps\t0.204s',
      'ok  \texample.org/walks\t0.020s',
      'FAIL',
    );
    const found = digestIf(text) ?? expect.unreachable('there is no digest');
    expectTrue(found, text);
    for (let n = 0; n < 12; n++) expect(found).toContain(`--- FAIL: TestStep${n} (`);
    expect(found).toContain('FAIL\texample.org/steps\t0.204s');
  });

  describe('of a job of GitHub Actions that has failed', () => {
    const at = (second: number) => `2026-02-25T15:05:${10 + second}.6435028Z`;
    const log = (before: string) =>
      [
        `\uFEFF${at(0)} ##[group]Run check_health`,
        ...many(
          14,
          (n) => `${at(1)} \u001b[36;1mecho "check ${n} failed after $MOST attempts"\u001b[0m`,
        ),
        `${at(1)} shell: /usr/bin/bash -e {0}`,
        `${at(1)} ##[endgroup]`,
        ...many(6, (n) => `${at(n)} Attempt ${n} of 6...`),
        `${at(20)} health check failed: HTTP 502`,
        `${at(20)} ##[error]Process completed with exit code 1.`,
      ]
        .map((line) => `${before}${line}`)
        .join('\n');

    it.each([
      ['as the CLI prints it', 'deploy\tHealth check (api-server, eu-west)\t'],
      ['as the API sends it', ''],
    ])('are its errors, and not what a step was told to do: %s', (_, before) => {
      const found = digest(log(before));
      expect(found).toMatch(/^\[Digest: output;/);
      expect(found).toContain('health check failed: HTTP 502');
      expect(found).toContain('##[error]Process completed with exit code 1.');
      expect(found).not.toContain('$MOST');
    });

    it('are its errors where a search has left out the ends of its steps', () => {
      const begun = `${at(1)} ##[group]Run `;
      const found = digest(
        joined(
          `${begun}check_health`,
          `${begun}report_health`,
          many(40, (n) => `${at(2)} Attempt ${n} of 40 at the health of it all...`),
          `${at(3)} health check failed: HTTP 502`,
          `${at(3)} command: check_health met an error`,
          `${at(3)} ##[error]Process completed with exit code 1.`,
        ),
      );
      expect(found).toContain('health check failed: HTTP 502');
      expect(found).toContain('command: check_health met an error');
      expect(found).toContain('##[error]Process completed with exit code 1.');
    });
  });

  it('is what a run of tests says it failed by, before what passing tests have logged', () => {
    const logged = many(12, (n) => [
      `stderr | test/fetch-${n}.test.ts > falls back when download ${n} fails`,
      `Fallback ${n}: failed to update the list. Error: server ${n} is down`,
      `    at fetchList (/w/node_modules/runner/chunk-${n}.js:${n}:10)`,
      `     ✓ rejects the unknown code ${n} 2ms`,
    ]).flat();
    const found = digest(
      joined(
        'Exit code 1',
        logged,
        '     × names the unknown code 5ms',
        ' FAIL  test/labels.test.ts > names the unknown code',
        "AssertionError: expected 'A' to be 'a' // Object.is equality",
        DOTS,
        ' Test Files  1 failed | 7 passed (8)',
      ),
      { isFailed: true, most: 150 },
    );
    expect(found).toMatch(/^50: {5}× names the unknown code 5ms$/m);
    expect(found).toMatch(/^51: FAIL {2}test\/labels\.test\.ts > names the unknown code$/m);
    expect(found).toMatch(/^52:AssertionError: expected 'A' to be 'a'/m);
  });

  it('is the whole of a line of up to 1,000 characters that tells a failure', () => {
    const told = (length: number) =>
      `request ${'with some words '.repeat(length / 16)}was denied, ${'and went on '.repeat(20)}so`;
    const found = (line: string) => digest(joined(words, line, words), { isFailed: true });
    expect(found(told(600))).toContain(`201:${told(600)}`);
    expect(found(told(1_600))).not.toContain(told(1_600));
    expect(found(told(1_600))).toContain('was denied');
  });

  it.each([
    '##[error]Process completed with exit code 1.',
    'error TS2345: Argument of type X',
    'src/a.ts:12:5: error: expected ;',
    'ERROR in ./src/index.js',
    '--- FAIL: TestThing (0.00s)',
    'E   assert 1 == 2',
    'Traceback (most recent call last):',
    'ValueError: no such thing',
    'panic: runtime error',
    'npm ERR! code 1',
    '2026-01-01 10:00:00 ERROR it broke',
  ])('is %s, wherever it stands and however the run ended', (line) => {
    expect(digest(joined(words, line, words))).toContain(`201:${line}`);
  });

  it('is no word of the program around the output', () => {
    const wrapper =
      'Chunk ID: ab12cd3\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:';
    expect(digest(joined(wrapper, words))).not.toContain('Chunk ID');
  });

  it('is how the program says that a run failed', () => {
    const wrapper = 'Wall time: 0.1 seconds\nProcess exited with code 2\nOutput:';
    expect(digest(joined(wrapper, words), { isFailed: true })).toContain(
      '2:Process exited with code 2',
    );
  });

  it('is, of a text without names, its beginning and its end', () => {
    const text = joined(DOTS, 'the middle', DOTS);
    const { quoted } = readDigest(digest(text));
    expect([quoted.has(1), quoted.has(2), quoted.has(51), quoted.has(101)]).toEqual([
      true,
      true,
      false,
      true,
    ]);
  });

  it('is a part of a long line, which ends behind a word', () => {
    const text = many(300, (n) => `word${n}_of_it`).join(' ');
    const { quoted } = readDigest(digest(text));
    for (const part of quoted.get(1) ?? []) expect(` ${text} `).toContain(` ${part} `);
  });

  it('keeps the ends of lines out', () => {
    expect(digest(words.join('\r\n'))).not.toContain('\r');
  });
});

describe('no digest', () => {
  it.each<[string, string, About]>([
    ['of less than 200 tokens', 'name_a '.repeat(113), {}],
    ['of what counts less than 200 tokens now', 'name_a '.repeat(400), { tokens: 199 }],
    ['of a digest', `[Digest: text; 1 of 2 lines left out]\n${'name_a '.repeat(400)}`, {}],
    ['of nothing', '', { tokens: 4_000 }],
  ])('%s', (_, text, about) => {
    expect(digestIf(text, about)).toBeNull();
  });

  it('is longer than a quarter of what the result takes now', () => {
    const text = joined(CODE);
    const found = digest(text, { tokens: 300 });
    expect(count(found)).toBeLessThanOrEqual(75);
    expect(count(digest(text))).toBeGreaterThan(0.2 * count(text));
  });

  it('is longer than it may be', () => {
    const text = joined(CODE);
    for (const most of [60, 200, 500]) {
      const tokens = count(digestIf(text, { most }) ?? expect.unreachable('no digest'));
      expect(tokens).toBeLessThanOrEqual(most);
      expect(tokens).toBeGreaterThan(0.8 * most);
    }
    expect(digestIf(text, { most: 20 })).toBeNull();
  });

  it('is longer than 6,000 tokens', () => {
    const text = joined(many(20_000, (n) => `line ${n} says nameNumber${n} and no more than that`));
    const tokens = count(digest(text));
    expect(tokens).toBeLessThanOrEqual(6_000);
    expect(tokens).toBeGreaterThan(5_000);
  });
});

test('of a very long text the beginning and the end are looked at, and it says so', () => {
  const line = (n: number) => `2026-03-01T10:00:00Z INFO thing_${n} happened`;
  const found = digest(joined(many(60_000, line)));
  expect(found).toMatch(/; \d+-\d+ not looked at, nor counted in\]/);
  expect(Math.max(...readDigest(found).quoted.keys())).toBeGreaterThan(59_000);
});

test('the page on concepts shows a digest as it is written', () => {
  const page = readFileSync(new URL('../../../docs/concepts.md', import.meta.url), 'utf8');
  const shown = page.split('```').find((block) => block.trim().startsWith('[Digest: '));
  expect(shown?.trim()).toBe(digest(TESTS, { isFailed: true }));
});

test('what a name in a text holds begins no line of ours', () => {
  // A reader of JSON that is not strict takes such names.
  const rows = ROWS.map((row) =>
    JSON.stringify({ ...row, 'x"y': 1 }).replace('x\\"y', 'x]\n[40 passed'),
  );
  const text = `[${rows.join(',\n')}]`;
  const found = digestIf(text) ?? expect.unreachable('there is no digest');
  expect(found).toContain('x] [40 passed');
  expect(found.split('\n').filter((line) => line.startsWith('[40 passed'))).toEqual([]);
});
