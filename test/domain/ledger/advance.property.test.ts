import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FORMATS } from '../../../src/domain/items/codecs.ts';
import type { Normalised } from '../../../src/domain/items/item.ts';
import { pairedParts } from '../../../src/domain/items/pairing.ts';
import { advanceLedger, type LedgerItem } from '../../../src/domain/ledger/advance.ts';
import { EMPTY_LEDGER, type Ledger, ledgerSchema } from '../../../src/domain/ledger/ledger.ts';
import { historyArbitrary, wellFormedArbitrary } from '../../support/generators.ts';
import { asks, normalised, ran, tells, used } from '../../support/log-items.ts';
import { atScale } from '../../support/scale.ts';
import { codex } from '../../support/tool-calls.ts';

const numbered = (items: readonly Normalised[], from = 1): LedgerItem[] =>
  items.map((item, index) => ({ seq: from + index, item }));

const fold = (items: readonly LedgerItem[]): Ledger => advanceLedger(EMPTY_LEDGER, items);

const stored = (ledger: Ledger): Ledger => ledgerSchema.parse(JSON.parse(JSON.stringify(ledger)));

/**
 * Places at which no call of the items stands on one side and its result on the other, and before which
 * no call is open that only what follows shows to be answered: compactions cut before an open call.
 */
function cutsOf(items: readonly LedgerItem[]): number[] {
  const spans: [number, number][] = [];
  const first = new Map<string, number>();
  for (const [at, { item }] of items.entries()) {
    for (const part of item.kind === 'message' ? item.parts : []) {
      if (part.kind !== 'tool_call' && part.kind !== 'tool_result') continue;
      const id = part.kind === 'tool_call' ? part.id : part.call_id;
      const start = first.get(id);
      if (start === undefined) first.set(id, at);
      else spans.push([start, at]);
    }
  }
  const partners = (to: number) => pairedParts(items.slice(0, to).map(({ item }) => item));
  const whole = partners(items.length);
  const isSettled = (at: number) =>
    partners(at).every(({ partner }, place) => partner === whole[place]?.partner);
  const places = Array.from({ length: items.length + 1 }, (_, at) => at);
  return places.filter((at) => spans.every(([from, to]) => at <= from || at > to) && isSettled(at));
}

/** Groups of items as agents write them, with words in which each kind of fact is said. */
const sentence = fc.constantFrom(
  'Always write money as whole cents.',
  'Never touch the folder dist.',
  'The build must work without network.',
  'We use `pino` instead of console.log in src/log.ts.',
  'It fails because loadConfig caches the path of settings.json.',
  '1. Keep it.\n2. Replace it.\nWhich one shall I take?',
  '2',
  'yes',
  'See https://example.com/orders, it takes 250 ms on port 8080 since 1.4.2.',
  'Next I will write src/export.ts.',
  'Was it only the first page?',
);
const words = fc.oneof(sentence, fc.lorem({ maxCount: 8 }), fc.string({ maxLength: 40 }));
const path = fc.constantFrom(
  '/w/src/a.ts',
  '/w/src/b.ts',
  'src/a.ts',
  '/w/c.py',
  '/w/src/dir/a.ts',
);
const content = fc.constantFrom(
  'export const firstName = 1;',
  'export const secondName = 2;',
  'callIt();',
  '',
);
const command = fc.constantFrom(
  ...[
    'npm test',
    'cd /w && npm test | tail -5',
    'go build ./...',
    'rg -n loadConfig',
    'cat src/a.ts',
  ],
  ...[
    'rm src/b.ts',
    'git mv src/a.ts src/b.ts',
    "sed -i 's/firstName/lastName/' /w/src/a.ts",
    'cd src',
  ],
);
const output = fc.constantFrom(
  'Error: loadConfig is not defined',
  'FAIL a.test.ts\nTests 1 failed',
  '12 passed',
  'export const firstName = 1;',
  '',
);
const group: fc.Arbitrary<Normalised[]> = fc.oneof(
  words.map((text) => [asks(text)]),
  words.map((text) => [tells(text)]),
  fc.tuple(command, output, fc.constantFrom(0, 1)).map(([run, text, code]) => ran(run, text, code)),
  fc
    .tuple(command, output, fc.constantFrom(0, 1))
    .map(([cmd, text, code]) => used('exec_command', { cmd }, codex(text, code))),
  fc
    .tuple(command, output, fc.constantFrom(0, 1))
    .map(([run, text, code]) => [
      tells(`THOUGHT: go on\n\n\`\`\`bash\n${run}\n\`\`\``),
      asks(`<returncode>${code}</returncode>\n<output>\n${text}\n</output>`),
    ]),
  fc
    .tuple(path, content, content)
    .map(([file_path, old_string, new_string]) =>
      used(
        'Edit',
        { file_path, old_string, new_string },
        'The file has been updated successfully.',
      ),
    ),
  fc
    .tuple(path, content)
    .map(([file_path, text]) =>
      used('Write', { file_path, content: text }, `File created successfully at: ${file_path}`),
    ),
  fc.tuple(path, content).map(([file_path, text]) => used('Read', { file_path }, text)),
  fc
    .array(fc.constantFrom('pending', 'in_progress', 'completed'), { minLength: 1, maxLength: 3 })
    .map((list) =>
      used(
        'TodoWrite',
        { todos: list.map((status, place) => ({ content: `Step ${place}`, status })) },
        'Todos have been modified successfully.',
      ),
    ),
  fc
    .nat({ max: 3 })
    .map((n) =>
      used(
        'TaskCreate',
        { subject: `Task ${n}`, description: '' },
        `Task #${n} created successfully: Task ${n}`,
      ),
    ),
  fc
    .tuple(fc.nat({ max: 3 }), fc.constantFrom('in_progress', 'completed'))
    .map(([n, status]) =>
      used('TaskUpdate', { taskId: String(n), status }, `Updated task #${n} status`),
    ),
);

describe('a ledger that is advanced in pieces is that of the whole', () => {
  const RUNS = atScale({ brief: 48, short: 300, long: 3_000 });

  const isSame = (items: LedgerItem[], picks: number[]) => {
    const cuts = cutsOf(items);
    const at = picks.map((pick) => cuts[pick % cuts.length] ?? 0).toSorted((a, b) => a - b);
    let ledger = EMPTY_LEDGER;
    for (const [index, from] of [0, ...at].entries()) {
      ledger = stored(advanceLedger(ledger, items.slice(from, at[index] ?? items.length)));
    }
    expect(ledger).toEqual(fold(items));
  };

  test('for what agents do', () => {
    fc.assert(
      fc.property(
        fc.array(group, { maxLength: 25 }),
        fc.array(fc.nat({ max: 1_000 }), { minLength: 1, maxLength: 10 }),
        (groups, picks) => isSame(numbered(groups.flat()), picks),
      ),
      { numRuns: RUNS },
    );
  });

  test.each(FORMATS)('for conversations in the format %s', (format) => {
    fc.assert(
      fc.property(
        wellFormedArbitrary(format),
        fc.array(fc.nat({ max: 1_000 }), { minLength: 1, maxLength: 4 }),
        (items, picks) => isSame(numbered(normalised(format, items)), picks),
      ),
      { numRuns: RUNS / 4 },
    );
  });

  test.each(FORMATS)('for damaged histories in the format %s', (format) => {
    fc.assert(
      fc.property(
        historyArbitrary(format),
        fc.array(fc.nat({ max: 1_000 }), { minLength: 1, maxLength: 4 }),
        (items, picks) => isSame(numbered(normalised(format, items)), picks),
      ),
      { numRuns: RUNS / 4 },
    );
  });
});

const list = (kind: 'todo', text: string): Normalised[] => [
  { kind: 'attachment', attachment: kind, text, is_empty: text === '' },
];
const created = (n: number, subject: string) =>
  used('TaskCreate', { subject, description: '' }, `Task #${n} created successfully: ${subject}`);
const updated = (n: number, status: string) =>
  used('TaskUpdate', { taskId: String(n), status }, `Updated task #${n} status`);

test('the folder that a shell was left in is known to the next piece', () => {
  const items = [
    asks('<environment_context>\n  <cwd>/w</cwd>\n</environment_context>'),
    ...ran('cd lib', ''),
    ...ran('cat x.rb', 'x = 1'),
  ];
  const first = stored(fold(numbered(items.slice(0, 3))));
  const both = advanceLedger(first, numbered(items.slice(3), 4));
  expect(both.files.map(({ path }) => path)).toEqual(['/w/lib/x.rb']);
});

describe('lists of todos that are stored in between', () => {
  const inTwo = (before: readonly Normalised[], after: readonly Normalised[]) => {
    const first = stored(fold(numbered(before)));
    return advanceLedger(first, numbered(after, first.through + 1));
  };

  test.each<[string, Normalised[], Normalised[]]>([
    ['a task that is done', [...created(1, 'Look'), ...created(2, 'Act')], updated(1, 'completed')],
    [
      'a task that was in work',
      [...created(1, 'Look'), ...updated(1, 'in_progress')],
      created(2, 'Act'),
    ],
    [
      'a change of one todo by its id, as Cursor writes it',
      used(
        'todo_write',
        {
          merge: false,
          todos: [
            { id: 'a', content: 'Look', status: 'in_progress' },
            { id: 'b', content: 'Act', status: 'pending' },
          ],
        },
        'Successfully updated TODOs.',
      ),
      used(
        'todo_write',
        { merge: true, todos: [{ id: 'a', content: 'Look', status: 'completed' }] },
        'Successfully updated TODOs.',
      ),
    ],
  ])('%s', (_, before, after) => {
    expect(inTwo(before, after)).toEqual(fold(numbered([...before, ...after])));
  });

  test.each<[string, Normalised[], Normalised[]]>([
    [
      'a list without todos',
      used('TodoWrite', { todos: [] }, 'Todos have been modified successfully.'),
      updated(1, 'completed'),
    ],
    [
      'a list of which the last task was deleted',
      [...created(1, 'Look'), ...updated(1, 'deleted')],
      updated(1, 'completed'),
    ],
    ['a list in words, and a new task', list('todo', '- [ ] Look'), created(1, 'Act')],
    [
      'a list in words, and a change of a task',
      list('todo', '- [ ] Look'),
      updated(1, 'completed'),
    ],
  ])('%s', (_, before, after) => {
    expect(inTwo(before, after)).toEqual(fold(numbered([...before, ...after])));
  });
});

test.each(FORMATS)('the same items give the same ledger, which has its own shape: %s', (format) => {
  fc.assert(
    fc.property(historyArbitrary(format), (items) => {
      const log = numbered(normalised(format, items));
      const before = structuredClone(log);
      const ledger = fold(log);
      expect(ledgerSchema.parse(ledger)).toEqual(ledger);
      expect(fold(log)).toEqual(ledger);
      expect(log).toEqual(before);
      expect(ledger).toMatchObject({ items: items.length, through: items.length });
    }),
    { numRuns: atScale({ brief: 12, short: 200, long: 2_000 }) },
  );
});

test('a ledger is never changed: the next one is another', () => {
  fc.assert(
    fc.property(fc.array(group, { maxLength: 12 }), fc.array(group, { maxLength: 12 }), (a, b) => {
      const first = fold(numbered(a.flat()));
      const before = structuredClone(first);
      advanceLedger(first, numbered(b.flat(), first.through + 1));
      expect(first).toEqual(before);
    }),
    { numRuns: 15 },
  );
});

test('every fact stands at a place of the log', () => {
  fc.assert(
    fc.property(fc.array(group, { maxLength: 25 }), (groups) => {
      const log = numbered(groups.flat());
      const ledger = fold(log);
      const facts = [
        ...[ledger.requests, ledger.constraints, ledger.conclusions, ledger.files, ledger.runs],
        ...[ledger.failures, ledger.open_calls, ledger.artifacts, ledger.tools, ledger.said],
      ].flat();
      for (const { seq, last_seq } of facts) {
        expect(seq).toBeGreaterThanOrEqual(1);
        expect(last_seq).toBeGreaterThanOrEqual(seq);
        expect(last_seq).toBeLessThanOrEqual(log.length);
      }
    }),
    { numRuns: 20 },
  );
});
