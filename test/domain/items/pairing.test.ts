import { expect, test } from 'vitest';
import { pairTools } from '../../../src/domain/items/pairing.ts';

/** `a` is a call, `A` its result. */
function partners(events: string): (number | null)[] {
  return pairTools(
    [...events].map((letter) => ({
      kind: letter === letter.toLowerCase() ? 'call' : 'result',
      id: letter.toLowerCase(),
    })),
  );
}

test.each([
  ['', []],
  ['aA', [1, 0]],
  ['abBA', [3, 2, 1, 0]],
  ['Aa', [null, null]],
  ['aAA', [1, 0, null]],
  ['aaA', [null, 2, 1]],
  ['aAaA', [1, 0, 3, 2]],
  ['abB', [null, 2, 1]],
])('%s', (events, expected) => {
  expect(partners(events)).toEqual(expected);
});
