import { RE2JS } from 're2js';
import { expect, it } from 'vitest';
import { expressionSize } from '../../../src/domain/search/expression-size.ts';
import { cpuMs } from '../../support/cpu-time.ts';

it.each([
  ['E_[A-Z]+_[0-9]+', 7],
  ['a|b', 3],
  ['(?i)(?:ab){10}', 41],
  ['(?:(?:a{10}){10}){10}', 1_220],
  ['(?P<name>.){7}', 21],
  ['a{2,5}', 8],
  ['a{3,}', 3],
  ['a{900}?', 901],
  // No repetitions, whatever it looks like.
  ['\\Qa{1000}\\E', 11],
  ['[a{1000}]', 1],
  ['[]{1000}]', 1],
  ['\\{1000}', 6],
  ['a{,5}', 5],
  // Of one character each.
  ['\\x{10FFFF}{5}', 5],
  ['\\p{Greek}\\pL[[:alpha:]\\]]{3}', 5],
])('expects of %s about as many instructions as %i', (source, size) => {
  expect(expressionSize(source)).toBe(size);
});

it.each([
  '(?:a?){600}b',
  '(a{1,30}){1,30}b',
  '(?:.{0,30}){30}z',
  '(.*a.{300})(.*a.{300})(.*a.{300})',
  `(?:${'(.?)'.repeat(5)}){100}`,
])('is near to what %s comes to', (source) => {
  const size = RE2JS.compile(source).programSize();
  expect(expressionSize(source)).toBeGreaterThan(0.9 * size);
  expect(expressionSize(source)).toBeLessThan(2.5 * size);
});

it.each(['(', ')', ')))(((', '[', '{', '{1', 'a{1', '\\', '\\Q', '\\p', '\\p{', '(?', '(?P<', '*'])(
  'reads %s, which is none, without trouble',
  (source) => {
    expect(expressionSize(source)).toBeGreaterThanOrEqual(0);
  },
);

it.each(['[', '[:', '[[:', '[:a', '(?<', '\\p{'])(
  'reads many %s that nothing closes in no time',
  (part) => {
    const started = cpuMs();
    expressionSize(part.repeat(800));
    expect(cpuMs() - started).toBeLessThan(200);
  },
);
