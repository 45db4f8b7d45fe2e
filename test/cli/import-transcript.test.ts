import { describe, expect, it } from 'vitest';
import { batches } from '../../src/app/import-batches.ts';
import type { Item } from '../../src/domain/items/item.ts';
import { assistant, user } from '../support/items.ts';

function sizes(items: Item[]): number[] {
  return [...batches({ items, format: 'anthropic' })].map((batch) => batch.length);
}

const talk = (length: number): Item[] => Array.from({ length }, () => assistant('Go on.'));

describe('the portions of an import', () => {
  it('hold eight items each', () => {
    expect(sizes(talk(20))).toEqual([8, 8, 4]);
    expect(sizes([])).toEqual([]);
  });

  it('do not end with a command that something follows: it is plain text by then', () => {
    const command = user('/compact');
    expect(sizes([...talk(7), command, ...talk(4)])).toEqual([9, 3]);
    expect(sizes([...talk(7), command, command, ...talk(8)])).toEqual([10, 7]);
    expect(sizes([...talk(7), command])).toEqual([8]);
  });
});
