import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Figure } from './figures.ts';
import { runLoad, type ServerProcess, startBaseline, startOurs } from './processes.ts';
import { median } from './statistics.ts';

const CONNECTIONS = [1, 64] as const;
/** The goal holds where commits are shared; with one connection every append pays its own fsync. */
const GOAL = { connections: 64, at_least: 0.8 };
const BASELINE = 'bare Hono + zod + insert';

type Rounds = { rounds: number; seconds: number };
type Sample = { perSecond: number; cpuMicroseconds: number };
type Samples = { ours: Sample[]; baseline: Sample[] };

/** Durable appends over HTTP against the bare server: rates, and CPU time of the server for each. */
export async function appendThroughput(plan: Rounds): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-bench-'));
  const servers: ServerProcess[] = [];
  try {
    const ours = await startOurs(join(folder, 'ours.db'));
    servers.push(ours);
    const baseline = await startBaseline(join(folder, 'baseline.db'));
    servers.push(baseline);
    const figures: Figure[] = [];
    for (const connections of CONNECTIONS) {
      figures.push(...figuresOf(connections, await measure(ours, baseline, connections, plan)));
    }
    return figures;
  } finally {
    for (const server of servers) await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Rounds take turns, since the machine is never quiet; each has sessions of its own. */
async function measure(
  ours: ServerProcess,
  baseline: ServerProcess,
  connections: number,
  { rounds, seconds }: Rounds,
): Promise<Samples> {
  const samples: Samples = { ours: [], baseline: [] };
  // The first round warms both up and does not count.
  for (let round = 0; round <= rounds; round++) {
    const sessions = Array.from({ length: connections }, (_, i) => `${connections}-${round}-${i}`);
    await createSessions(ours.url, sessions);
    const pair = {
      ours: await sample(ours, sessions, seconds),
      baseline: await sample(baseline, sessions, seconds),
    };
    if (round === 0) continue;
    samples.ours.push(pair.ours);
    samples.baseline.push(pair.baseline);
  }
  return samples;
}

async function sample(
  server: ServerProcess,
  sessions: readonly string[],
  seconds: number,
): Promise<Sample> {
  const before = await server.cpuMicroseconds();
  const perSecond = await runLoad(server.url, sessions, seconds);
  const used = (await server.cpuMicroseconds()) - before;
  return { perSecond, cpuMicroseconds: used / (perSecond * seconds) };
}

function figuresOf(connections: number, { ours, baseline }: Samples): Figure[] {
  const what = `append, ${connections} connection${connections === 1 ? '' : 's'}`;
  const middle = (samples: Sample[], field: keyof Sample) =>
    median(samples.map((each) => each[field]));
  return [
    {
      what,
      unit: 'appends/s',
      ours: middle(ours, 'perSecond'),
      baseline: { what: BASELINE, value: middle(baseline, 'perSecond') },
      ...(connections === GOAL.connections ? { target: { at_least: GOAL.at_least } } : {}),
    },
    {
      what: `${what}: CPU time of the server`,
      unit: 'µs',
      ours: middle(ours, 'cpuMicroseconds'),
      baseline: { what: BASELINE, value: middle(baseline, 'cpuMicroseconds') },
    },
  ];
}

/** Compaction is measured elsewhere: here it would only fall into some of the rounds. */
async function createSessions(url: string, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const response = await fetch(`${url}/sessions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id, config: { auto_compact_enabled: false } }),
    });
    if (response.status !== 201) throw new Error(`session ${id}: ${await response.text()}`);
  }
}
