import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import { ROOT, readText } from '../house/sources.ts';

const run = promisify(execFile);
const entrySchema = z.record(z.string(), z.union([z.string(), z.object({ default: z.string() })]));

/** The examples in TypeScript of a page, in order. */
export function examplesOf(path: string): string[] {
  return [...readText(path).matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);
}

/**
 * Runs an example as whoever has installed the package would, and answers what it has printed. It has to
 * be plain JavaScript. Throws with its output when it fails.
 */
export async function runExample(
  code: string,
  { url, ...variables }: { url?: string } & Record<string, string | undefined>,
): Promise<string> {
  // Here, so that the packages of the tests are found.
  const folder = await mkdtemp(join(ROOT, 'node_modules', '.example-'));
  try {
    const file = join(folder, 'example.mjs');
    const here = withBuiltEntries(code);
    await writeFile(file, url === undefined ? here : here.replaceAll('http://127.0.0.1:8787', url));
    const env = { PATH: process.env.PATH, ...variables };
    const { stdout } = await run(process.execPath, [file], { env, timeout: 150_000 });
    return stdout;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The entries of package.json are those of the build. */
export function withBuiltEntries(code: string): string {
  const { exports } = z
    .object({ exports: entrySchema })
    .parse(JSON.parse(readText('package.json')));
  return code.replaceAll(/'palimpsest\/([\w/-]+)'/g, (whole, name: string) => {
    const entry = exports[`./${name}`];
    if (typeof entry !== 'object') throw new Error(`package.json has no entry ${whole}`);
    return `'${pathToFileURL(join(ROOT, entry.default)).href}'`;
  });
}
