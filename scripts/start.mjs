// `npm start`: builds when the sources are newer than the build, then serves in the same process.
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

function newest(folder) {
  return readdirSync(folder, { withFileTypes: true }).reduce((latest, entry) => {
    const path = join(folder, entry.name);
    return Math.max(latest, entry.isDirectory() ? newest(path) : statSync(path).mtimeMs);
  }, 0);
}

function builtAt() {
  try {
    return statSync(join(root, 'dist', 'built')).mtimeMs;
  } catch {
    return 0;
  }
}

if (newest(join(root, 'src')) > builtAt()) {
  const build = spawnSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' });
  if (build.status !== 0) process.exit(build.status ?? 1);
}
process.argv.splice(2, 0, 'serve');
await import('../dist/cli.js');
