import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { withoutEncodedData } from '../../src/domain/encoded-data.ts';
import { cpuMs } from '../support/cpu-time.ts';

describe('encoded data in a text', () => {
  test.each([
    ['nothing', '', ''],
    ['a run of 199 characters stays', 'a'.repeat(199), 'a'.repeat(199)],
    ['one of 200 goes', 'a'.repeat(200), '[encoded data]'],
    ['wherever it stands', `see ${'Zm9v+/=_-'.repeat(40)} end`, 'see [encoded data] end'],
    [
      'as do several with a sign between',
      `${'a'.repeat(250)} ${'b'.repeat(199)} ${'c'.repeat(600)}!`,
      `[encoded data] ${'b'.repeat(199)} [encoded data]!`,
    ],
    ['letters of other scripts are of no run', 'é'.repeat(300), 'é'.repeat(300)],
  ])('%s', (_, text, expected) => {
    expect(withoutEncodedData(text)).toBe(expected);
  });

  test('what goes are the longest runs, whatever the text', () => {
    const piece = fc.oneof(
      fc.integer({ min: 0, max: 450 }).map((length) => 'Qk9-'.repeat(length).slice(0, length)),
      fc.constantFrom(' ', '\n', '.', '…', 'ā', '\ud83d\ude00'),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('');
        expect(withoutEncodedData(text)).toBe(
          text.replace(/[A-Za-z0-9+/=_-]{200,}/g, '[encoded data]'),
        );
      }),
    );
  });

  test('a text of a million characters with runs just too short is read in a moment', () => {
    const text = `${'a'.repeat(199)} `.repeat(5_000);
    const started = cpuMs();
    expect(withoutEncodedData(text)).toBe(text);
    expect(cpuMs() - started).toBeLessThan(200);
  });
});

test('leaves the beginning of a line that was drawn', () => {
  const rule = '='.repeat(230);
  expect(withoutEncodedData(`${rule} ERRORS ${rule}`)).toBe(
    '==================== ERRORS ====================',
  );
  expect(withoutEncodedData(`${'-'.repeat(40)}${'A1'.repeat(200)}`)).toBe('[encoded data]');
});
