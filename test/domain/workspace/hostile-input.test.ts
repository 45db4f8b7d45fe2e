import { describe, expect, it } from 'vitest';
import type { Item } from '../../../src/domain/items/item.ts';
import { textWhenWhole } from '../../../src/domain/workspace/known-text.ts';
import { foldWorkspace } from '../../../src/domain/workspace/known-workspace.ts';
import { materialFor } from '../../support/given.ts';
import { call, result } from '../../support/items.ts';

const fold = (items: Item[]) => foldWorkspace(materialFor(items).map(({ original }) => original));
const edit = (n: number, from: string, to: string): Item[] => [
  call(`e${n}`, 'Edit', { file_path: '/a', old_string: from, new_string: to }),
  result(`e${n}`, 'The file /a has been updated successfully.'),
];
const write = (text: string): Item[] => [
  call('w', 'Write', { file_path: '/a', content: text }),
  result('w', 'File created successfully at: /a'),
];
function milliseconds(run: () => void): number {
  const start = performance.now();
  run();
  return performance.now() - start;
}

/** Far above what is measured, far below what an algorithm that is not linear takes. */
const BOUND_MS = 10_000;

describe('foldWorkspace on hostile input', () => {
  it('follows thousands of edits of one small file', () => {
    const edits = Array.from({ length: 5_000 }, (_, n) => edit(n, `n = ${n};`, `n = ${n + 1};`));
    const items = [...write('let n = 0;\n'), ...edits.flat()];
    const { files } = fold(items);
    expect(files.map(({ text }) => textWhenWhole(text))).toEqual(['let n = 5000;\n']);
  });

  it('gives up on edits of a huge file in bounded time, and says so', () => {
    const huge = 'a line of some text\n'.repeat(500_000);
    const edits = Array.from({ length: 2_000 }, (_, n) =>
      edit(n, `not there ${n} `.repeat(20), ''),
    );
    const items = [...write(huge), ...edits.flat()];
    let changedBy: string | null | undefined;
    const time = milliseconds(() => {
      changedBy = fold(items).files[0]?.changedBy;
    });
    expect(changedBy).toContain('could not be followed');
    expect(time).toBeLessThan(BOUND_MS);
  });

  it('searches for a text that nearly matches everywhere in linear time', () => {
    const text = 'a'.repeat(2_000_000);
    const items = [...write(text), ...edit(1, `${'a'.repeat(100_000)}b`, '')];
    expect(milliseconds(() => fold(items))).toBeLessThan(BOUND_MS);
  });

  it('reads thousands of single lines of one large file in bounded time', () => {
    const reads = Array.from({ length: 3_000 }, (_, n) => [
      call(`r${n}`, 'Read', { file_path: '/a', offset: n + 1, limit: 1 }),
      result(`r${n}`, `${String(n + 1).padStart(6)}→a line of some text`),
    ]).flat();
    const items = [...write('a line of some text\n'.repeat(50_000)), ...reads];
    expect(milliseconds(() => fold(items))).toBeLessThan(BOUND_MS);
  });

  it('takes scripts of any kind', () => {
    const scripts = [
      '<<'.repeat(50_000),
      "'".repeat(99_999),
      '|&;'.repeat(50_000),
      `cat ${'$('.repeat(50_000)}`,
      `${'> '.repeat(50_000)}`,
      'sed -n 1,2p '.repeat(20_000),
    ];
    const items = scripts.flatMap((command, n) => [
      call(`s${n}`, 'Bash', { command }),
      result(`s${n}`, 'x\n'.repeat(10_000)),
    ]);
    expect(milliseconds(() => fold(items))).toBeLessThan(BOUND_MS);
  });
});
