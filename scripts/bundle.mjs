// Loading a file for each module of ours is half of what a start takes: what processes and threads begin
// with is put together in dist/bundle, and what the compiler made of it hands on to that. The rest of dist
// stays file by file, for those who import it.
import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const src = join(root, 'src');
const bundle = join(root, 'dist', 'bundle');
/** None of them may have the name of another. */
const ENTRIES = ['cli', 'cli/hook/work', 'threads/thread'];

/** A module looks for files beside where the compiler has put it, not where it is bundled. */
const whereItWas = {
  name: 'where-it-was',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]src[\\/].*\.tsx?$/ }, async ({ path }) => {
      const code = await readFile(path, 'utf8');
      const built = relative(src, path)
        .replaceAll('\\', '/')
        .replace(/\.tsx?$/, '.js');
      const contents = code.replaceAll(
        'import.meta.url',
        `new URL('../${built}', import.meta.url).href`,
      );
      return { contents, loader: path.endsWith('x') ? 'tsx' : 'ts' };
    });
  },
};

await build({
  absWorkingDir: root,
  entryPoints: ENTRIES.map((name) => join(src, `${name}.ts`)),
  outdir: bundle,
  entryNames: '[name]',
  chunkNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  packages: 'external',
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  sourcemap: true,
  logLevel: 'warning',
  plugins: [whereItWas],
});

for (const name of ENTRIES) {
  const file = join(root, 'dist', `${name}.js`);
  const there = relative(dirname(file), join(bundle, `${name.split('/').at(-1)}.js`));
  const shebang = name === 'cli' ? '#!/usr/bin/env node\n' : '';
  writeFileSync(file, `${shebang}export * from './${there.replaceAll('\\', '/')}';\n`);
}
