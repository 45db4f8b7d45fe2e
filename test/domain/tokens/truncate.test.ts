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
    expect(count(cut)).toBeGreaterThan(80);
    expect(head.length).toBeGreaterThan(tail.length);
    expect(Number(left)).toBe(Math.round((4000 - head.length - tail.length) / 4));
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
