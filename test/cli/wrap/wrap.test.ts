import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ServiceProcess } from '../../support/service-process.ts';

const CLI = fileURLToPath(new URL('../../../dist/cli.js', import.meta.url));

let folder: string;
let environment: NodeJS.ProcessEnv;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-wrap-'));
  mkdirSync(join(folder, 'bin'));
  mkdirSync(join(folder, 'project'));
  const { PATH, HOME: _, ...rest } = process.env;
  const own = Object.entries(rest).filter(
    ([name]) => !/^(?:PALIMPSEST|ANTHROPIC|OPENAI|CLAUDE|CODEX)_/.test(name),
  );
  environment = {
    ...Object.fromEntries(own),
    PATH: [join(folder, 'bin'), PATH].join(delimiter),
    HOME: folder,
    // Nobody listens there.
    PORT: '9',
  };
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Puts a program by this name in front of all others. */
function install(name: string, script: string): void {
  const file = join(folder, 'bin', name);
  writeFileSync(file, `#!${process.execPath}\n${script}`);
  chmodSync(file, 0o755);
}

function wrap(...args: string[]) {
  const child = spawn(process.execPath, [CLI, 'wrap', ...args], {
    env: environment,
    cwd: join(folder, 'project'),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    said.out += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    said.err += chunk.toString();
  });
  const ended = new Promise<{ exit: number | null; out: string; err: string }>((resolve) =>
    child.on('close', (exit) => resolve({ exit, ...said })),
  );
  return { child, said, ended };
}

/** Tells what it was started with, and what answers at the address that it was given. */
const TELLS = `
const url = process.env.ANTHROPIC_BASE_URL;
fetch(url + '/healthz').then((answer) => answer.json()).then((health) => {
  console.log(JSON.stringify({ args: process.argv.slice(2), health: health.status, url }));
  process.exitCode = 7;
});`;

describe('palimpsest wrap', () => {
  test('says how to look again in words that a shell takes as they are meant', async () => {
    install('claude', '');
    environment.XDG_DATA_HOME = join(folder, "it's; here");
    const { err } = await wrap('claude').ended;
    const look = /look: (.*) palimpsest serve, then/.exec(err)?.[1];
    const shell = `${look} "${process.execPath}" -p process.env.DATABASE_URL`;
    expect(execFileSync('sh', ['-c', shell], { encoding: 'utf8' })).toBe(
      `file:${join(folder, "it's; here", 'palimpsest', 'palimpsest.db')}\n`,
    );
  });

  test('starts a service for the run, and ends as the program does', async () => {
    install('claude', TELLS);
    const { exit, out, err } = await wrap('claude', '--model', 'opus', '-p', 'hi').ended;
    expect(err).toMatch(
      /^palimpsest: 0 turns, 0 compactions, 0 tokens saved; look: DATABASE_URL=file:.*palimpsest\.db palimpsest serve, then http:\/\/127\.0\.0\.1:9\/\n$/,
    );
    expect(JSON.parse(out)).toMatchObject({ health: 'ok' });
    const { args, url } = JSON.parse(out);
    const server = { type: 'http', url: `${url}/mcp` };
    expect(args).toEqual([
      `--mcp-config=${JSON.stringify({ mcpServers: { palimpsest: server } })}`,
      ...['--model', 'opus', '-p', 'hi'],
    ]);
    expect(exit).toBe(7);
    // The log is with the user's data, and nothing in the folder that the agent works in.
    expect(existsSync(join(folder, '.local', 'share', 'palimpsest', 'palimpsest.db'))).toBe(true);
    expect(readdirSync(join(folder, 'project'))).toEqual([]);
    await expect(fetch(`${JSON.parse(out).url}/healthz`)).rejects.toThrow();
  });

  test('takes the service that runs', async () => {
    install('claude', TELLS);
    const service = await ServiceProcess.start({});
    try {
      const { out, err } = await wrap('--url', service.url, 'claude').ended;
      expect(JSON.parse(out)).toMatchObject({ url: service.url });
      expect(err).toContain(`look: ${service.url}/\n`);
    } finally {
      await service.dispose();
    }
  });

  test('passes on what it is told to end with, and says what ended the program', async () => {
    install('codex', "console.log('ready'); setInterval(() => {}, 1000);");
    const { child, said, ended } = wrap('codex', 'exec', 'hi');
    await expect.poll(() => said.out, { timeout: 30_000 }).toBe('ready\n');
    child.kill('SIGTERM');
    expect((await ended).exit).toBe(128 + 15);
  });

  test('says what is wrong with the port, and starts nothing', async () => {
    install('codex', "console.log('started');");
    environment.PORT = 'abc';
    expect(await wrap('codex').ended).toEqual({
      exit: 2,
      out: '',
      err: 'PORT: must be a whole number from 0 to 65535, such as 8787\n',
    });
  });

  test.each([
    [['constructor'], /^"constructor" is not known: claude and codex can be wrapped/],
    [['claude'], /^"claude" was not found: install it, or add its folder to PATH\n$/],
    [
      ['vim'],
      /^"vim" is not known: claude and codex can be wrapped\. For all others set the base URL/,
    ],
    [
      ['--url', 'http://127.0.0.1:9', 'claude'],
      /^no service answers at http:\/\/127\.0\.0\.1:9: check --url/,
    ],
  ])('%j is refused in words', async (args, expected) => {
    environment.PATH = join(folder, 'bin');
    const { exit, err } = await wrap(...args).ended;
    expect(err).toMatch(expected);
    expect(exit).toBe(1);
  });
});
