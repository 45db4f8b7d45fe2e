import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyOf } from '../../src/domain/word-patterns.ts';

const PATTERNS = [
  /\b(?:nie|künftig|bevorzug\p{L}*)(?!\p{L})/iu,
  /(?:^|[^\p{L}])(?:asla|luôn)(?!\p{L})/iu,
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

test('finds what the patterns find, whatever the text is written with', () => {
  const words = [
    'nie',
    'NIE',
    'künftig',
    'bevorzugt',
    'asla',
    'luôn',
    'a',
    'é',
    '\u017f',
    '\u212a',
    ' ',
    '-',
    '1',
    '_',
  ];
  const find = anyOf(PATTERNS);
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...words), { maxLength: 8 }), (parts) => {
      const text = parts.join('');
      expect(find(text)).toBe(PATTERNS.some((pattern) => pattern.test(text)));
    }),
  );
});
