import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimator } from '../../../src/domain/tokens/count.ts';
import { truncateMiddle } from '../../../src/domain/tokens/truncate.ts';
import { configWith } from '../../support/given.ts';

const count = estimator(configWith());

describe('truncateMiddle', () => {
  it('leaves a text that fits as it is', () => {
    expect(truncateMiddle('12345678', 2, count)).toBe('12345678');
  });

  it('keeps head and tail with a note of how much was left out', () => {
    const text = `HEAD${'x'.repeat(3992)}TAIL`;
    const cut = truncateMiddle(text, 100, count);
    const [, head = '', left = '', tail = ''] =
      /^(HEADx+)\n\[… about (\d+) tokens left out …\]\n(x+TAIL)$/.exec(cut) ?? [];
    expect(count(cut)).toBe(100);
    expect(head.length).toBeGreaterThan(tail.length);
    expect(Number(left)).toBe(Math.round((4000 - head.length - tail.length) / 4));
  });

  it.each([
    ['plain', 'word '.repeat(20_000)],
    ['dense at its start', '中'.repeat(5_000) + 'word '.repeat(20_000)],
    ['dense at its end', 'word '.repeat(20_000) + '中'.repeat(5_000)],
    ['dense in its middle', 'word '.repeat(9_000) + '中'.repeat(9_000) + 'word '.repeat(9_000)],
  ])('uses the whole limit: %s', (_name, text) => {
    for (const limit of [64, 1_000, 8_500]) {
      expect(count(truncateMiddle(text, limit, count))).toBe(limit);
    }
  });

  it('counts little more than the text and what is left of it', () => {
    let counted = 0;
    const watched = (text: string) => {
      counted += text.length;
      return count(text);
    };
    const text = '中'.repeat(1_000) + 'x'.repeat(4_000_000);
    truncateMiddle(text, 2_500, watched);
    expect(counted).toBeLessThan(text.length * 1.2);
  });

  it('cuts without a note where the note does not fit', () => {
    expect(truncateMiddle('x'.repeat(400), 5, count)).toBe('x'.repeat(20));
    expect(truncateMiddle('x'.repeat(400), 0, count)).toBe('');
  });

  it('never counts more than the limit, never splits a character', () => {
    const dense = fc.constantFrom('a'.repeat(50), '👍'.repeat(20), '中'.repeat(30), ' \n');
    fc.assert(
      fc.property(fc.array(dense, { maxLength: 30 }), fc.nat(300), (parts, limit) => {
        const cut = truncateMiddle(parts.join(''), limit, count);
        expect(count(cut)).toBeLessThanOrEqual(limit);
        expect(Buffer.from(cut).toString()).toBe(cut);
      }),
    );
  });
});
