import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { exportCommand } from '../../src/cli/export-session.ts';
import { type ImportFlags, importCommand } from '../../src/cli/import-files.ts';
import { verifyCommand } from '../../src/cli/verify.ts';
import { readSettings } from '../../src/config.ts';
import { isJsonObject, type Json, type JsonObject } from '../../src/domain/json.ts';
import { type Service, startService } from '../../src/service.ts';
import { HOOK_SECRET, HookServer, replies } from '../support/hook-server.ts';
import { assistant, ofTokens, tool, user } from '../support/items.ts';
import { freshDatabase } from '../support/servers/fresh.ts';

let folder: string;
let first: string;
let second: string;
const drops: (() => Promise<void>)[] = [];

async function newDatabase(name: string): Promise<string> {
  if (inject('store') === 'sqlite') return `file:${join(folder, `${name}.db`)}`;
  const database = await freshDatabase();
  drops.push(() => database.drop());
  return database.url;
}

type Finished = { code: number | null; stdout: string; stderr: string };

/** The commands of the command line in this process: to start one takes longer than all they do. */
async function palimpsest(
  DATABASE_URL: string,
  command: 'import' | 'export' | 'verify',
  name = '',
  flags: ImportFlags & { rollout?: boolean } = {},
): Promise<Finished> {
  vi.stubEnv('DATABASE_URL', DATABASE_URL);
  vi.stubEnv('LOG_LEVEL', 'silent');
  const written: Record<'stdout' | 'stderr', string[]> = { stdout: [], stderr: [] };
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      written.stdout.push(String(text));
      return true;
    }),
    vi.spyOn(console, 'log').mockImplementation((text) => void written.stdout.push(`${text}\n`)),
    vi.spyOn(console, 'error').mockImplementation((text) => void written.stderr.push(`${text}\n`)),
  ];
  try {
    const worked = await run(command, name, flags);
    const [stdout, stderr] = [written.stdout.join(''), written.stderr.join('')];
    return { code: worked ? 0 : 1, stdout, stderr };
  } finally {
    for (const spy of spies) spy.mockRestore();
    vi.unstubAllEnvs();
  }
}

function run(
  command: 'import' | 'export' | 'verify',
  name: string,
  flags: ImportFlags & { rollout?: boolean },
): Promise<boolean> {
  switch (command) {
    case 'import':
      return importCommand([name], flags);
    case 'export':
      return exportCommand(name, { tenant: 'local', rollout: flags.rollout ?? false });
    case 'verify':
      return verifyCommand({});
    default:
      return command satisfies never;
  }
}

async function withService<T>(
  DATABASE_URL: string,
  use: (ask: Ask) => Promise<T>,
  more: Record<string, string> = {},
): Promise<T> {
  const environment = { DATABASE_URL, LOG_LEVEL: 'silent', ...more };
  const service = await startService(readSettings(environment), environment);
  try {
    return await use((path, json, headers) => ask(service, path, json, headers));
  } finally {
    await service.stop();
  }
}

type Ask = (path: string, json?: Json, headers?: Record<string, string>) => Promise<JsonObject>;

async function ask(
  service: Service,
  path: string,
  json?: Json,
  headers: Record<string, string> = {},
): Promise<JsonObject> {
  const init =
    json === undefined
      ? {}
      : {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify(json),
        };
  const response = await service.fetch(new Request(`http://localhost${path}`, init));
  const body: unknown = await response.json();
  if (!response.ok || !isJsonObject(body)) throw new Error(`${path}: ${JSON.stringify(body)}`);
  return body;
}

/** Everything that a client can see of a session. */
async function seen(database: string, id: string) {
  return withService(database, async (get) => {
    const path = `/sessions/${id}`;
    const state = await get(path);
    const events = await get(`${path}/events?limit=500`);
    const items = await get(`${path}/items?limit=500`);
    const compactions = await get(`${path}/compactions?limit=500`);
    const contexts = [];
    for (let at = 1; at <= Number(state.version); at++) {
      contexts.push(await get(`${path}/context?at=${at}`));
    }
    return { state, events, items, compactions, contexts };
  });
}

const file = (name: string) => join(folder, name);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-a10-'));
  first = await newDatabase('first');
  second = await newDatabase('second');
  const hooks = await HookServer.start();
  const { url } = hooks.hook('PostCompact', [replies({ items: [user('From the hook.')] })]);
  const config = file('palimpsest.toml');
  writeFileSync(
    config,
    `[[hooks]]\nevent = "PostCompact"\nurl = "${url}"\nsecret_env = "HOOK_SECRET"\n`,
  );
  await withService(
    first,
    async (call) => {
      await fill(call);
      await settled(async () => {
        expect((await call('/sessions/A/events?types=hook.ran')).data).not.toEqual([]);
      });
    },
    { PALIMPSEST_CONFIG: config, HOOK_SECRET },
  );
  await hooks.close();
});

afterAll(async () => {
  for (const drop of drops) await drop();
  rmSync(folder, { recursive: true });
});

/** A session with calls, a micro and a full compaction, a revert, and one that was forked from it. */
/** `expect.poll` works inside a test only, and these sessions are made before the first. */
function settled(holds: () => Promise<void>): Promise<void> {
  return vi.waitFor(holds, { timeout: 30_000, interval: 50 });
}

async function fill(call: Ask): Promise<void> {
  const wait = { prefer: 'wait=30' };
  await call('/sessions', {
    id: 'A',
    context_window: 32_000,
    config: { protected_tokens: 0, micro_compact_target_tokens: 100 },
    initial_context: [user('Project rules: never touch the lexer.')],
    metadata: { team: 'red', ids: [1, 2], 10: 'ten', 2: 'two' },
  });
  const reads = Array.from({ length: 6 }, (_, i) =>
    tool(`c${i}`, 'Read', 900, { file_path: `/src/f${i}.ts` }),
  ).flat();
  await call('/sessions/A/items', [user('Read the files.'), ...reads, assistant('Read.')]);
  await call('/sessions/A/compact', { mode: 'micro' }, wait);
  await call('/sessions/A/items', [user(`Now — “fix” it. ${ofTokens(2_000)}`), assistant('Done.')]);
  const full = await call('/sessions/A/compact', { mode: 'full' }, wait);
  expect(full.outcome).toBe('full_compacted');
  await call('/sessions/A/items', [user('Go on.'), assistant(ofTokens(2_000)), user('More.')]);
  const again = await call('/sessions/A/compact', { mode: 'full' }, wait);
  await call(`/sessions/A/compactions/${again.id}/revert`, {});
  await call('/sessions/A/fork', { id: 'fork' });
  await call('/sessions', { id: 'packets', profile: 'rawr', context_window: 40_000 });
  await call('/sessions/packets/items', [
    user('Make the parser accept trailing commas.'),
    assistant(ofTokens(12_000)),
    user('And the changelog.'),
    assistant('The changelog is done.'),
  ]);
  const turn = await call('/sessions/packets/signals', { signal: 'turn_complete' });
  if (turn.packet !== null) {
    await call('/sessions/packets/packet', { text: 'Goal: commas.\n\nNext step: the tests.' });
  }
  await settled(async () => {
    expect((await call('/sessions/packets')).running_compaction).toBeNull();
  });
  await call('/sessions', { id: 'chat', format: 'openai-chat', model: 'gpt-5.4' });
  await call('/sessions/chat/items', [user('Hello'), assistant('Hi.')]);
}

describe('A10: an export imports as the same session', () => {
  // The program itself, as any release has it; the cases below call its commands in this process.
  it('export A > A.jsonl; import A.jsonl', async () => {
    const third = await newDatabase('third');
    const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
    const run = promisify(execFile);
    const on = (DATABASE_URL: string) => ({
      env: { PATH: process.env.PATH, DATABASE_URL, LOG_LEVEL: 'silent' },
      maxBuffer: 100_000_000,
    });
    const exported = await run(process.execPath, [cli, 'export', 'A'], on(first));
    const path = file('A-by-hand.jsonl');
    writeFileSync(path, exported.stdout);
    const imported = await run(process.execPath, [cli, 'import', path, '--json'], on(third));
    expect(imported.stderr).toBe('');
    expect(JSON.parse(imported.stdout)).toMatchObject({ id: 'A', format: 'anthropic' });
    expect(await seen(third, 'A')).toEqual(await seen(first, 'A'));
  });

  it.each(['A', 'fork', 'packets', 'chat'])(
    'session %s: events, items, compactions, and the context at every version',
    async (id) => {
      const exported = await palimpsest(first, 'export', id);
      expect(exported).toMatchObject({ code: 0, stderr: '' });
      writeFileSync(file(`${id}.jsonl`), exported.stdout);
      const imported = await palimpsest(second, 'import', file(`${id}.jsonl`), { json: true });
      expect(imported).toMatchObject({ code: 0, stderr: '' });
      expect(JSON.parse(imported.stdout)).toMatchObject({ id, skipped: {} });
      expect(await seen(second, id)).toEqual(await seen(first, id));
      expect(await palimpsest(second, 'verify')).toMatchObject({ code: 0 });
      // And once more: nothing is lost on the way.
      expect((await palimpsest(second, 'export', id)).stdout).toBe(exported.stdout);
    },
  );

  it('goes on as the session that it is', async () => {
    await withService(second, async (call) => {
      await call('/sessions/A/items', [user('Are you there?')]);
      const { outcome } = await call(
        '/sessions/A/compact',
        { mode: 'full' },
        { prefer: 'wait=30' },
      );
      expect(outcome).toBe('full_compacted');
    });
    expect(await palimpsest(second, 'verify')).toMatchObject({ code: 0 });
  });

  it('takes another id with --id-prefix, gzipped too, and refuses one that is taken', async () => {
    const taken = await palimpsest(second, 'import', file('chat.jsonl'));
    expect(taken.code).toBe(1);
    expect(taken.stderr).toContain(
      'session "chat" already exists: import the export under another id with --id-prefix',
    );
    writeFileSync(file('chat.jsonl.gz'), gzipSync(readFileSync(file('chat.jsonl'))));
    const flags = { idPrefix: 'copy-of-' };
    expect(await palimpsest(second, 'import', file('chat.jsonl.gz'), flags)).toMatchObject({
      code: 0,
      stderr: '',
    });
    const [original, copy] = [await seen(second, 'chat'), await seen(second, 'copy-of-chat')];
    expect(copy.items).toEqual(original.items);
    expect(copy.contexts.at(-1)?.items).toEqual(original.contexts.at(-1)?.items);
    expect(await palimpsest(second, 'verify')).toMatchObject({ code: 0 });
  });

  it.each<[string, (lines: string[]) => string[], RegExp]>([
    [
      'an edited word',
      (lines) => lines.map((line) => line.replace('Hello', 'Hallo')),
      /line 3: .*version 2 \(item\.appended\) does not match its hash: it was changed/,
    ],
    [
      'a missing line',
      (lines) => lines.toSpliced(2, 1),
      /line 3: .*version 3 stands where version 2/,
    ],
    ['a missing end', (lines) => lines.slice(0, -1), /line 3: .*holds 2 of the session's 3 events/],
    [
      'a torn line',
      (lines) => lines.with(3, lines[3]?.slice(0, -9) ?? ''),
      /line 4: not valid JSON/,
    ],
    [
      'a newer release',
      (lines) => lines.with(0, lines[0]?.replace('"export_version":1', '"export_version":9') ?? ''),
      /line 1: the export has version 9, this release reads 1/,
    ],
  ])('refuses %s, and names the line', async (name, damage, words) => {
    const lines = readFileSync(file('chat.jsonl'), 'utf8').trimEnd().split('\n');
    const path = file(`${name.replaceAll(' ', '-')}.jsonl`);
    writeFileSync(path, damage(lines).join('\n'));
    const flags = { idPrefix: 'damaged-' };
    const { code, stdout, stderr } = await palimpsest(second, 'import', path, flags);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(words);
  });

  it('says where an export goes, and what it keeps', async () => {
    const over = await palimpsest(second, 'import', file('chat.jsonl'), {
      url: 'http://127.0.0.1:1',
    });
    expect(over).toMatchObject({ code: 1, stdout: '' });
    expect(over.stderr).toContain('run the import without --url');
    const other = await palimpsest(second, 'import', file('chat.jsonl'), { profile: 'rawr' });
    expect(other).toMatchObject({ code: 1, stdout: '' });
    expect(other.stderr).toContain('an export keeps its own profile');
  });
});

describe('A10: the audit trail, which release 0.1.0 wrote as its export', () => {
  it.each([
    ['A', 'anthropic'],
    ['fork', 'anthropic'],
    ['chat', 'openai-chat'],
  ])('of %s is not taken for a Codex file: same format, same items', async (id, format) => {
    const trail = await palimpsest(first, 'export', id, { rollout: true });
    expect(trail).toMatchObject({ code: 0, stderr: '' });
    writeFileSync(file(`trail-${id}.jsonl`), trail.stdout);
    const imported = await palimpsest(second, 'import', file(`trail-${id}.jsonl`), {
      json: true,
    });
    expect(imported).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(imported.stdout)).toMatchObject({ id: `trail-${id}`, format });
    const [own, parent] = [await seen(second, `trail-${id}`), await seen(first, id)];
    const itemsOf = ({ items }: { items: JsonObject }) =>
      (Array.isArray(items.data) ? items.data : []).flatMap((row) =>
        isJsonObject(row) ? [row.item] : [],
      );
    expect(itemsOf(own)).toEqual(expect.arrayContaining(itemsOf(parent)));
    const { profile, context_window } = parent.state;
    expect(own.state).toMatchObject({ profile, context_window });
  });
});
