import { describe, expect, test } from 'vitest';
import type { Normalised } from '../../../src/domain/items/item.ts';
import type { Json } from '../../../src/domain/json.ts';
import { advanceLedger } from '../../../src/domain/ledger/advance.ts';
import { EMPTY_LEDGER, type Ledger, ledgerSchema } from '../../../src/domain/ledger/ledger.ts';
import { cpuMs } from '../../support/cpu-time.ts';
import { asks, ledgerOf, ran, tells, used } from '../../support/log-items.ts';
import { atScale } from '../../support/scale.ts';

/** So many words that have nothing in common with those of another number. */
const words = (n: number) => Array.from({ length: 4 }, (_, place) => `word${n}x${place}`).join(' ');
const many = (length: number, make: (n: number) => Normalised[]): Normalised[] =>
  Array.from({ length }, (_, n) => make(n)).flat();

type Lists = {
  [Kind in keyof Ledger]: Ledger[Kind] extends unknown[] ? Kind : never;
}[keyof Ledger];

/** What is made, how many are kept at most, and under which name those that gave way are counted. */
const KINDS: [Lists, number, keyof Ledger['condensed'], number, (n: number) => Normalised[]][] = [
  ['requests', 600, 'request', 800, (n) => [asks(`Write page ${n} about ${words(n)}.`)]],
  ['constraints', 200, 'constraint', 250, (n) => [asks(`Always keep ${words(n)} as it is.`)]],
  ['conclusions', 160, 'finding', 220, (n) => [tells(`It fails because of ${words(n)}.`)]],
  ['files', 400, 'change', 500, (n) => used('Read', { file_path: `/w/${n}.ts` }, '     1→x')],
  ['runs', 80, 'run', 100, (n) => ran(`npm test -- ${n}`, '1 passed')],
  ['failures', 120, 'error', 160, (n) => ran(`cat a${n}`, `cat: a${n}: No such file`, 1)],
  ['artifacts', 160, 'artifact', 300, (n) => [tells(`See https://example.com/page/${n} there.`)]],
  ['names', 1_500, 'name', 1_900, (n) => [tells(`I look at loadConfig${n} now.`)]],
];

describe.each(KINDS)('%s', (kind, most, condensed, length, make) => {
  const items = many(length, make);

  test('are bounded, and what gave way is counted', () => {
    const ledger = ledgerOf(items);
    const kept = ledger[kind].length;
    expect(kept).toBeLessThanOrEqual(most);
    expect(kept).toBeGreaterThan(most / 3);
    expect(ledger.condensed[condensed]).toBe(length - kept);
  });

  test('also when they come one after the other', () => {
    let ledger = EMPTY_LEDGER;
    const step = Math.ceil(items.length / 8 / 2) * 2;
    for (let from = 0; from < items.length; from += step) {
      ledger = ledgerOf(items.slice(from, from + step), ledger);
      expect(ledger[kind].length).toBeLessThanOrEqual(most);
    }
    expect(ledger.condensed[condensed]).toBe(length - ledger[kind].length);
  });
});

describe('lists of which nobody counts what gave way', () => {
  test.each<[Lists, number, (n: number) => Normalised[]]>([
    ['open_calls', 40, (n) => used('Bash', { command: `sleep ${n}` }, null)],
    ['tools', 100, (n) => used(`mcp__server__tool${n}`, {}, 'ok')],
  ])('%s', (kind, most, make) => {
    const kept = ledgerOf(many(150, make))[kind].length;
    expect(kept).toBeLessThanOrEqual(most);
    expect(kept).toBeGreaterThan(most / 2);
  });

  test('calls without a result are counted as well', () => {
    const { condensed, open_calls } = ledgerOf(
      many(150, (n) => used('Bash', { command: `sleep ${n}` }, null)),
    );
    expect(condensed.open).toBe(150 - open_calls.length);
  });
});

describe('what stays when not all can', () => {
  test('of requests the first, the newest half, and every second one of the older half', () => {
    const { requests } = ledgerOf(many(601, (n) => [asks(`Write page ${n}.`)]));
    const places = requests.map(({ seq }) => seq - 1);
    expect(places).toEqual(
      Array.from({ length: 601 }, (_, place) => place).filter((n) => n >= 301 || n % 2 === 0),
    );
  });

  test('of constraints those that hold for good', () => {
    const rules = many(10, (n) => [asks(`Always keep ${words(n)} as it is.`)]);
    const others = many(210, (n) => [asks(`The field ${words(n + 100)} must be there.`)]);
    const { constraints } = ledgerOf([...rules, ...others]);
    expect(constraints.filter(({ is_standing }) => is_standing)).toHaveLength(10);
  });

  test('of files those that were changed', () => {
    const edit = used(
      'Write',
      { file_path: '/w/own.ts', content: 'x' },
      'File created successfully',
    );
    const reads = many(500, (n) => used('Read', { file_path: `/w/${n}.ts` }, '     1→x'));
    expect(ledgerOf([...edit, ...reads]).files[0]?.path).toBe('/w/own.ts');
  });

  test('of failures those that are still open', () => {
    const open = ran('cat first', 'cat: first: No such file', 1);
    const cured = many(130, (n) => [
      ...ran(`cat a${n}`, `cat: a${n}: No such file`, 1),
      ...ran(`cat a${n}`, 'x'),
    ]);
    expect(ledgerOf([...open, ...cured]).failures[0]?.what).toBe('Bash (cat first)');
  });

  test.each<[Lists, number, (n: number) => Normalised[]]>([
    ['requests', 900, (n) => [asks(`Write page ${n}.`)]],
    ['conclusions', 300, (n) => [tells(`It fails because of ${words(n)}.`)]],
    ['runs', 160, (n) => ran(`npm test -- ${n % 80}`, '1 passed')],
  ])('%s are the same however the log is cut', (kind, length, make) => {
    const items = many(length, make);
    const inTenths = Array.from({ length: 10 }, (_, tenth) =>
      items.slice((tenth * items.length) / 10, ((tenth + 1) * items.length) / 10),
    ).reduce((ledger, piece) => ledgerOf(piece, ledger), EMPTY_LEDGER);
    expect(inTenths[kind]).toEqual(ledgerOf(items)[kind]);
  });
});

/** Characters of one text: a megabyte where there is time. */
const SIZE = atScale({ brief: 60_000, short: 1_000_000, long: 1_000_000 });
const deep = (depth: number): Json => {
  let json: Json = 'loadConfig';
  for (let level = 0; level < depth; level++) json = level % 2 === 0 ? [json] : { next: json };
  return json;
};
const HUGE: [string, string][] = [
  ...[
    ['one line', 'a'],
    ['one line of words', 'lorem ipsum '],
    ['many lines', 'Error: it fails\n'],
    ['a long path', '/folder'],
    ['fences', '```\n'],
    ['brackets', '[{"a":'],
    ['numbered proposals', '1. Keep it.\n'],
  ].map(([name = '', unit = '']): [string, string] => [
    name,
    unit.repeat(Math.ceil(SIZE / unit.length)),
  ]),
  ['many rules', linesUpTo(SIZE, (n) => `Always keep ${words(n)}.`)],
  ['many names', linesUpTo(SIZE, (n) => `loadConfig${n}`)],
];

function linesUpTo(size: number, make: (n: number) => string): string {
  const lines: string[] = [];
  for (let length = 0; length < size; length += (lines.at(-1)?.length ?? 0) + 1) {
    lines.push(make(lines.length));
  }
  return lines.join('\n');
}

describe('a ledger stays small, whatever is said', () => {
  test.each(HUGE)('%s', (_, text) => {
    const items = [
      asks(text),
      tells(text),
      asks('yes'),
      ...ran(text, text, 1),
      ...used(
        'Edit',
        { file_path: text, old_string: 'a', new_string: text },
        'The file has been updated.',
      ),
      ...used('Write', { file_path: '/w/a.ts', content: text }, 'File created successfully'),
      ...used('Read', { file_path: '/w/b.ts' }, text),
      ...used('TodoWrite', { todos: [{ content: text, status: 'pending' }] }, 'ok'),
      ...used('ExitPlanMode', { plan: text }, 'User has approved your plan.'),
      ...used(text, { path: text, query: text }, text, true),
      ...used('Bash', { command: text }, null),
    ];
    const ledger = ledgerOf(items);
    expect(ledgerSchema.parse(ledger)).toEqual(ledger);
    expect(JSON.stringify(ledger).length).toBeLessThan(400_000);
  });

  test('input of any depth', () => {
    const ledger = ledgerOf(used('mcp__server__tool', deep(20_000), 'ok'));
    expect(ledger.names.map(({ name }) => name)).toContain('loadConfig');
  });

  test('every list full of the longest texts', () => {
    const long = (n: number) => `${words(n)} ${'long '.repeat(170)}`;
    const items = many(610, (n) => [
      asks(`Write page ${n}: ${long(n)}`),
      tells(`It fails because of loadConfig${n}, since ${long(n)}`.slice(0, 390)),
      ...ran(`npm test -- ${long(n)}`, `Error: ${long(n)}`, 1),
      ...used(
        'Write',
        {
          file_path: `/w/${'folder/'.repeat(20)}file${n}.ts`,
          content: Array.from(
            { length: 40 },
            (_, m) => `const aVeryLongNameOf${n}Of${m} = 1;`,
          ).join('\n'),
        },
        'File created successfully',
      ),
    ]);
    expect(JSON.stringify(ledgerOf(items)).length).toBeLessThan(1_500_000);
  });
});

/** What is over in this time is over in time, however its time grows. */
const NO_MATTER_MS = 300;

/** Others use the machine: only what is slow each time is. */
function isSlow(run: (size: number) => unknown, size: number): boolean {
  const timeOf = (length: number) => {
    const started = cpuMs();
    run(length);
    return cpuMs() - started;
  };
  return [0, 1, 2].every(() => {
    const twice = timeOf(2 * size);
    return twice > NO_MATTER_MS && twice / timeOf(size) >= 3;
  });
}

test.each<[string, (n: number) => Normalised[]]>([
  ['messages', (n) => [asks(`Write page ${n}.`)]],
  ['long messages', (n) => [asks(`Write page ${n} ${'with many words in it '.repeat(40)}`)]],
  ['reads', (n) => used('Read', { file_path: `/w/${n}.ts` }, '     1→x')],
  [
    'edits of one file',
    (n) =>
      used(
        'Write',
        { file_path: '/w/a.ts', content: `const aName${n} = 1;` },
        'File created successfully',
      ),
  ],
  ['runs', (n) => ran(`npm test -- ${n}`, '1 passed')],
  ['artifacts', (n) => [tells(`See https://example.com/page/${n} there.`)]],
  ['tools', (n) => used(`mcp__server__tool${n}`, {}, 'ok')],
  ['open calls', (n) => used('Bash', { command: `sleep ${n}` }, null)],
])('twice as many %s cost about twice as much', (_, make) => {
  const fold = (size: number) =>
    advanceLedger(
      EMPTY_LEDGER,
      many(size, make).map((item, index) => ({ seq: index + 1, item })),
    );
  expect(isSlow(fold, atScale({ brief: 800, short: 4_000, long: 10_000 }))).toBe(false);
});

test('a message has as many lines as it likes, in front of a block and between prompts', () => {
  const many = 'a\n'.repeat(200_000);
  const text = `Always use tabs.\n${many}\`\`\`\n\`\`\`\na@b:~$ ls\n\n${many}\na@b:~$ ls\n`;
  expect(ledgerOf([asks(text)]).constraints.map(({ text }) => text)).toEqual(['Always use tabs.']);
});
