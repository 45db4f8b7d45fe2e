import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/db/sqlite/open-database.ts';
import { freshDatabase } from '../support/servers/fresh.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-cli-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

type Finished = { code: number | null; stdout: string; stderr: string };

/** Runs the command line on a store of its own. */
function palimpsest(args: string[], environment: Record<string, string> = {}): Promise<Finished> {
  const child = spawn(process.execPath, [join(ROOT, 'dist/cli.js'), ...args], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: `file:${join(folder, 'store.db')}`,
      LOG_LEVEL: 'silent',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const finished: Finished = { code: null, stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (finished.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (finished.stderr += text));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ ...finished, code }));
  });
}

function lines(text: string): unknown[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
}

/** A chat of three messages with a tool call, one line each. */
function writeTranscript(name: string): string {
  const path = join(folder, name);
  const call = {
    id: 'c1',
    type: 'function',
    function: { name: 'bash', arguments: '{"command":"ls"}' },
  };
  const messages = [
    { role: 'user', content: 'What is in this folder?' },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'c1', content: 'src test' },
    { role: 'assistant', content: 'Two folders.' },
  ];
  writeFileSync(path, JSON.stringify(messages));
  return path;
}

describe('command line', () => {
  it('--help names the commands, the exit codes and where settings come from', async () => {
    const { code, stdout } = await palimpsest(['--help']);
    expect(code).toBe(0);
    for (const word of ['serve', 'import', 'verify', 'export', 'DATABASE_URL', '2 wrong usage']) {
      expect(stdout).toContain(word);
    }
  });

  it.each([
    ['an unknown command', ['frobnicate'], {}, 'frobnicate'],
    ['an unknown option', ['verify', '--hard'], {}, '--hard'],
    ['a missing option', ['archive'], {}, '(run palimpsest archive --help for usage)'],
    ['a missing argument', ['diff', 's'], {}, '(run palimpsest diff --help for usage)'],
    ['a missing argument', ['export'], {}, 'session'],
    ['a wrong value', ['import', 'x', '--context-window', 'many'], {}, 'whole number of tokens'],
    [
      'an address that is none',
      ['list', '--url', 'localhost:8787'],
      {},
      '--url (or PALIMPSEST_URL)',
    ],
    ['a wrong setting', ['verify'], { PORT: 'http' }, 'PORT: '],
  ])('exits 2 for %s and says what is wrong', async (_name, args, environment, word) => {
    const { code, stdout, stderr } = await palimpsest(args, environment);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(word);
  });

  it.each([['verify'], ['export', 's']])(
    '%s refuses a store that is not there',
    async (...args) => {
      const path = join(folder, 'deeper', 'empty.db');
      expect(await palimpsest(args, { DATABASE_URL: `file:${path}` })).toEqual({
        code: 2,
        stdout: '',
        stderr: `there is no database at ${path}: set DATABASE_URL=file:PATH to the one you mean\n`,
      });
    },
  );

  it('list says where it has looked, and that it could ask a service', async () => {
    expect(await palimpsest(['list'], { DATABASE_URL: 'file:./nowhere/empty.db' })).toEqual({
      code: 2,
      stdout: '',
      stderr:
        `there is no database at ${join(ROOT, 'nowhere/empty.db')}: set DATABASE_URL=file:PATH to the one ` +
        'you mean, or --url to the address of a service that is running\n',
    });
  });

  it('import makes no store where no file can be read', async () => {
    const strange = join(folder, 'nothing.txt');
    writeFileSync(strange, 'no transcript at all');
    const path = join(folder, 'unmade.db');
    for (const command of ['import', 'sync']) {
      const { code } = await palimpsest([command, strange], { DATABASE_URL: `file:${path}` });
      expect({ command, code, isMade: existsSync(path) }).toEqual({
        command,
        code: 1,
        isMade: false,
      });
    }
  });

  it('prints its answer, and of the log only what goes wrong, unless it is asked for', async () => {
    const DATABASE_URL = `file:${join(folder, 'quiet.db')}`;
    const file = writeTranscript('quiet.json');
    // As where nobody has set it.
    const quiet = { DATABASE_URL, LOG_LEVEL: '' };
    expect(await palimpsest(['import', file], quiet)).toMatchObject({ code: 0, stderr: '' });
    expect(await palimpsest(['list'], quiet)).toMatchObject({ code: 0, stderr: '' });
    expect(await palimpsest(['show', 'nobody'], quiet)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^there is no session "nobody" in the store .*\n$/),
    });
    const { stderr } = await palimpsest(['list'], { DATABASE_URL, LOG_LEVEL: 'info' });
    expect(stderr).toContain('"msg":"request"');
  });

  it('imports a transcript, exports it again, and verifies the store', async () => {
    const file = writeTranscript('chat.json');
    const imported = await palimpsest([
      'import',
      file,
      '--json',
      '--id-prefix',
      'my-',
      '--context-window',
      '16000',
    ]);
    expect(imported).toMatchObject({ code: 0, stderr: '' });
    expect(lines(imported.stdout)).toEqual([
      {
        id: 'my-chat',
        format: 'openai-chat',
        items: 4,
        skipped: {},
        tokens: expect.any(Number),
        compactions: { micro: 0, full: 0, skipped: 0, failed: 0 },
      },
    ]);

    const exported = await palimpsest(['export', 'my-chat', '--rollout']);
    expect(exported).toMatchObject({ code: 0, stderr: '' });
    const records = lines(exported.stdout);
    expect(records[0]).toMatchObject({ type: 'session_meta' });
    expect(
      records.filter((record) => (record as { type: string }).type === 'response_item'),
    ).toHaveLength(4);

    expect(await palimpsest(['verify'])).toMatchObject({
      code: 0,
      stdout: '1 session, 5 events: ok\n',
    });
  });

  it('exits 1 for files that cannot be imported, names each, and goes on', async () => {
    const fine = writeTranscript('fine.json');
    const missing = join(folder, 'missing.json');
    const strange = join(folder, 'strange.json');
    writeFileSync(strange, 'no transcript at all');
    const { code, stdout, stderr } = await palimpsest([
      'import',
      missing,
      folder,
      strange,
      fine,
      '--json',
    ]);
    expect(code).toBe(1);
    expect(stderr).toContain(`${missing}: there is no such file\n`);
    expect(stderr).toContain(`${folder}: it is a folder: name the files in it\n`);
    expect(stderr).toContain(`\n${strange} is in no known transcript format. Seen: text`);
    expect(lines(stdout)).toMatchObject([{ id: 'fine', items: 4 }]);
  });

  it('imports for the tenant that is named, and says when no key opens the one that is not', async () => {
    const file = writeTranscript('of-a-tenant.json');
    const store = { DATABASE_URL: `file:${join(folder, 'tenants.db')}` };
    const imported = await palimpsest(['import', file, '--tenant', 'team-a'], store);
    expect(imported).toMatchObject({ code: 0, stderr: '' });
    const exported = await palimpsest(['export', 'of-a-tenant', '--tenant', 'team-a'], store);
    expect(exported).toMatchObject({ code: 0 });
    expect(await palimpsest(['export', 'of-a-tenant'], store)).toMatchObject({ code: 1 });
    const keys = { ...store, PALIMPSEST_API_KEYS: 'team-a:SECRET' };
    const { stderr } = await palimpsest(['import', file, '--id-prefix', 'again-'], keys);
    expect(stderr).toContain('no key of PALIMPSEST_API_KEYS opens the tenant "local"');
    const both = ['import', file, '--url', 'http://127.0.0.1:1', '--tenant', 'team-a'];
    expect(await palimpsest(both, store)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('leave --tenant out'),
    });
  });

  it('exits 1 when there is no such session', async () => {
    expect(await palimpsest(['export', 'nobody'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'there is no session "nobody" of local in the store: --tenant names another\n',
    });
  });
});

it('a command says nothing of what only a service may lose', async () => {
  const { url, drop } = await freshDatabase();
  try {
    const quiet = { DATABASE_URL: url, LOG_LEVEL: '' };
    expect(await palimpsest(['list'], quiet)).toMatchObject({ code: 0, stderr: '' });
  } finally {
    await drop();
  }
});

describe('a store that cannot be opened', () => {
  it.each([
    [
      'PostgreSQL that is away',
      'postgres://u:hunter2@127.0.0.1:1/d',
      /postgres:\/\/127\.0\.0\.1:1\/d cannot be opened: connect ECONNREFUSED/,
    ],
    [
      'each server of a list',
      'postgres://u:hunter2@127.0.0.1:1,localhost:2/d',
      /postgres:\/\/127\.0\.0\.1:1,localhost:2\/d cannot be opened: .*no server of the list takes writes .*ECONNREFUSED/,
    ],
    ['a file in a file', 'file:package.json/x.db', /package\.json\/x\.db cannot be opened: /],
  ])('is named, without its password: %s', async (_name, DATABASE_URL, message) => {
    const { code, stderr } = await palimpsest(['serve'], { DATABASE_URL, PORT: '0' });
    expect(code).toBe(1);
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('hunter2');
  });

  it('is said to need a folder that can be written, where only its log cannot be opened', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'palimpsest-closed-'));
    const path = join(folder, 'x.db');
    const environment = { DATABASE_URL: `file:${path}` };
    try {
      openDatabase({ path }).close();
      mkdirSync(`${path}-wal`);
      expect(await palimpsest(['list'], environment)).toEqual({
        code: 1,
        stdout: '',
        stderr: `DATABASE_URL: ${path} cannot be opened: the file cannot be opened: this user must be able to write to it and to its folder, ${folder}\n`,
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('an import with what no session can have', () => {
  it.each([
    ['--profile', 'codex', 'must be one of "default", "claude-code"'],
    ['--context-window', '7', 'must be a whole number of tokens from 1000 to'],
  ])('makes no store: %s %s', async (option, value, why) => {
    const folder = mkdtempSync(join(tmpdir(), 'palimpsest-import-'));
    try {
      const file = join(folder, 'chat.json');
      writeFileSync(file, JSON.stringify([{ role: 'user', content: 'Paint it blue.' }]));
      const environment = { DATABASE_URL: `file:${join(folder, 'x.db')}` };
      for (const command of ['import', 'sync']) {
        const run = await palimpsest([command, file, option, value], environment);
        expect(run).toMatchObject({ code: 2, stdout: '' });
        expect(run.stderr).toContain(`${option}: ${why}`);
      }
      expect(readdirSync(folder)).toEqual(['chat.json']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
