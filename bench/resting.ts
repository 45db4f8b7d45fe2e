import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { build } from '../test/support/build-once.ts';
import { freePort, untilItWorks } from '../test/support/servers/waiting.ts';
import type { Figure } from './figures.ts';
import { median } from './statistics.ts';

const MOST_MB = 120;
const MOST_MS = 1_000;
/** What a start leaves behind is collected by then, as far as it will be. */
const SETTLED_MS = 3_000;
const START_LIMIT_MS = 60_000;

const BARE = `require('node:http').createServer((_, answer) => answer.end()).listen(Number(process.env.PORT))`;

/** The built service as it comes: from its start to the first answer, and the memory of it at rest. */
export async function resting(rounds: number): Promise<Figure[]> {
  build();
  const ours = { start: [] as number[], memory: [] as number[] };
  const bare = { start: [] as number[], memory: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    await startAndRest(['dist/cli.js', 'serve'], ours);
    await startAndRest(['-e', BARE], bare);
  }
  const start = { what: 'start to first answer', unit: 'ms', ours: median(ours.start) };
  const memory = { what: 'memory at rest', unit: 'MB', ours: median(ours.memory) };
  const node = 'a bare server of Node';
  return [
    { ...start, baseline: { what: node, value: median(bare.start) } },
    { ...start, baseline: { what: 'the goal', value: MOST_MS }, target: { at_most: 1 } },
    { ...memory, baseline: { what: node, value: median(bare.memory) } },
    { ...memory, baseline: { what: 'the goal', value: MOST_MB }, target: { at_most: 1 } },
  ];
}

async function startAndRest(
  args: readonly string[],
  into: { start: number[]; memory: number[] },
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-bench-'));
  const port = await freePort();
  const started = performance.now();
  const child = spawn(process.execPath, args, {
    cwd: join(import.meta.dirname, '..'),
    // Nothing of the caller's settings may change what is measured.
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      DATABASE_URL: `file:${join(folder, 'resting.db')}`,
      LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    await untilItWorks(async () => {
      await (await fetch(`http://127.0.0.1:${port}/healthz`)).arrayBuffer();
    }, START_LIMIT_MS);
    into.start.push(performance.now() - started);
    await setTimeout(SETTLED_MS);
    into.memory.push(residentMegabytes(child.pid));
  } finally {
    const ended = once(child, 'exit');
    if (child.exitCode === null && child.kill('SIGTERM')) await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Only Linux says. */
function residentMegabytes(pid: number | undefined): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return (Number(kilobytes) * 1_024) / 1_000_000;
}
