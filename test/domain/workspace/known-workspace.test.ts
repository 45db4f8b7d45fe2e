import { expect, it } from 'vitest';
import { codecFor } from '../../../src/domain/items/codecs.ts';
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

it('knows a file that Claude Code has read for the user where its text stands in the next message', () => {
  const { normalise } = codecFor('anthropic');
  const reminder = (text: string) => `<system-reminder>\n${text}\n</system-reminder>`;
  const called = reminder('Called the Read tool with the following input: {"file_path":"/w/a.md"}');
  const shown = reminder('Result of calling the Read tool:\n1\t# Notes\n2\tOne.\n');
  const request = [shown, 'Mend @a.md.'].map((text) => ({ type: 'text', text }));
  const told = [
    { role: 'user', content: called },
    { role: 'user', content: request },
  ].map(normalise);
  expect(foldWorkspace(told).files).toMatchObject([
    { path: '/w/a.md', text: { blocks: [{ first: 1, text: '# Notes\nOne.' }], total: 2 } },
  ]);
  expect(foldWorkspace(told.slice(1)).files).toEqual([]);
});
