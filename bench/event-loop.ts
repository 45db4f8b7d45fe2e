import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from '../test/support/build-once.ts';
import { type Probed, probed } from '../test/support/health-prober.ts';
import { hostileSteps } from '../test/support/hostile-sessions.ts';
import type { Figure } from './figures.ts';
import { startBuilt } from './processes.ts';

/** The longest time, in milliseconds, for which each step of hostile sessions holds up /healthz. */
export async function eventLoop(posts: number): Promise<Figure[]> {
  build();
  const withThreads = await play({}, posts);
  const inline = await play({ PALIMPSEST_THREADS: '0' }, posts);
  return withThreads.map(({ what, longest_ms }, index) => ({
    what: `/healthz, ${what}`,
    unit: 'ms',
    ours: longest_ms,
    baseline: { what: 'the same without threads', value: inline[index]?.longest_ms ?? Number.NaN },
  }));
}

async function play(variables: Record<string, string>, posts: number): Promise<Probed[]> {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-bench-'));
  const server = await startBuilt({
    DATABASE_URL: `file:${join(folder, 'palimpsest.db')}`,
    ...variables,
  });
  try {
    return await probed(server.url, hostileSteps({ posts }));
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
