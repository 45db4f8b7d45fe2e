import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { LAST_WORDS, taskProvider } from '../adapters/task-provider.ts';
import { ROOT, readText } from '../house/sources.ts';
import { bareEnvironment, packInto, serveFrom } from '../support/packed-package.ts';
import { examplesOf } from '../support/run-example.ts';

/** The ten lines of docs/package.md, from an empty folder, with the tarball. */

const run = promisify(execFile);
const WINDOW = 10_000;
const ROUNDS = 40;
/** Files of this size are some 1,500 tokens: two a round are ten windows in all. */
const SIZES = { least: 4_500, most: 9_000 };
const INSTALL_MS = 600_000;

let folder = '';
let readable: string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-quick-'));
  const { name, files } = await packInto(folder);
  const page = readText('docs/package.md').split('## Ten lines')[1] ?? '';
  const [, install = ''] = /^(npm install .*)$/m.exec(page) ?? [];
  expect(install).toContain(`./${name} `);
  expect(page).toContain('\nnpx palimpsest serve\n');
  await run('npm', [...install.split(' ').slice(1), '--ignore-scripts'], { cwd: folder });
  useOurDriver(join(folder, 'node_modules'));
  readable = files
    .filter((path) => path.endsWith('.js'))
    .map((path) => `node_modules/palimpsest/${path}`)
    .filter((path) => {
      const { length } = readFileSync(join(folder, path));
      return length > SIZES.least && length < SIZES.most;
    });
  expect(readable.length).toBeGreaterThan(2 * ROUNDS);
}, INSTALL_MS);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** SQLite as it is built here: that it builds where it is installed is shown beside this file. */
function useOurDriver(modules: string): void {
  for (const name of readdirSync(modules).filter((name) => name.startsWith('better-sqlite3'))) {
    const ours = join(ROOT, 'node_modules', name, 'build');
    if (existsSync(ours)) cpSync(ours, join(modules, name, 'build'), { recursive: true });
  }
}

test('two commands and ten lines give an agent whose context never overflows, which the inspector shows', async () => {
  const [code = ''] = examplesOf('docs/package.md');
  expect(code.trim().split('\n')).toHaveLength(10);
  const callOf = (step: number) => ({ name: 'read', input: { path: readable[step] } });
  const provider = await taskProvider({ rounds: ROUNDS, window: WINDOW, callOf });
  const { url, stop } = await serveFrom(folder);
  try {
    // It is served on a free port here.
    const here = code.replace('palimpsest({ ', `palimpsest({ url: '${url}', `);
    writeFileSync(join(folder, 'agent.mts'), here);
    const env = bareEnvironment({ OPENAI_API_KEY: 'any', OPENAI_BASE_URL: provider.url });
    const tsx = join(ROOT, 'node_modules/.bin/tsx');
    const { stdout } = await run(tsx, ['agent.mts'], { cwd: folder, env });
    expect(stdout).toBe(`${LAST_WORDS}\n`);
    expect(provider.problems).toEqual([]);
    const client = createClient({ url });
    let tokens = 0;
    for await (const item of client.each('listItems', { id: 'first' })) tokens += item.tokens;
    expect(tokens).toBeGreaterThan(10 * WINDOW);

    const page = async (path: string) => {
      const answer = await fetch(url + path, { headers: { accept: 'text/html' } });
      expect([path, answer.status]).toEqual([path, 200]);
      return answer.text();
    };
    expect(await page('/')).toContain('href="/inspect/sessions/first"');
    const timeline = await page('/inspect/sessions/first');
    const links = [
      ...timeline.matchAll(/href="(\/inspect\/sessions\/first\/compactions\/[^"/]+)"/g),
    ];
    expect(new Set(links.map(([, path]) => path)).size).toBeGreaterThanOrEqual(5);
    // The newest of all may have cleared results only, as the sizes of the files that were read have it.
    let summarised: string | null = null;
    for await (const { id, outcome } of client.each('listCompactions', { id: 'first' })) {
      if (outcome === 'full_compacted') summarised ??= id;
    }
    const newest = links.find(([, path]) => path?.endsWith(`/${summarised}`));
    expect(await page(newest?.[1] ?? '')).toContain(
      'User, first request: Read node_modules/palimpsest/dist/domain',
    );
    const log = await page('/inspect/sessions/first/log');
    expect(log).toMatch(/what is it about\?.*Round 0\..*Round 9\./s);
  } finally {
    await stop();
    await provider.close();
  }
});

test('the ten lines are TypeScript without a mistake', async () => {
  const [code = ''] = examplesOf('docs/package.md');
  writeFileSync(join(folder, 'checked.mts'), code);
  const types = join(ROOT, 'node_modules/@types');
  const options = [
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--module',
    'nodenext',
  ];
  const given = [...options, '--target', 'es2023', '--typeRoots', types, '--types', 'node'];
  const { stdout } = await run(join(ROOT, 'node_modules/.bin/tsc'), [...given, 'checked.mts'], {
    cwd: folder,
  }).catch((error: { stdout: string }) => error);
  expect(stdout).toBe('');
});
