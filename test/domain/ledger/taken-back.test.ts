import { describe, expect, test } from 'vitest';
import { fileTellings } from '../../../src/domain/compaction/extractive/file-lines.ts';
import { changeText } from '../../../src/domain/ledger/facts.ts';
import { ledgerOf, ran, used } from '../../support/log-items.ts';

type Items = ReturnType<typeof used>;

const edit = (path: string, from = 'oldName()', to = 'newName()') =>
  used(
    'Edit',
    { file_path: path, old_string: from, new_string: to },
    `The file ${path} has been updated successfully.`,
  );
const write = (path: string, content = 'const firstTry = 1;') =>
  used('Write', { file_path: path, content }, `File created successfully at: ${path}`);
const git = (command: string, output = '', code = 0) => ran(`cd /w && ${command}`, output, code);

const changesOf = (...items: Items[]) =>
  ledgerOf(items.flat())
    .files.filter(({ edits }) => edits > 0)
    .map(changeText);

const KEPT = '/w/a.ts: changed 1 times; added newName; removed oldName';
const GONE = (by: string) => `/w/a.ts: changed 1 times; taken back by \`${by}\` (item 4)`;
const DOUBTFUL = (by: string, seq = 4) =>
  `${KEPT}; may have been taken back by \`${by}\` (item ${seq})`;

describe('edits that git has taken back', () => {
  test.each([
    'git checkout -- a.ts',
    'git checkout a.ts',
    'git checkout HEAD -- a.ts',
    'git checkout HEAD a.ts',
    'git restore a.ts',
    'git restore --source=HEAD~1 a.ts',
    'git checkout -- .',
    'git checkout .',
    'git restore .',
    'git reset --hard',
    'git reset -q --hard HEAD',
  ])('are not told: %s', (command) => {
    expect(changesOf(edit('/w/a.ts'), git(command))).toEqual([GONE(command)]);
  });

  test('nor where the repository is named', () => {
    const there = ran('git -C /w checkout a.ts', 'Updated 1 path from the index');
    expect(changesOf(edit('/w/a.ts'), there)).toEqual([GONE('git -C /w checkout a.ts')]);
  });

  test.each([
    'git stash',
    'git stash push -m "try it"',
    'git stash push a.ts',
    'git revert --no-edit HEAD',
    'git reset --hard HEAD~1',
    'git checkout -f main',
    'git checkout -p a.ts',
    'test -f x || git checkout a.ts',
  ])('may be, where that is not clear: %s', (command) => {
    const by = /git .*$/.exec(command)?.[0].replaceAll('"', '') ?? '';
    expect(changesOf(edit('/w/a.ts'), git(command))).toEqual([DOUBTFUL(by)]);
  });

  test.each([
    'git checkout b.ts',
    'git checkout -- other',
    'git restore --staged a.ts',
    'git checkout main',
    'git checkout -b topic',
    'git reset',
    'git stash list',
    'git stash drop',
    'git clean -fd',
    'git diff a.ts',
  ])('stay told after what leaves them alone: %s', (command) => {
    expect(changesOf(edit('/w/a.ts'), git(command))).toEqual([KEPT]);
  });

  test('stay told where git refused, or had nothing to put aside', () => {
    const refused = git('git checkout a.ts', "error: pathspec 'a.ts' did not match", 1);
    expect(changesOf(edit('/w/a.ts'), refused)).toEqual([DOUBTFUL('git checkout a.ts')]);
    const alone = ran('git checkout /w/a.ts', "error: pathspec 'a.ts' did not match", 1);
    expect(changesOf(edit('/w/a.ts'), alone)).toEqual([KEPT]);
    const nothing = git('git stash', 'No local changes to save');
    expect(changesOf(edit('/w/a.ts'), nothing)).toEqual([KEPT]);
  });

  test('may be, when they were staged before, and are not when all of them were', () => {
    const change = edit('/w/a.ts');
    expect(changesOf(change, git('git add b.ts'), git('git checkout a.ts'))).toEqual([
      DOUBTFUL('git checkout a.ts', 6),
    ]);
    expect(changesOf(change, git('git add -A'), git('git checkout a.ts'))).toEqual([KEPT]);
    expect(changesOf(change, git('git add -A'), git('git reset --hard'))).toEqual([
      '/w/a.ts: changed 1 times; taken back by `git reset --hard` (item 6)',
    ]);
    const committed = git('git add -A && git commit -m "Rename it"');
    expect(changesOf(change, committed, git('git reset --hard'))).toEqual([KEPT]);
    expect(changesOf(change, committed, git('git stash'))).toEqual([KEPT]);
    expect(changesOf(change, git('git commit -am "Rename it"'), git('git stash'))).toEqual([KEPT]);
  });

  test('come back with what was put aside', () => {
    const change = edit('/w/a.ts');
    expect(changesOf(change, git('git stash && npm test; git stash pop'))).toEqual([KEPT]);
    expect(changesOf(change, git('git stash'), ran('npm test', ''), git('git stash pop'))).toEqual([
      KEPT,
    ]);
    const conflict = git('git stash pop', 'CONFLICT (content): Merge conflict in a.ts', 1);
    expect(changesOf(change, git('git stash'), conflict)).toEqual([DOUBTFUL('git stash')]);
  });

  test('come back with the script that put them aside, however it goes about it', () => {
    const change = edit('/w/a.ts');
    const each = 'for c in one two; do\n  git stash -q -u\n  git checkout -q $c && npm test\ndone';
    expect(changesOf(change, git(`${each}\ngit checkout -q main && git stash pop -q`))).toEqual([
      KEPT,
    ]);
    expect(changesOf(change, git('git stash -q; npm test; git stash pop -q || true'))).toEqual([
      KEPT,
    ]);
    expect(changesOf(change, git(each))).toEqual([DOUBTFUL('git stash -q -u')]);
    expect(changesOf(change, git('git stash && npm test || git stash pop'))).toEqual([
      DOUBTFUL('git stash'),
    ]);
    const conflict = 'CONFLICT (content): Merge conflict in a.ts';
    expect(changesOf(change, git('git stash; npm test; git stash pop', conflict, 1))).toEqual([
      DOUBTFUL('git stash'),
    ]);
  });

  test('begin anew with the next edit', () => {
    const next = edit('/w/a.ts', 'b()', 'thirdName()');
    expect(changesOf(edit('/w/a.ts'), git('git checkout a.ts'), next)).toEqual([
      '/w/a.ts: changed 2 times; added thirdName',
    ]);
    expect(changesOf(edit('/w/a.ts'), git('git revert HEAD'), next)).toEqual([
      '/w/a.ts: changed 2 times; added thirdName, newName; removed oldName; may have been taken back by `git revert HEAD` (item 4)',
    ]);
  });

  test('nor is a file written over any more: what an edit adds then was not there', () => {
    const over = [edit('/w/a.ts'), write('/w/a.ts')];
    expect(changesOf(...over)).toEqual([
      '/w/a.ts: changed 2 times; now with firstTry; removed oldName, newName',
    ]);
    expect(changesOf(...over, git('git checkout a.ts'), edit('/w/a.ts'))).toEqual([
      '/w/a.ts: changed 3 times; added newName; removed oldName',
    ]);
  });

  test('a deleted file is there again', () => {
    const back = [ran('rm /w/a.ts', ''), git('git checkout a.ts')];
    expect(changesOf(edit('/w/a.ts'), ...back)).toEqual([
      '/w/a.ts: changed 2 times; taken back by `git checkout a.ts` (item 6)',
    ]);
  });

  test('a new file that git does not know stays, unless it is cleaned away', () => {
    expect(changesOf(write('/w/new.ts'), git('git checkout -- .'))).toEqual([
      '/w/new.ts: created; added firstTry',
    ]);
    expect(changesOf(write('/w/new.ts'), git('git reset --hard'))).toEqual([
      '/w/new.ts: created; added firstTry',
    ]);
    expect(changesOf(write('/w/new.ts'), git('git clean -fd'))).toEqual([
      '/w/new.ts: created; added firstTry; may have been taken back by `git clean -fd` (item 4)',
    ]);
  });

  test('is said in the summary as well', () => {
    const covered = ledgerOf([...edit('/w/a.ts'), ...git('git checkout a.ts')]);
    const lines = fileTellings({ covered, standing: covered, verbatim: [] }).at(-1)?.() ?? [];
    expect(lines.map(({ text }) => text)).toEqual([
      '/w/a.ts: changed; taken back by `git checkout a.ts` (item 4)',
    ]);
  });
});

describe('the undo of an editor', () => {
  const editor = (input: Record<string, string>) =>
    used('str_replace_based_edit_tool', { path: '/w/a.ts', ...input }, 'The file was edited.');
  const replace = (old_str: string, new_str: string) =>
    editor({ command: 'str_replace', old_str, new_str });
  const undo = () => editor({ command: 'undo_edit' });

  test('takes back the only edit', () => {
    expect(changesOf(replace('oldName()', 'newName()'), undo())).toEqual([
      '/w/a.ts: changed 1 times; taken back by `undo_edit` (item 4)',
    ]);
  });

  test('takes back the newest of several, and leaves the others', () => {
    const two = [replace('oldName()', 'newName()'), replace('x = 1', 'x = secondCall()')];
    expect(changesOf(...two, undo())).toEqual([
      '/w/a.ts: changed 2 times; added newName; removed oldName',
    ]);
    expect(changesOf(...two, undo(), undo())).toEqual([
      '/w/a.ts: changed 2 times; added newName; removed oldName; may have been taken back by `undo_edit` (item 8)',
    ]);
  });
});

describe('what a whole file shows', () => {
  const read = (...lines: string[]) =>
    used(
      'Read',
      { file_path: '/w/a.ts' },
      lines.map((line, index) => `     ${index + 1}→${line}`).join('\n'),
    );

  test('is true of it: names that are not there any more are not told', () => {
    const change = edit('/w/a.ts', 'a', 'firstName(secondName);');
    expect(changesOf(change, read('secondName();'))).toEqual([
      '/w/a.ts: changed 1 times; added secondName',
    ]);
  });

  test('ends the doubt', () => {
    const doubtful = [edit('/w/a.ts'), git('git revert HEAD')];
    expect(changesOf(...doubtful, read('newName()'))).toEqual([KEPT]);
    expect(changesOf(...doubtful, read('oldName()'))).toEqual([
      '/w/a.ts: changed 1 times; removed oldName; taken back by `git revert HEAD` (item 4)',
    ]);
  });
});

describe('a file that was created and deleted', () => {
  test('and created again is created, with nothing of what it was before', () => {
    const items = [
      write('/w/a.ts'),
      ran('rm /w/a.ts', ''),
      write('/w/a.ts', 'const secondTry = 2;'),
    ];
    expect(changesOf(...items)).toEqual(['/w/a.ts: created; added secondTry']);
    const [file] = ledgerOf(items.flat()).files;
    expect(file).toMatchObject({ is_created: true, edits: 1, state: 'present', removed: [] });
  });

  test('is told as both', () => {
    expect(changesOf(write('/w/a.ts'), ran('rm /w/a.ts', ''))).toEqual([
      '/w/a.ts: created, then deleted',
    ]);
  });

  test('one that was only read and then deleted is told, in a folder as well', () => {
    const read = used('Read', { file_path: '/w/old/a.ts' }, '     1→x');
    expect(changesOf(read, ran('rm -r /w/old', ''))).toEqual(['/w/old/a.ts: deleted']);
  });
});
