import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Figure } from './figures.ts';
import { runLoad, type ServerProcess, startBaseline, startOurs } from './processes.ts';
import { median } from './statistics.ts';

const CONNECTIONS = [1, 64] as const;
/** The goal holds where commits are shared; with one connection every append pays its own fsync. */
const GOAL = { connections: 64, at_least: 0.8 };

/**
 * Durable appends per second over HTTP against the bare server. Rounds take turns, since the machine
 * is never quiet; each has sessions of its own.
 */
export async function appendThroughput(options: {
  rounds: number;
  seconds: number;
}): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-bench-'));
  const servers: ServerProcess[] = [];
  try {
    const ours = await startOurs(join(folder, 'ours.db'));
    servers.push(ours);
    const baseline = await startBaseline(join(folder, 'baseline.db'));
    servers.push(baseline);
    const figures: Figure[] = [];
    for (const connections of CONNECTIONS) {
      const rates = { ours: [] as number[], baseline: [] as number[] };
      // The first round warms both up and does not count.
      for (let round = 0; round <= options.rounds; round++) {
        const sessions = Array.from(
          { length: connections },
          (_, i) => `${connections}-${round}-${i}`,
        );
        await createSessions(ours.url, sessions);
        const pair = {
          ours: await runLoad(ours.url, sessions, options.seconds),
          baseline: await runLoad(baseline.url, sessions, options.seconds),
        };
        if (round === 0) continue;
        rates.ours.push(pair.ours);
        rates.baseline.push(pair.baseline);
      }
      figures.push({
        what: `append, ${connections} connection${connections === 1 ? '' : 's'}`,
        unit: 'appends/s',
        ours: median(rates.ours),
        baseline: { what: 'bare Hono + zod + insert', value: median(rates.baseline) },
        ...(connections === GOAL.connections ? { target: { at_least: GOAL.at_least } } : {}),
      });
    }
    return figures;
  } finally {
    for (const server of servers) await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
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
