import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * vitest `globalSetup`: builds `dist` once before any worker starts, when the sources are newer, so
 * that the tests which start real processes run what is in `src`. Throws with the compiler's output.
 */
export function setup(): void {
  if (newestIn(join(root, 'src')) <= builtAt()) return;
  const build = spawnSync('npm', ['run', '--silent', 'build'], { cwd: root, encoding: 'utf8' });
  if (build.status === 0) return;
  throw new Error(`the build failed:\n${build.stdout}${build.stderr}${build.error ?? ''}`);
}

function newestIn(folder: string): number {
  return readdirSync(folder, { withFileTypes: true }).reduce((latest, entry) => {
    const path = join(folder, entry.name);
    return Math.max(latest, entry.isDirectory() ? newestIn(path) : statSync(path).mtimeMs);
  }, 0);
}

/** `scripts/mark-build.mjs` touches this file after every complete build. */
function builtAt(): number {
  return statSync(join(root, 'dist', 'built'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
