// Takes out of dist what the compiler has made of sources that are gone: the package would hold it.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const COMPILED = /^(?:types\/)?(.*?)(?:\.js|\.js\.map|\.d\.ts)$/;
/** Copied, not compiled. */
const ASSETS = /\/assets\//;

for (const path of readdirSync(join(root, 'dist'), { recursive: true })) {
  const [, name] = COMPILED.exec(path.replaceAll('\\', '/')) ?? [];
  if (name === undefined || ASSETS.test(name)) continue;
  const hasSource = ['.ts', '.tsx'].some((ending) => existsSync(join(root, 'src', name + ending)));
  if (!hasSource) rmSync(join(root, 'dist', path));
}
