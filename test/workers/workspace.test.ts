import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { profileConfig } from '../../src/domain/policy/profiles.ts';
import { refreshFromWorkspace } from '../../src/workers/workspace.ts';

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
});
