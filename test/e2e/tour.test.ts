import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { CURL_SUBSTITUTE, differences, type TourStep, tourSteps } from '../support/page-steps.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const textOf = (page: string) => readFileSync(join(root, page), 'utf8');
const steps = tourSteps(textOf('docs/tour.md'));
/** Pages whose blocks run, too; they name the address where the service listens unless told. */
const OTHERS = ['README.md', 'docs/commands.md'];

const eventsSchema = z.object({ data: z.array(z.object({ type: z.string() })) });
const compactionsSchema = z.object({
  data: z.array(
    z.object({
      mode: z.string(),
      outcome: z.string(),
      tokens_before: z.number(),
      tokens_after: z.number(),
      reverted_at: z.string().nullable(),
    }),
  ),
});

describe('the tour', () => {
  let folder: string;
  let service: ChildProcess;
  let url: string;
  /** What each block printed, in order. */
  let answers: string[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'palimpsest-tour-'));
    service = spawn(process.execPath, ['scripts/start.mjs'], {
      cwd: root,
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        PORT: '0',
        DATABASE_URL: `file:${join(folder, 'tour.db')}`,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    url = await addressOf(service);
    service.stdout?.resume();
    answers = runBlocks(folder, url, steps);
  });

  afterAll(async () => {
    if (service.exitCode === null) {
      const exited = once(service, 'exit');
      service.kill('SIGTERM');
      await exited;
    }
    rmSync(folder, { recursive: true, force: true });
  });

  test('shows an answer for at least eight commands', () => {
    expect(steps.filter(({ shown }) => shown !== null).length).toBeGreaterThanOrEqual(8);
  });

  test.each(steps.map(({ commands, shown }, index) => ({ index, commands, shown })))(
    'block $index answers what the page shows',
    ({ index, shown }) => {
      const answer = answers[index] ?? '';
      if (shown === null) expect(answer.trim()).toBe('');
      else expect(differences(shown, answer)).toEqual([]);
    },
  );

  test.each(OTHERS)('the commands of %s are accepted', (page) => {
    const blocks = tourSteps(textOf(page)).map(({ commands }) => ({
      commands: commands.replaceAll('http://127.0.0.1:8787', url),
      shown: null,
    }));
    expect(blocks.length).toBeGreaterThan(0);
    const refused = runBlocks(folder, url, blocks).filter((answer) => /"status":[45]/.test(answer));
    expect(refused).toEqual([]);
  });

  test('items were appended, old results cleared, the rest summarised and one step undone', async () => {
    const response = await fetch(`${url}/sessions/tour/events?limit=500`);
    const types = eventsSchema.parse(await response.json()).data.map(({ type }) => type);
    for (const type of [
      'item.appended',
      'compaction.micro_completed',
      'compaction.completed',
      'compaction.reverted',
    ]) {
      expect(types).toContain(type);
    }
  });

  test('each compaction made the context smaller', async () => {
    const response = await fetch(`${url}/sessions/tour/compactions`);
    const { data } = compactionsSchema.parse(await response.json());
    expect(data.map(({ outcome }) => outcome)).toEqual(['full_compacted', 'micro_compacted']);
    for (const { tokens_before, tokens_after } of data) {
      expect(tokens_after).toBeLessThan(tokens_before);
    }
    expect(data.map(({ reverted_at }) => reverted_at !== null)).toEqual([true, false]);
  });

  test('every path of the API table is one of the service, and none is missing', async () => {
    const response = await fetch(`${url}/openapi.json`);
    const { paths } = z
      .object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) })
      .parse(await response.json());
    const served = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const table = textOf('docs/api.md').split('## All operations')[1] ?? '';
    const listed = [...table.matchAll(/`((?:GET|POST|PATCH|DELETE) [^`?]+)[^`]*`/g)].map(
      ([, route = '']) => route.replaceAll(/:(\w+)/g, '{$1}'),
    );
    expect(listed.toSorted()).toEqual(served.toSorted());
  });
});

describe('what a page may abbreviate', () => {
  test.each([
    ['{ "a": 1, … }', '{"a":1,"b":2}', 0],
    ['{ "a": 1 }', '{"a":1,"b":2}', 1],
    ['{ "a": 2, … }', '{"a":1}', 1],
    ['{ "a": "x…" }', '{"a":"xyz"}', 0],
    ['{ "a": "z…" }', '{"a":"xyz"}', 1],
    ['[1, …]', '[1,2,3]', 0],
    ['[1, 2]', '[1,2,3]', 1],
    ['[1, 2, …]', '[1]', 1],
  ])('%s for %s', (shown, answer, found) => {
    expect(differences(shown, answer)).toHaveLength(found);
  });
});

/** Runs all blocks in one shell, as a reader who pastes them does; answers what each printed. */
function runBlocks(folder: string, url: string, steps: readonly TourStep[]): string[] {
  const mark = '--- end of a block ---';
  const script = join(folder, 'tour.sh');
  writeFileSync(
    script,
    ['set -euo pipefail', ...steps.map(({ commands }) => `${commands}\necho '${mark}'`)].join('\n'),
  );
  const { status, stdout, stderr } = spawnSync('bash', [script], {
    cwd: folder,
    env: { PATH: pathWithCurl(folder), PALIMPSEST: url },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the tour failed with ${status}: ${stderr}\n${stdout}`);
  return stdout.split(`${mark}\n`);
}

/** The search path, with a substitute for curl in the folder where the machine has none. */
function pathWithCurl(folder: string): string {
  const path = process.env.PATH ?? '';
  if (spawnSync('curl', ['--version']).status === 0) return path;
  writeFileSync(join(folder, 'curl'), CURL_SUBSTITUTE, { mode: 0o755 });
  return `${folder}:${path}`;
}

/** The address in the line `listening on http://…`. Rejects when the service ends before that. */
async function addressOf(service: ChildProcess): Promise<string> {
  if (service.stdout === null) throw new Error('the service has no standard output');
  for await (const line of createInterface({ input: service.stdout })) {
    const address = /^listening on (http:\/\/\S+)$/.exec(line)?.[1];
    if (address !== undefined) return address;
  }
  throw new Error('the service ended before it listened');
}
