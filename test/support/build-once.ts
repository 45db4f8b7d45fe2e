import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { isRulesOnly } from './vitest-projects.ts';

/**
 * vitest `globalSetup`: builds `dist` once before any worker starts, so that the tests which start
 * real processes run what is in `src`.
 */
export function setup(project: TestProject): void {
  if (!isRulesOnly(project)) build();
}

/** Builds `dist` when it is older than `src`. Throws when the compiler finds something. */
export function build(): void {
  const script = fileURLToPath(new URL('../../scripts/build-if-needed.mjs', import.meta.url));
  const { status } = spawnSync(process.execPath, [script], { stdio: 'inherit' });
  if (status !== 0) throw new Error('the build failed: see the compiler above');
}
