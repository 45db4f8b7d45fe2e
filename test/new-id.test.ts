import { version } from 'uuid';
import { expect, it, vi } from 'vitest';
import { newId } from '../src/new-id.ts';

it('ids are UUIDv7 and ascend, also where the clock goes back', () => {
  const before = Array.from({ length: 1_000 }, newId);
  const clock = vi.spyOn(Date, 'now').mockReturnValue(1_000);
  const after = Array.from({ length: 1_000 }, newId);
  clock.mockRestore();
  const all = [...before, ...after, newId()];
  expect(new Set(all).size).toBe(2_001);
  expect(all).toEqual(all.toSorted());
  expect(new Set(all.map(version))).toEqual(new Set([7]));
});
