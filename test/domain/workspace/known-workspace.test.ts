import { expect, it } from 'vitest';
import { foldAround, foldWorkspace } from '../../../src/domain/workspace/known-workspace.ts';
import { materialFor } from '../../support/given.ts';
import { call, result } from '../../support/items.ts';

const write = (id: string, path: string, content: string) => [
  call(id, 'Write', { file_path: path, content }),
  result(id, `File created successfully at: ${path}`),
];
const todos = (id: string, content: string) => [
  call(id, 'TodoWrite', { todos: [{ content, status: 'pending' }] }),
  result(id, 'Todos have been modified successfully'),
];
const items = materialFor([
  ...write('a', '/w/a.ts', 'one'),
  ...write('b', '/w/b.ts', 'of b'),
  ...todos('c', 'the first'),
  ...write('d', '/w/a.ts', 'two'),
  call('e', 'Bash', { command: 'rm /w/b.ts' }),
  result('e', ''),
  ...todos('f', 'the second'),
]).map(({ original }) => original);

it.each([0, 2, 4, 6, 8, 10, items.length])(
  'knows before item %i what the items before it tell, and after all what all tell',
  (cut) => {
    const { before, after } = foldAround(items, cut);
    expect(before).toEqual(foldWorkspace(items.slice(0, cut)));
    expect(after).toEqual(foldWorkspace(items));
    expect(after.files.map(({ path }) => path)).toEqual(['/w/a.ts']);
  },
);
