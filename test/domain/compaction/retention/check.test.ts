import { describe, expect, it } from 'vitest';
import { fitting, partOf } from '../../../../src/domain/compaction/retention/fact-lines.ts';
import { type MustKeep, mustKeep } from '../../../../src/domain/compaction/retention/must-keep.ts';
import { retentionReport } from '../../../../src/domain/compaction/retention/report.ts';
import { standingIn } from '../../../../src/domain/compaction/retention/stands.ts';
import { appendToSummary } from '../../../../src/domain/compaction/summary.ts';
import { ledgersOfItems } from '../../../support/ledgers.ts';
import { asks, ran, tells, used } from '../../../support/log-items.ts';

const words = (text: string): MustKeep => ({
  kind: 'constraint',
  text,
  weight: 4,
  sought: { by: 'words', words: text },
});
const file = (path: string, ...any: string[]): MustKeep => ({
  kind: 'change',
  text: path,
  weight: 2,
  sought: { by: 'names', all: [path], any },
});
const exact = (letters: string): MustKeep => ({
  kind: 'artifact',
  text: letters,
  weight: 1,
  sought: { by: 'letters', letters },
});

describe('whether a fact stands in a text', () => {
  const rule = words('Always write tests before shipping features');
  it.each<[string, MustKeep, string, boolean]>([
    ['the same words', rule, 'Always write tests before shipping features.', true],
    // always, write, tests, before, shipping, features: five of six are more than 0.8.
    ['five of six words', rule, 'The user: ALWAYS write tests before shipping', true],
    ['four of six words', rule, 'always write tests before', false],
    ['on two lines', rule, 'always write tests\nbefore shipping features', false],
    [
      'with a stretch between',
      rule,
      `always write tests${' x'.repeat(600)} before shipping features`,
      false,
    ],
    ['short words, all of them', words('use npm ci'), 'we use npm here', false],
    ['short words, there', words('use npm ci'), 'we use `npm ci`', true],
    ['signs without spaces', words('必须使用中文回答'), '用户要求：必须使用中文回答问题', true],
    ['other signs', words('必须使用中文回答'), '用户的问题', false],
    ['a file by its base name', file('/repo/src/store.ts'), 'changed store.ts', true],
    ['a file without what came into it', file('/repo/src/store.ts', 'flushAll'), 'store.ts', false],
    [
      'a file with one of them',
      file('/r/store.ts', 'flushAll', 'sync'),
      'store.ts: flushAll',
      true,
    ],
    ['a path with blanks', file('/r/my notes.txt'), 'see /r/my notes.txt', true],
    ['an exact value', exact('https://a.example/x'), 'at https://a.example/x.', true],
    ['another value', exact('9f3c2ab'), '9f3c2aa', false],
    ['nothing to look for', words('🙂'), '', true],
  ])('%s', (_, fact, text, stands) => {
    expect(standingIn(text, [fact]).has(fact)).toBe(stands);
  });

  it('a megabyte takes no time that grows with the length of a line', () => {
    const started = process.cpuUsage().user;
    standingIn('always '.repeat(150_000), [rule, file('a.ts'), exact('x')]);
    standingIn('a'.repeat(1_000_000), [rule]);
    expect((process.cpuUsage().user - started) / 1000).toBeLessThan(3_000);
  });
});

describe('what has to be kept', () => {
  const items = [
    asks('Build a parser for the log format of the gateway'),
    asks('From now on, always write comments in English.'),
    ...used(
      'Edit',
      { file_path: '/repo/src/parse.ts', old_string: 'a', new_string: 'function parseHeader() {}' },
      'ok',
    ),
    ...ran('npm test', '1 failed\nTypeError: header is undefined', 1),
    tells('The header is undefined in the test.'),
  ];

  it('is the weightiest first, each kind of it', () => {
    const facts = mustKeep(ledgersOfItems(items));
    const kinds = new Set(facts.map(({ kind }) => kind));
    expect([...kinds].toSorted()).toEqual(
      expect.arrayContaining(['change', 'constraint', 'error', 'request', 'run']),
    );
    const weights = facts.map(({ weight }) => weight);
    expect(weights).toEqual(weights.toSorted((a, b) => b - a));
    // Said in item 2 of 7: 4 × (1 + 2/7) × 1.
    const rule = facts.find(({ kind }) => kind === 'constraint');
    expect(rule?.text).toBe(
      'User, standing instruction: From now on, always write comments in English.',
    );
    expect(rule?.weight).toBeCloseTo(4 * (1 + 2 / 7));
    // Changed once, in item 3 or with its result in item 4.
    expect(facts.find(({ kind }) => kind === 'change')?.text).toContain('parseHeader');
  });

  it('leaves out what was cured, superseded, or said after the cut', () => {
    const cured = [...items, ...ran('npm test', '1 passed')];
    const kindsAt = (cut: number) => mustKeep(ledgersOfItems(cured, cut)).map(({ kind }) => kind);
    expect(kindsAt(cured.length)).not.toContain('error');
    expect(kindsAt(1)).not.toContain('constraint');
    expect(kindsAt(2)).toContain('constraint');
    expect(kindsAt(2)).not.toContain('change');
  });

  it('is bounded, whatever the log holds', () => {
    const many = Array.from({ length: 250 }, (_, n) => [
      asks(`From now on, always keep rule number ${n} of the long list`),
      ...used('Write', { file_path: `/repo/f${n}.ts`, content: `const name${n} = 1` }, 'ok'),
    ]).flat();
    expect(mustKeep(ledgersOfItems(many)).length).toBeLessThanOrEqual(192);
  });
});

describe('the report', () => {
  it('weighs what is kept', () => {
    const facts = [words('one'), words('two'), file('a.ts'), exact('x'.repeat(300))];
    const kept = new Set(facts.slice(1, 3));
    // (4 + 2) / (4 + 4 + 2 + 1)
    expect(retentionReport(facts, kept)).toEqual({
      share: 0.5455,
      put_back: 0,
      kinds: [
        { kind: 'constraint', total: 2, kept: 1, share: 0.5, missing: ['one'] },
        { kind: 'change', total: 1, kept: 1, share: 1, missing: [] },
        { kind: 'artifact', total: 1, kept: 0, share: 0, missing: [`${'x'.repeat(159)}…`] },
      ],
    });
    expect(retentionReport([], new Set())).toEqual({ share: 1, put_back: 0, kinds: [] });
  });

  it('names five that are missing, of any number', () => {
    const facts = Array.from({ length: 9 }, (_, n) => words(`fact${n}`));
    expect(retentionReport(facts, new Set()).kinds[0]?.missing).toHaveLength(5);
  });
});

describe('the facts that fit', () => {
  const count = (text: string) => text.length;
  it.each([
    // The title and its line take 5, a fact of three letters 6.
    [4, []],
    [11, ['aaa']],
    [17, ['aaa', 'bbb']],
  ])('in %i', (room, expected) => {
    const facts = [words('aaa'), words('much too long for any of them'), words('bbb')];
    const chosen = fitting(facts, '# T', room + 0, count);
    expect(chosen.map(({ text }) => text)).toEqual(expected);
    if (chosen.length > 0) expect(partOf('# T', chosen).length).toBeLessThanOrEqual(room);
  });
});

it.each([
  ['without tags', 'It is so.', 'It is so.\n\nPART'],
  ['in the tags', '<summary>So.</summary>', '<summary>So.\n\nPART\n</summary>'],
  [
    'after an analysis',
    '<analysis>a</analysis><summary>So.\n</summary>',
    '<analysis>a</analysis><summary>So.\n\nPART\n</summary>',
  ],
  ['in tags that nobody closed', '<summary>So.', '<summary>So.\n\nPART\n'],
])('a part is added at the end of a summary: %s', (_, text, expected) => {
  expect(appendToSummary(text, 'PART')).toBe(expected);
});
