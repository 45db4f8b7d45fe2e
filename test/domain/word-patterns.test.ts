import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyOf, withoutAny } from '../../src/domain/word-patterns.ts';

const PATTERNS = [
  /\b(?:nie|künftig|bevorzug\p{L}*)(?!\p{L})/iu,
  /(?:^|[^\p{L}])(?:asla|luôn)(?!\p{L})/iu,
  /(?<!\p{L})(?:всегда|以后)(?!\p{L})/iu,
  /(?<!\p{L})a(?![\p{L}\d])/iu,
];

test.each([
  ['Nie wieder', true],
  ['niemand', false],
  ['KÜNFTIG so', true],
  ['bevorzugte Farbe', true],
  ['Das ist ASLA', true],
  ['basla', false],
  ['bé asla', true],
  ['asl\u017fa', false],
])('%s', (text, isFound) => expect(anyOf(PATTERNS)(text)).toBe(isFound));

const WORDS = [
  'nie',
  'NIE',
  'künftig',
  'bevorzugt',
  'asla',
  'luôn',
  'ВСЕГДА',
  '以后',
  'a',
  'é',
  '\u017f',
  '\u212a',
  ' ',
  '-',
  '1',
  '_',
];
const textArbitrary = fc
  .array(fc.constantFrom(...WORDS), { maxLength: 8 })
  .map((parts) => parts.join(''));

test('finds what the patterns find, whatever the text is written with', () => {
  const find = anyOf(PATTERNS);
  fc.assert(
    fc.property(textArbitrary, (text) => {
      expect(find(text)).toBe(PATTERNS.some((pattern) => pattern.test(text)));
    }),
  );
});

test('takes out what the patterns match, whatever the text is written with', () => {
  const all = new RegExp(PATTERNS.map(({ source }) => source).join('|'), 'giu');
  const lower = (text: string) => text.toLowerCase().replaceAll('\u017f', 's');
  const without = withoutAny(PATTERNS);
  fc.assert(
    fc.property(textArbitrary, (text) => {
      expect(without(text)).toBe(lower(text.replace(all, ' ')));
    }),
  );
});
