import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ServiceProcess } from '../../support/service-process.ts';
import { shortestOf } from '../../support/shortest-of.ts';

const CLI = fileURLToPath(new URL('../../../dist/cli.js', import.meta.url));
const SESSION = '8f3c2c1e-1111-4222-8333-444455556666';

const folder = mkdtempSync(join(tmpdir(), 'palimpsest-hook-'));
const transcript_path = join(folder, `${SESSION}.jsonl`);
let service: ServiceProcess;
beforeAll(async () => {
  writeFileSync(
    transcript_path,
    [
      line(0, 'user', 'Mend the parser. Never touch the files below vendor/.'),
      line(1, 'assistant', [
        {
          type: 'tool_use',
          id: 'toolu_1',
          name: 'Edit',
          input: { file_path: '/w/src/parser.ts', old_string: 'a', new_string: 'b' },
        },
      ]),
      line(2, 'user', [
        {
          type: 'tool_result',
          tool_use_id: 'toolu_1',
          content: 'The file /w/src/parser.ts has been updated.',
        },
      ]),
    ].join('\n'),
  );
  service = await ServiceProcess.start({ PALIMPSEST_SUMMARIZATION_MODEL: 'extractive' });
});
afterAll(async () => {
  await service.dispose();
  rmSync(folder, { recursive: true });
});

function line(place: number, role: string, content: unknown): string {
  return JSON.stringify({
    type: role,
    uuid: `u${place}`,
    parentUuid: place === 0 ? null : `u${place - 1}`,
    sessionId: SESSION,
    timestamp: `2026-01-01T00:00:0${place}.000Z`,
    message: { role, content },
  });
}

async function hook(
  input: unknown,
  environment: NodeJS.ProcessEnv = { PALIMPSEST_URL: service.url },
) {
  const child = spawn(process.execPath, [CLI, 'hook', 'claude'], {
    cwd: folder,
    env: { ...process.env, ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(typeof input === 'string' ? input : JSON.stringify(input));
  const exit = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { exit: await exit, out, err };
}

/** What the hook says, asked again and again: on a busy machine it may have to give up in time. */
async function said(ask: () => ReturnType<typeof hook>) {
  let answer: Awaited<ReturnType<typeof hook>> = { exit: null, out: '', err: '' };
  const out = async () => {
    answer = await ask();
    return answer.out;
  };
  await expect.poll(out, { timeout: 240_000 }).not.toBe('');
  return answer;
}

const event = (hook_event_name: string, more = {}) => ({
  session_id: SESSION,
  transcript_path,
  cwd: '/w',
  hook_event_name,
  ...more,
});

describe('palimpsest hook claude', { timeout: 300_000 }, () => {
  test('tells a compaction what to keep, from the log that it has brought up to date', async () => {
    const ask = () => hook(event('PreCompact', { trigger: 'auto', custom_instructions: null }));
    const { exit, out, err } = await said(ask);
    expect([exit, err]).toEqual([0, '']);
    expect(out).toMatch(/^Keep all of this in the summary:\n\nStanding instructions of the user/);
    expect(out).toContain('Never touch the files below vendor/.');
    expect(out).toMatch(/Files that were changed:\n- .*parser\.ts/);
    const session = await fetch(`${service.url}/sessions/${SESSION}`);
    expect(await session.json()).toMatchObject({ counts: { items: 3 } });
  });

  test('gives the same to the session that begins after it', async () => {
    const ask = () => hook(event('SessionStart', { source: 'compact' }));
    const { hookSpecificOutput } = JSON.parse((await said(ask)).out);
    expect(hookSpecificOutput).toEqual({
      hookEventName: 'SessionStart',
      additionalContext: expect.stringContaining('Never touch the files below vendor/.'),
    });
  });

  test.each<[string, unknown]>([
    ['a session that begins anew', event('SessionStart', { source: 'startup' })],
    ['the end of a compaction', event('PostCompact', { compact_summary: 'x' })],
    ['a transcript that is not there', event('PreCompact', { transcript_path: '/nowhere.jsonl' })],
    ['what is no JSON', 'x'],
    ['what is no hook', {}],
  ])('says nothing to %s', async (_, input) => {
    expect(await hook(input)).toEqual({ exit: 0, out: '', err: '' });
  });

  // What is read there stops the process that reads it, its timers too.
  test.each<[string, (file: string) => void]>([
    ['a pipe that nobody writes to', (file) => execFileSync('mkfifo', [file])],
    [
      'a transcript of 300 MB',
      (file) => {
        const long = line(0, 'user', 'Mend the parser. '.repeat(60_000));
        for (let place = 0; place < 300; place += 1) appendFileSync(file, `${long}\n`);
      },
    ],
  ])('is over in time with %s', async (_, write) => {
    const file = join(folder, 'slow.jsonl');
    write(file);
    // What two processes take to start and to end on this machine, with nothing to read.
    const idle = await shortestOf(Number.POSITIVE_INFINITY, () => hook('x'));
    const most = 2_500 + 2 * idle;
    const shortest = await shortestOf(most, async () => {
      const answer = await hook(event('PreCompact', { transcript_path: file }));
      // A machine may be fast enough to read it all.
      expect(answer).toMatchObject({ exit: 0, err: '' });
    });
    rmSync(file);
    expect(shortest).toBeLessThan(most);
  });

  test('says nothing of settings that are wrong', async () => {
    const wrong = {
      PALIMPSEST_API_KEYS: 'team:0123456789abcdef',
      XDG_DATA_HOME: join(folder, 'share'),
    };
    expect((await hook(event('PostCompact'), { ...wrong, PORT: '9' })).err).toBe('');
  });

  test('says nothing without the service', async () => {
    expect(await hook(event('PreCompact'), { PALIMPSEST_URL: 'http://127.0.0.1:9' })).toEqual({
      exit: 0,
      out: '',
      err: '',
    });
  });
});

describe('palimpsest hook claude, where no service runs', { timeout: 300_000 }, () => {
  test('keeps the log with the data of the user, and nothing where the agent works', async () => {
    // Nobody listens there.
    const environment = { XDG_DATA_HOME: join(folder, 'share'), PORT: '9' };
    const ask = () => hook(event('SessionStart', { source: 'compact' }), environment);
    expect((await said(ask)).out).toContain('vendor/');
    expect(readdirSync(folder).toSorted()).toEqual([`${SESSION}.jsonl`, 'share']);
  });
});
