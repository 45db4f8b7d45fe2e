import { expect, test } from 'vitest';
import { takerOf } from '../../../src/domain/context/standing.ts';

const full = (id: string, through: number, ...kept: number[]) => ({
  id,
  version: through + 5,
  through,
  kept: new Set(kept),
});

test.each([
  ['never covered', 30, undefined],
  ['covered by the first', 3, 'one'],
  ['kept by the first, taken by the second', 5, 'two'],
  ['kept by both', 6, undefined],
  ['came after the first, taken by the second', 15, 'two'],
])('the compaction that took an item away: %s', (_what, seq, expected) => {
  const chain = [full('one', 10, 5, 6), full('two', 20, 6)];
  expect(takerOf(chain, seq)?.id).toBe(expected);
});
