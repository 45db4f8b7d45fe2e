import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { profileConfig } from '../../../src/domain/policy/profiles.ts';
import { refreshFromWorkspace } from '../../../src/workers/compaction/restore-files.ts';

const config = profileConfig('default', 200_000);
const count = (text: string) => Math.ceil(text.length / 4);

describe('refreshFromWorkspace', () => {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-workspace-'));
  const root = join(folder, 'root');

  beforeAll(() => {
    mkdirSync(join(root, 'src'), { recursive: true });
    writeFileSync(join(root, 'src', 'a.ts'), 'newer content');
    writeFileSync(join(root, 'binary'), 'a\u0000b');
    writeFileSync(join(folder, 'secret.txt'), 'secret');
    symlinkSync(join(folder, 'secret.txt'), join(root, 'link.txt'));
    mkdirSync(join(root, '.claude', 'plans'), { recursive: true });
    writeFileSync(join(root, '.claude', 'plans', 'x.md'), 'a plan');
    symlinkSync(join(root, '.claude', 'plans'), join(root, 'notes'));
    execFileSync('mkfifo', [join(root, 'pipe')]);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    ['a relative path inside', 'src/a.ts', 'newer content'],
    ['a path through a parent that stays inside', 'src/../src/a.ts', 'newer content'],
    ['a link that leads out', 'link.txt', 'known'],
    ['a path that leads out', '../secret.txt', 'known'],
    ['a missing file', 'gone.ts', 'known'],
    ['a folder', 'src', 'known'],
    ['a binary file', 'binary', 'known'],
    ['a named pipe that nobody writes to', 'pipe', 'known'],
    ['a name that is too long', 'x'.repeat(5_000), 'known'],
  ])('%s', async (_, path, content) => {
    const files = await refreshFromWorkspace([{ path, content: 'known' }], root, config, count);
    expect(files).toEqual([{ path, content }]);
  });

  it('takes absolute paths inside, and cuts to the budgets', async () => {
    const path = join(root, 'src', 'a.ts');
    const small = { ...config, restore_total_file_budget: 3 };
    expect(await refreshFromWorkspace([{ path, content: 'x' }], root, config, count)).toEqual([
      { path, content: 'newer content' },
    ]);
    expect(await refreshFromWorkspace([{ path, content: 'x' }], root, small, count)).toEqual([]);
  });

  it.each(['notes/x.md', '.claude//plans/x.md', 'src/../.claude/plans/x.md'])(
    'leaves out what is excluded by its real name: %s',
    async (path) => {
      expect(config.restore_exclude).toContain('.claude/plans/');
      const files = await refreshFromWorkspace([{ path, content: 'known' }], root, config, count);
      expect(files).toEqual([]);
    },
  );

  it.each([
    ['skip', ['src/a.ts', 'small.ts']],
    ['stop', ['src/a.ts']],
  ] as const)('over the budget: %s', async (restore_over_budget, expected) => {
    const tight = { ...config, restore_over_budget, restore_total_file_budget: 6 };
    const known = ['src/a.ts', 'large.ts', 'small.ts'].map((path) => ({
      path,
      content: path === 'large.ts' ? 'x'.repeat(100) : 'x',
    }));
    const files = await refreshFromWorkspace(known, root, tight, count);
    expect(files.map(({ path }) => path)).toEqual(expected);
  });

  it('restores what the session knows when the folder has gone since the start', async () => {
    const files = [{ path: 'src/a.ts', content: 'known' }];
    expect(await refreshFromWorkspace(files, join(folder, 'gone'), config, count)).toEqual(files);
  });
});
