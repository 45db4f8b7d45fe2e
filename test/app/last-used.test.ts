import { expect, it } from 'vitest';
import { lastUsed } from '../../src/app/last-used.ts';

it('keeps no more than it is told, and of them those that were used last', () => {
  const values = lastUsed<number>(2);
  values.set('a', 1).set('b', 2).set('b', 3);
  values.get('a');
  values.set('c', 4);
  expect([...values.entries()]).toEqual([
    ['c', 4],
    ['a', 1],
  ]);
});

it('keeps none for longer than it is told', async () => {
  const values = lastUsed<number>(2, 20);
  values.set('a', 1);
  expect(values.get('a')).toBe(1);
  await expect.poll(() => values.get('a')).toBeUndefined();
});
