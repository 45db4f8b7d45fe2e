import { expect, test } from 'vitest';
import { gitText } from '../../../src/domain/compaction/extractive/work-lines.ts';
import { gitHeadAfter } from '../../../src/domain/ledger/git-head.ts';
import { EMPTY_LEDGER, type GitHead } from '../../../src/domain/ledger/ledger.ts';
import { ledgerOf, ran, used } from '../../support/log-items.ts';
import { codex } from '../../support/tool-calls.ts';

const BEFORE: GitHead = {
  folder: null,
  branch: 'main',
  commit: { id: '1a2b3c4', subject: 'Begin', at: 4 },
};
const MADE = '[fix/login 9f8e7d6] Refuse empty names\n 2 files changed, 9 insertions(+)';

test.each<[string, string, GitHead['branch'], string | null]>([
  ['git commit -m "Refuse empty names"', MADE, 'fix/login', '9f8e7d6'],
  ['git add -A && git -c core.editor=true commit -F m', MADE, 'fix/login', '9f8e7d6'],
  ['git commit -m x', '[main (root-commit) 9f8e7d6] x', 'main', '9f8e7d6'],
  ['git commit -m x', '[detached HEAD 9f8e7d6] x', null, '9f8e7d6'],
  ['git commit -m x', 'On branch main\nnothing to commit, working tree clean', 'main', '1a2b3c4'],
  ['git commit -q -m x', '', 'main', null],
  ['git add a.ts && git commit -qm x', '', 'main', null],
  ['git commit -q -m x && git log --oneline -1', '9f8e7d6 x', 'main', '9f8e7d6'],
  ['git log --oneline -1 && git commit -qm x', '1a2b3c4 Begin', 'main', null],
  ['git cherry-pick abc', MADE, 'fix/login', '9f8e7d6'],
  ['git checkout -b fix/login', "Switched to a new branch 'fix/login'", 'fix/login', null],
  ['git switch main', "Already on 'main'\nYour branch is up to date.", 'main', null],
  [
    'git checkout 9f8e7d6',
    "Note: switching to '9f8e7d6'.\n\nHEAD is now at 9f8e7d6 x",
    null,
    '9f8e7d6',
  ],
  ['git reset --hard HEAD~1', 'HEAD is now at 9f8e7d6 Refuse', 'main', '9f8e7d6'],
  ['git reset --soft HEAD~1', '', 'main', null],
  ['git pull --rebase', 'Successfully rebased and updated refs/heads/main.', 'main', null],
  ['git status', 'On branch fix/login\nChanges not staged for commit:', 'fix/login', '1a2b3c4'],
  ['git branch --show-current', 'fix/login\n', 'fix/login', '1a2b3c4'],
  [
    'git log --oneline -3',
    '9f8e7d6 (HEAD -> fix/login, origin/x) Refuse\n1a2b3c4 Begin',
    'fix/login',
    '9f8e7d6',
  ],
  ['git log --oneline -3', '9f8e7d6 Refuse (again)\n1a2b3c4 Begin', 'main', '9f8e7d6'],
  // Another branch, or another name, of which nothing is said.
  ['git checkout -q other', '', null, null],
  ['git switch other 2>/dev/null && npm ci', 'added 3 packages', null, null],
  ['git branch -m other', '', null, '1a2b3c4'],
  ['git checkout a.ts', 'Updated 1 path from the index', 'main', null],
  ['git checkout other', "error: pathspec 'other' did not match", 'main', null],
  // Nothing of where the work stands.
  ['git log --oneline other -3', '9f8e7d6 Refuse', 'main', '1a2b3c4'],
  ['git log --oneline -3 -- src', '9f8e7d6 Refuse', 'main', '1a2b3c4'],
  ['git -C ../other status', 'On branch fix/login', 'main', '1a2b3c4'],
  ['git checkout -- a.ts', '', 'main', '1a2b3c4'],
  ['git diff', '+On branch fix/login', 'main', '1a2b3c4'],
  ['cat notes.txt', MADE, 'main', '1a2b3c4'],
  ['git show HEAD', MADE, 'main', '1a2b3c4'],
])('%s: %s', (script, output, branch, id) => {
  const after = gitHeadAfter(BEFORE, { script, output, folder: null }, 9);
  expect([after.branch, after.commit?.id ?? null]).toEqual([branch, id]);
});

test('a commit that says nothing, and is shown then, is the one that was made', () => {
  const shown = { output: '9f8e7d6 Refuse empty names', folder: null };
  const madeBy = (script: string) => gitHeadAfter(BEFORE, { script, ...shown }, 9).commit?.at;
  expect(madeBy('git add -A && git commit -qm x && git log --oneline -1')).toBe(9);
  expect(madeBy('git log --oneline -1')).toBe(0);
  // Nothing was made: it is the one that was known.
  const same = { script: 'git commit -qm x; git log --oneline -1', output: '1a2b3c4 Begin' };
  expect(gitHeadAfter(BEFORE, { ...same, folder: null }, 9).commit?.at).toBe(4);
});

test.each<[string, string, string, string | null, string | null]>([
  ['cd ../other && git commit -m x', MADE, '/w/other', 'fix/login', '9f8e7d6'],
  ['cd /w/other\ngit status', 'On branch dev', '/w/other', 'dev', null],
  // What says nothing of the other repository leaves what is known of this one.
  ['cd /w/other && git diff', '+1', '/w/repo', 'main', '1a2b3c4'],
  ['cd /w/repo/docs && git status', 'On branch docs', '/w/repo', 'docs', '1a2b3c4'],
  ['cd .. && git status', 'On branch docs', '/w', 'docs', '1a2b3c4'],
  ['cd "$OTHER" && git status', 'On branch docs', '/w/repo', 'docs', '1a2b3c4'],
  ['cd /w/repo && git branch --show-current', 'docs', '/w/repo', 'docs', '1a2b3c4'],
])('of two repositories the one that has told last: %s', (script, output, folder, branch, id) => {
  const here: GitHead = { ...BEFORE, folder: '/w/repo' };
  const after = gitHeadAfter(here, { script, output, folder: '/w/repo' }, 9);
  expect([after.folder, after.branch, after.commit?.id ?? null]).toEqual([folder, branch, id]);
});

test('what two repositories have told in one script is of neither', () => {
  const script = 'git status && cd /w/other && git status';
  const output = 'On branch main\nOn branch dev';
  const after = gitHeadAfter(BEFORE, { script, output, folder: '/w/repo' }, 9);
  expect(after).toEqual({ folder: null, branch: null, commit: null });
});

test('is told with the folder, and with no file of another one', () => {
  const write = (file_path: string) =>
    used('Write', { file_path, content: 'a' }, `File created successfully at: ${file_path}`);
  const items = [
    ...used('Bash', { command: 'cd /w/repo && git commit -m a' }, '[main 1a2b3c4] Begin'),
    ...used('Bash', { command: 'cd /w/other' }, ''),
    ...used('Bash', { command: 'git commit -m x' }, MADE),
    ...write('/w/repo/a.ts'),
    ...write('/w/other/b.ts'),
  ];
  expect(gitText(ledgerOf(items))).toBe(
    'Git, as it told last: in /w/other, on branch fix/login, newest commit 9f8e7d6 "Refuse empty names", changed since: other/b.ts',
  );
});

test('a folder above two repositories, which is none itself, does not make one of them', () => {
  const items = [
    ...used('Bash', { command: 'cd /w && git status' }, 'fatal: not a git repository', true),
    ...used('Bash', { command: 'cd /w/repo && git commit -m a' }, '[main 1a2b3c4] Begin'),
    ...used('Bash', { command: 'cd /w/other && git status' }, 'On branch dev'),
  ];
  expect(ledgerOf(items).git_head).toEqual({ folder: '/w/other', branch: 'dev', commit: null });
});

test('is told without the folder where all work is done there', () => {
  const items = [
    ...used('Bash', { command: 'cd /w/repo && git commit -m a' }, '[main 1a2b3c4] Begin'),
    ...used(
      'Write',
      { file_path: '/w/repo/a.ts', content: 'a' },
      'File created successfully at: /w/repo/a.ts',
    ),
  ];
  expect(gitText(ledgerOf(items))).toBe(
    'Git, as it told last: on branch main, newest commit 1a2b3c4 "Begin", changed since: repo/a.ts',
  );
});

test('is told with what was changed since the commit', () => {
  const edit = (file_path: string) =>
    used('Edit', { file_path, old_string: 'a', new_string: 'b' }, 'The file has been updated.');
  const items = [
    ...edit('/w/src/login.ts'),
    ...ran('git add -A && git commit -m "Refuse empty names"', MADE),
    ...edit('/w/src/names.ts'),
  ];
  expect(gitText(ledgerOf(items))).toBe(
    'Git, as it told last: on branch fix/login, newest commit 9f8e7d6 "Refuse empty names", changed since: src/names.ts',
  );
  expect(gitText(EMPTY_LEDGER)).toBeNull();
});

test('is known of a command of Codex that went on', () => {
  const cmd = 'git commit -m "Refuse empty names"';
  const left = 'Wall time: 1.0 seconds\nProcess running with session ID 73\nOutput:\n';
  const items = [
    ...used('exec_command', { cmd }, left),
    ...used('write_stdin', { session_id: 73, chars: '' }, codex(MADE, 0)),
  ];
  expect(ledgerOf(items).git_head.branch).toBe('fix/login');
});
