import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { event } from './recipes/event.ts';
import { format } from './recipes/format.ts';
import { mode } from './recipes/mode.ts';
import { profile } from './recipes/profile.ts';
import { provider } from './recipes/provider.ts';
import { type Recipe, type Step, textAfter } from './recipes/recipe.ts';
import { route } from './recipes/route.ts';
import { summariser } from './recipes/summariser.ts';
import { filesUnder, ROOT, readText } from './sources.ts';

const RECIPES: readonly Recipe[] = [profile, event, mode, format, summariser, provider, route];

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** The files of src in which the compiler finds errors after these steps. */
function filesWithErrors(steps: readonly Step[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-recipes-'));
  folders.push(folder);
  for (const name of ['src', 'package.json', 'tsconfig.json', 'tsconfig.build.json']) {
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const texts = new Map(filesUnder('src').map(({ path, text }) => [path, text]));
  for (const step of steps) {
    const text = textAfter(texts.get(step.path) ?? null, step);
    texts.set(step.path, text);
    mkdirSync(dirname(join(folder, step.path)), { recursive: true });
    writeFileSync(join(folder, step.path), text);
  }
  const { stdout } = spawnSync(
    join(ROOT, 'node_modules', '.bin', 'tsc'),
    // One checker: several would each look at the types that the files share.
    ['--noEmit', '--pretty', 'false', '--checkers', '1', '-p', 'tsconfig.build.json'],
    { cwd: folder, encoding: 'utf8' },
  );
  return [...new Set(stdout.match(/^src\/[^(]+(?=\()/gm))].toSorted();
}

function knownFolder(path: string): string {
  const folder = dirname(path);
  return existsSync(join(ROOT, folder)) ? folder : knownFolder(folder);
}

// Two of them run the compiler on all of src/.
describe('the recipes of CONTRIBUTING.md', { timeout: 600_000 }, () => {
  test.each(RECIPES)('$name: names its files, and not too many', ({ name, most, steps }) => {
    const [, recipe = ''] = readText('CONTRIBUTING.md').split(`\n**${name}**`);
    const [text = ''] = recipe.split(/\n(?:\n|\*\*|#|- )/);
    const paths = new Set(steps.map(({ path }) => path));
    for (const { path, change } of steps) {
      // Of a file that is not there yet the page names the folder, or the one above that is there.
      const isNew = [change].flat().some((one) => 'create' in one);
      expect(text).toContain(isNew ? `\`${knownFolder(path)}/\`` : `\`${path}\``);
    }
    expect(paths.size).toBeLessThanOrEqual(most);
  });

  test('followed to the end, they compile, all of them together', () => {
    expect(filesWithErrors(RECIPES.flatMap(({ steps }) => steps))).toEqual([]);
  });

  test('after the first step of each, the compiler names every file that the others need', () => {
    const steps = RECIPES.flatMap((recipe) => recipe.steps);
    const found = filesWithErrors(steps.filter(({ kind }) => kind === 'first'));
    const needed = steps.filter(({ kind }) => kind === 'needed').map(({ path }) => path);
    expect(found).toEqual([...new Set(needed)].toSorted());
  });
});
