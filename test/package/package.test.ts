import { execFile, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageVersion } from '../../src/package-version.ts';
import { ROOT, readText } from '../house/sources.ts';
import { bareEnvironment, packInto, serveFrom } from '../support/packed-package.ts';

const run = promisify(execFile);
/** Of node_modules, in bytes: SQLite alone has 27 MB, on Node 20 twice. */
const MOST_BYTES = 110e6;
/** Without prebuilt binaries SQLite is compiled. */
const INSTALL_MS = 600_000;

/** What who installs the tarball has: no lock of ours, no overrides, no allowed scripts. */
describe('the package', () => {
  let folder = '';
  let tarball = '';
  let files: string[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'palimpsest-package-'));
    const packed = await packInto(folder);
    tarball = join(folder, packed.name);
    files = packed.files;
    writeFileSync(join(folder, 'package.json'), '{"private": true, "type": "module"}');
    const install = ['install', '--omit=dev', '--no-audit', '--no-fund', `./${packed.name}`];
    await run('npm', install, { cwd: folder });
  }, INSTALL_MS);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('holds what it runs with, and nothing else', () => {
    const known =
      /^(?:dist\/.*\.(?:js|d\.ts|css|svg)|dist\/api\/reference\/(?:(?:examples|openapi)\.json|assets\/(?:LICENSE|NOTICE))|migrations\/.*\.sql|templates\/.*\.md|package\.json|(?:README|CHANGELOG|NOTICES)\.md|LICENSE|\.env\.example)$/;
    expect(files.filter((path) => !known.test(path))).toEqual([]);
    const types = files.filter((path) => path.endsWith('.d.ts'));
    expect(
      types.filter((path) => !/^dist\/types\/(?:client|adapters|in-process)/.test(path)),
    ).toEqual([]);
    expect(types).toContain('dist/types/client/client.d.ts');
    // Nothing that is left of sources that are gone.
    const sources = files
      .filter((path) => /^dist\/(?!bundle\/).*\.js$/.test(path) && !path.includes('/assets/'))
      .map((path) => path.replace(/^dist/, 'src').replace(/\.js$/, '.ts'));
    const gone = (path: string) => [path, `${path}x`].every((one) => !existsSync(join(ROOT, one)));
    expect(sources.filter(gone)).toEqual([]);
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'NOTICES.md', 'templates/system.md']));
  });

  test('has entry points that other tools find right', async () => {
    const program = (name: string) => join(ROOT, 'node_modules/.bin', name);
    // Both fail with what is wrong.
    await run(program('publint'), [tarball, '--strict']);
    const { stdout } = await run(program('attw'), [tarball, '--profile', 'esm-only']);
    const names = ['client', 'in-process', 'ai-sdk', 'langchain', 'openai-agents'];
    for (const name of [...names, 'claude-agent-sdk']) {
      expect(stdout).toContain(`palimpsest/${name}`);
    }
  });

  test('is small: what the default does not need is not installed', () => {
    const modules = join(folder, 'node_modules');
    for (const name of [
      'ai',
      '@aws-sdk',
      '@openai',
      '@ai-sdk',
      'bullmq',
      'ioredis',
      'gpt-tokenizer',
      'swagger-ui-dist',
    ]) {
      expect(existsSync(join(modules, name)), name).toBe(false);
    }
    expect(bytesOf(modules)).toBeLessThan(MOST_BYTES);
  });

  test(
    'can be installed beside each framework, as its example says',
    async () => {
      const beside = async (name: string) => {
        const [, install = ''] =
          /npm (install palimpsest .*)/.exec(readText(`examples/${name}`)) ?? [];
        const cwd = join(folder, name);
        mkdirSync(cwd);
        writeFileSync(join(cwd, 'package.json'), '{"private": true}');
        const given = install.replace('palimpsest', tarball).split(' ');
        // It fails where what the one wants is none of what the other wants.
        const { stdout } = await run('npm', [...given, '--dry-run', '--no-audit'], { cwd });
        expect(stdout, name).toMatch(/added \d+ packages/);
      };
      // Each waits for the registry most of the time.
      await Promise.all(readdirSync(join(ROOT, 'examples')).map(beside));
    },
    INSTALL_MS,
  );

  test('says its version', async () => {
    const { stdout } = await run('npx', ['palimpsest', '--version'], { cwd: folder });
    expect(stdout.trim()).toBe(packageVersion());
  });

  test('serves, compacts, shows its reference and stops', async () => {
    const { url, output, stop } = await serveFrom(folder, { ANTHROPIC_API_KEY: 'none' });
    try {
      // A key of a provider alone is no reason to fail.
      expect(output).toMatch(/summaries: {2}extractive: .*npm install ai@6/);
      const agent = `
        import { createClient } from 'palimpsest/client';
        const palimpsest = createClient({ url: '${url}' });
        const items = [];
        for (let turn = 1; turn <= 60; turn++) {
          items.push({ role: 'user', content: 'turn ' + turn + ' ' + 'word '.repeat(500) });
          items.push({ role: 'assistant', content: 'answer ' + turn });
          const { context } = await palimpsest.syncSession(
            { id: 'agent', body: { items, wait: 'compaction' } });
          if (context.tokens > 200_000) throw new Error('too large: ' + context.tokens);
        }
        await palimpsest.compact({ id: 'agent', body: { mode: 'full' } }, { waitSeconds: 30 });
        console.log(JSON.stringify(await palimpsest.getContext({ id: 'agent' })));`;
      writeFileSync(join(folder, 'agent.mjs'), agent);
      const { stdout } = await run(process.execPath, ['agent.mjs'], { cwd: folder });
      expect(JSON.parse(stdout)).toMatchObject({ base_compaction_id: expect.any(String) });
      const page = await fetch(`${url}/docs/assets/swagger-ui-bundle.js`);
      expect(page.status).toBe(200);
      const counted = await fetch(`${url}/sessions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ config: { token_counter: 'o200k_base' } }),
      });
      expect(counted.status).toBe(400);
      expect(await counted.text()).toContain('npm install gpt-tokenizer@4');
    } finally {
      await stop();
    }
  });

  test('says what to install for a queue and for an archive in S3', () => {
    const cli = join(folder, 'node_modules', '.bin', 'palimpsest');
    const serve = (more: Record<string, string>) =>
      spawnSync(cli, ['serve'], { cwd: folder, env: bareEnvironment(more), encoding: 'utf8' });
    const queue = serve({ REDIS_URL: 'redis://127.0.0.1:1' });
    expect(queue.status).toBe(2);
    expect(queue.stderr).toMatch(/REDIS_URL cannot be used: .*npm install bullmq@6 ioredis@5/);
    const archive = serve({ PALIMPSEST_ARCHIVE: 's3://bucket/prefix' });
    expect(archive.status).toBe(2);
    expect(archive.stderr).toMatch(
      /the archive in S3 cannot be used: .*npm install @aws-sdk\/client-s3@3/,
    );
  });

  test('has typed entry points that need nothing else', async () => {
    const right = `
      import { createClient, ProblemError, type Appended } from 'palimpsest/client';
      import { startInProcess } from 'palimpsest/in-process';
      const { client, stop } = await startInProcess();
      const other = createClient({ url: 'http://127.0.0.1:8787', key: 'k' });
      const appended: Appended = await client.appendItems({ id: 'a', body: [{ role: 'user' }] });
      for await (const { seq } of other.each('listItems', { id: 'a' })) seq.toFixed();
      try { await stop(); } catch (error) { if (error instanceof ProblemError) error.status; }
      export const version: number = appended.version;`;
    mkdirSync(join(folder, 'typed'));
    writeFileSync(join(folder, 'typed', 'right.ts'), right);
    writeFileSync(
      join(folder, 'typed', 'wrong.ts'),
      `import { createClient } from 'palimpsest/client';\nawait createClient().getSession({ idd: 'a' });`,
    );
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023'];
    const checked = spawnSync(
      join(ROOT, 'node_modules', '.bin', 'tsc'),
      [...options, 'typed/right.ts', 'typed/wrong.ts'],
      { cwd: folder, encoding: 'utf8' },
    );
    const lines = checked.stdout
      .trim()
      .split('\n')
      .filter((line) => line.includes('error'));
    expect(lines).toEqual([expect.stringMatching(/^typed\/wrong\.ts.*idd/)]);
  });
});

function bytesOf(path: string): number {
  const stats = statSync(path);
  if (!stats.isDirectory()) return stats.size;
  return readdirSync(path).reduce((sum, name) => sum + bytesOf(join(path, name)), 0);
}
