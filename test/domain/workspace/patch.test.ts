import { describe, expect, it } from 'vitest';
import { Effort } from '../../../src/domain/workspace/effort.ts';
import { type KnownText, wholeText } from '../../../src/domain/workspace/known-text.ts';
import { actionsOfPatch, hunksOf, patched, patchIn } from '../../../src/domain/workspace/patch.ts';
import { codex, done } from '../../support/tool-calls.ts';

const apply = (known: KnownText, ...lines: string[]) =>
  patched(known, hunksOf(lines), new Effort());
const textAfter = (text: string, ...lines: string[]) =>
  apply(wholeText(text), ...lines)?.blocks[0]?.text ?? null;

describe('what a patch of Codex says', () => {
  it('adds, updates, moves and deletes', () => {
    const patch = [
      '*** Begin Patch',
      '*** Add File: new.py',
      '+x',
      '+',
      '*** Update File: a.py',
      '*** Move to: lib/b.py',
      '@@ def f():',
      '-  one',
      '+  two',
      '*** Delete File: old.py',
      '*** End Patch',
    ].join('\n');
    expect(actionsOfPatch(patchIn(`apply_patch <<'EOF'\n${patch}\nEOF`) ?? '')).toEqual([
      { kind: 'written', path: 'new.py', text: 'x\n\n' },
      {
        kind: 'patched',
        path: 'a.py',
        hunks: [{ context: ['def f():'], before: ['  one'], after: ['  two'] }],
        to: 'lib/b.py',
      },
      { kind: 'deleted', path: 'old.py' },
    ]);
  });

  const PATCH = '*** Begin Patch\n*** Add File: a.py\n+x\n*** End Patch';
  const SUCCESS = 'Success. Updated the following files:\nA a.py\n';
  it.each([
    [
      'as a custom tool',
      'apply_patch',
      PATCH,
      JSON.stringify({ output: SUCCESS, metadata: { exit_code: 0, duration_seconds: 0.1 } }),
    ],
    ['as a function', 'apply_patch', { input: PATCH }, SUCCESS],
    [
      'as arguments of a shell',
      'shell',
      { command: ['apply_patch', PATCH] },
      JSON.stringify({ output: SUCCESS, metadata: { exit_code: 0 } }),
    ],
    [
      'as a heredoc',
      'exec_command',
      { cmd: `apply_patch <<'PATCH'\n${PATCH}\nPATCH` },
      codex(SUCCESS),
    ],
    [
      'as a heredoc of bash -lc',
      'shell',
      { command: ['bash', '-lc', `cd /w && apply_patch <<'PATCH'\n${PATCH}\nPATCH\n`] },
      SUCCESS,
    ],
  ])('%s', (_, name, input, answer) => {
    expect(done(name, input, answer)).toEqual([{ kind: 'written', path: '/w/a.py', text: 'x\n' }]);
  });

  it('of the Responses API, one file each', () => {
    const operation = { type: 'update_file', path: 'a.py', diff: '@@\n-x\n+y\n' };
    expect(done('apply_patch', operation, 'Done')).toEqual([
      {
        kind: 'patched',
        path: '/w/a.py',
        hunks: [{ context: [], before: ['x'], after: ['y'] }],
        to: null,
      },
    ]);
  });

  it.each([
    'apply_patch verification failed: Failed to find expected lines in /w/a.py:\n  x',
    JSON.stringify({ output: 'error', metadata: { exit_code: 1 } }),
    'The user rejected this patch.',
  ])('and nothing was done after %j', (answer) => {
    expect(done('apply_patch', PATCH, answer)).toEqual([]);
  });
});

describe('a text after a patch', () => {
  it.each<[string, string, string[], string | null]>([
    ['lines replaced', 'a\nb\nc\n', ['@@', ' a', '-b', '+B', ' c'], 'a\nB\nc\n'],
    ['without the first @@', 'a\nb\n', ['-b', '+B'], 'a\nB\n'],
    [
      'the place after its context',
      'x\nf():\n  x\n',
      ['@@ f():', '-  x', '+  y'],
      'x\nf():\n  y\n',
    ],
    ['the second place after its context', 'f\nx\ng\nx\n', ['@@ g', '-x', '+y'], 'f\nx\ng\ny\n'],
    ['two hunks in their order', 'x\na\nx\n', ['@@', '-x', '+1', '@@', '-x', '+2'], '1\na\n2\n'],
    ['lines taken out', 'a\nb\nc\n', ['@@', '-b'], 'a\nc\n'],
    ['the last line taken out', 'a\nb', ['@@', '-b'], 'a'],
    ['lines put at the end', 'a\n', ['@@', '+b'], 'a\nb\n'],
    ['empty lines as context', 'a\n\nb\n', ['@@', ' a', '', '-b', '+c'], 'a\n\nc\n'],
    ['a part of a line is no line', 'xb\nb\n', ['@@', '-b', '+c'], 'xb\nc\n'],
    ['lines that are not there', 'a\nb\n', ['@@', '-z', '+c'], null],
    ['a context that is not there', 'a\nb\n', ['@@ class Z', '-b', '+c'], null],
  ])('%s', (_, before, hunks, after) => expect(textAfter(before, ...hunks)).toBe(after));

  it('of which a part is known moves the parts after it', () => {
    const known = {
      blocks: [
        { first: 3, text: 'a\nb' },
        { first: 9, text: 'z' },
      ],
      total: 9,
    };
    expect(apply(known, '@@', '-a', '+1', '+2')).toEqual({
      blocks: [
        { first: 3, text: '1\n2\nb' },
        { first: 10, text: 'z' },
      ],
      total: 10,
    });
  });

  it('is not known where two known places match, or none of the known ones does', () => {
    const twice = { blocks: [{ first: 3, text: 'a\nb\na' }], total: null };
    expect(apply(twice, '@@', '-a', '+c')).toBeNull();
    expect(apply({ blocks: [{ first: 3, text: 'b' }], total: null }, '@@', '-a', '+c')).toBeNull();
    expect(apply({ blocks: [{ first: 3, text: 'b' }], total: null }, '@@', '+c')).toBeNull();
  });
});
