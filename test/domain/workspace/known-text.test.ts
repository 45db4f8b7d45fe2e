import { describe, expect, it } from 'vitest';
import { Effort } from '../../../src/domain/workspace/effort.ts';
import {
  appended,
  inserted,
  type KnownText,
  merged,
  replaced,
  textWhenWhole,
  wholeText,
} from '../../../src/domain/workspace/known-text.ts';

/** Blocks as `[first, text]`, and the number of lines. */
const known = (total: number | null, ...blocks: [number, string][]): KnownText => ({
  blocks: blocks.map(([first, text]) => ({ first, text })),
  total,
});

describe('lines that are seen one part after the other', () => {
  it.each<[string, KnownText, KnownText, KnownText | null]>([
    ['side by side', known(null, [1, 'a\nb']), known(null, [3, 'c']), known(null, [1, 'a\nb\nc'])],
    [
      'over each other',
      known(null, [1, 'a\nb']),
      known(null, [2, 'b\nc']),
      known(null, [1, 'a\nb\nc']),
    ],
    ['inside', known(null, [1, 'a\nb\nc']), known(null, [2, 'b']), known(null, [1, 'a\nb\nc'])],
    ['apart', known(null, [9, 'z']), known(null, [1, 'a']), known(null, [1, 'a'], [9, 'z'])],
    ['with the end', known(null, [1, 'a']), known(2, [2, 'b']), known(2, [1, 'a\nb'])],
    ['that disagree', known(null, [1, 'a\nb']), known(null, [2, 'x']), null],
    ['of another length', known(3, [1, 'a']), known(4, [2, 'b']), null],
    ['after the end', known(2, [1, 'a\nb']), known(null, [3, 'c']), null],
  ])('%s', (_, before, seen, after) => {
    expect(merged(before, seen, new Effort())).toEqual(after);
  });

  it('are whole only from the first line to the known last one', () => {
    expect(textWhenWhole(wholeText('a\nb\n'))).toBe('a\nb\n');
    expect(textWhenWhole(known(null, [1, 'a']))).toBeNull();
    expect(textWhenWhole(known(3, [1, 'a\nb']))).toBeNull();
    expect(textWhenWhole(known(2, [2, 'b']))).toBeNull();
  });
});

describe('an edit replayed', () => {
  const edit = (text: KnownText, from: string, to: string, all = false) =>
    replaced(text, { from, to, all }, new Effort());

  it.each<[string, KnownText | null, KnownText | null]>([
    ['in a whole text', edit(wholeText('a\nb\n'), 'b', 'c\nd'), known(4, [1, 'a\nc\nd\n'])],
    ['over lines', edit(wholeText('a\nb\n'), 'a\nb', 'c'), known(2, [1, 'c\n'])],
    ['with signs of a pattern', edit(wholeText('f(x)'), 'f(x)', '$&'), known(1, [1, '$&'])],
    ['everywhere', edit(wholeText('x x'), 'x', 'y', true), known(1, [1, 'y y'])],
    [
      'in a part, which moves what follows',
      edit(known(9, [3, 'a'], [7, 'z']), 'a', 'b\nc'),
      known(10, [3, 'b\nc'], [8, 'z']),
    ],
    [
      'everywhere in a part, line by line',
      edit(known(null, [3, 'x'], [7, 'x']), 'x', 'y', true),
      known(null, [3, 'y'], [7, 'y']),
    ],
    ['not where the text is not known', edit(known(null, [3, 'a']), 'z', 'b'), null],
    ['not where it occurs twice', edit(wholeText('x x'), 'x', 'y'), null],
    [
      'not everywhere when unknown lines may move',
      edit(known(null, [3, 'x']), 'x', 'y\nz', true),
      null,
    ],
    ['not of nothing', edit(wholeText('a'), '', 'b'), null],
  ])('%s', (_, after, expected) => expect(after).toEqual(expected));

  it('is given up when the effort is spent', () => {
    expect(
      replaced(wholeText('abc'), { from: 'a', to: 'b', all: false }, new Effort(3)),
    ).toBeNull();
  });
});

describe('lines put in', () => {
  const insert = (text: KnownText, after: number, lines: string) =>
    inserted(text, after, lines, new Effort());

  it.each<[string, KnownText | null, KnownText]>([
    ['at the start', insert(wholeText('a\n'), 0, 'x\n'), known(3, [1, 'x\na\n'])],
    ['after a line', insert(wholeText('a\nb\n'), 1, 'x'), known(4, [1, 'a\nx\nb\n'])],
    ['before a known part', insert(known(9, [3, 'c']), 1, 'x\ny'), known(11, [5, 'c'])],
    ['after a known part', insert(known(9, [3, 'c']), 5, 'x'), known(10, [3, 'c'])],
    ['at the end', appended(wholeText('a\n'), 'b\n', new Effort()), known(3, [1, 'a\nb\n'])],
    [
      'at an end that is not known',
      appended(known(null, [1, 'a']), 'b', new Effort()),
      known(null, [1, 'a']),
    ],
  ])('%s', (_, after, expected) => expect(after).toEqual(expected));
});
