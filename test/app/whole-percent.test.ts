import { expect, it } from 'vitest';
import { wholePercent } from '../../src/app/whole-percent.ts';

it.each([
  [0, 0],
  [0.0001, 0],
  [0.416, 42],
  [37_258 / 37_400, 99],
  [1, 100],
  [1.034, 103],
])('%f is %i percent', (share, percent) => {
  expect(wholePercent(share)).toBe(percent);
});
