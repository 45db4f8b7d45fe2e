import { type ChildProcess, spawn } from 'node:child_process';
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
/** How long a start is over when its memory is taken: what it left behind is still there. */
const STARTED_MS = 3_000;
/** By then V8 has collected what the start left behind, which it does in a process that is idle. */
const SETTLED_MS = 60_000;
const START_LIMIT_MS = 60_000;

const BARE = `require('node:http').createServer((_, answer) => answer.end()).listen(Number(process.env.PORT))`;

/** Milliseconds to the first answer; megabytes soon after the start and at rest. A value a round. */
interface Measured {
  start: number[];
  started: number[];
  rest: number[];
}

interface Running {
  child: ChildProcess;
  folder: string;
  into: Measured;
}

/** The built service as it comes: from its start to the first answer, and the memory of it at rest. */
export async function resting(rounds: number): Promise<Figure[]> {
  build();
  const ours: Measured = { start: [], started: [], rest: [] };
  const bare: Measured = { start: [], started: [], rest: [] };
  const running: Running[] = [];
  try {
    for (let round = 0; round < rounds; round++) {
      await startOne(['dist/cli.js', 'serve'], ours, running);
      await startOne(['-e', BARE], bare, running);
    }
    await setTimeout(SETTLED_MS);
    for (const { child, into } of running) into.rest.push(residentMegabytes(child.pid));
  } finally {
    for (const one of running) await stop(one);
  }
  const start = { what: 'start to first answer', unit: 'ms', ours: median(ours.start) };
  const started = { what: 'memory 3 s after its start', unit: 'MB', ours: median(ours.started) };
  const rest = { what: 'memory at rest', unit: 'MB', ours: median(ours.rest) };
  const node = 'a bare server of Node';
  return [
    { ...start, baseline: { what: node, value: median(bare.start) } },
    { ...start, baseline: { what: 'the goal', value: MOST_MS }, target: { at_most: 1 } },
    { ...started, baseline: { what: node, value: median(bare.started) } },
    { ...rest, baseline: { what: node, value: median(bare.rest) } },
    { ...rest, baseline: { what: 'the goal', value: MOST_MB }, target: { at_most: 1 } },
  ];
}

/** Starts one and leaves it running, idle. */
async function startOne(
  args: readonly string[],
  into: Measured,
  running: Running[],
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
  running.push({ child, folder, into });
  await untilItWorks(async () => {
    await (await fetch(`http://127.0.0.1:${port}/healthz`)).arrayBuffer();
  }, START_LIMIT_MS);
  into.start.push(performance.now() - started);
  await setTimeout(STARTED_MS);
  into.started.push(residentMegabytes(child.pid));
}

async function stop({ child, folder }: Running): Promise<void> {
  const ended = once(child, 'exit');
  if (child.exitCode === null && child.kill('SIGTERM')) await ended;
  rmSync(folder, { recursive: true, force: true });
}

/** Only Linux says. */
function residentMegabytes(pid: number | undefined): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return (Number(kilobytes) * 1_024) / 1_000_000;
}
