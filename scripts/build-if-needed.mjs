// Builds when the sources are newer than the last complete build. Exits with the compiler's status
// when the build fails, so that nobody runs an old build by mistake.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

function newestIn(folder) {
  return readdirSync(folder, { withFileTypes: true }).reduce((latest, entry) => {
    const path = join(folder, entry.name);
    return Math.max(latest, entry.isDirectory() ? newestIn(path) : statSync(path).mtimeMs);
  }, 0);
}

/** `mark-build.mjs` touches this file after every complete build. */
const builtAt = statSync(join(root, 'dist', 'built'), { throwIfNoEntry: false })?.mtimeMs ?? 0;

if (newestIn(join(root, 'src')) > builtAt) {
  if (!existsSync(join(root, 'node_modules', 'typescript'))) {
    console.error('the dependencies are not installed: run npm ci first');
    process.exit(1);
  }
  console.error('building, which takes about half a minute, and only after changes …');
  const build = spawnSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' });
  if (build.status !== 0) process.exit(build.status ?? 1);
}
