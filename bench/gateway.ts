import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { build } from '../test/support/build-once.ts';
import type { Figure } from './figures.ts';
import { sessionThroughGateway } from './gateway-session.ts';
import { runJob, startBuilt, startScript } from './processes.ts';

/** `turns`: that each connection takes, by how many connections there are. */
type GatewayPlan = { turns: { one: number; many: number }; calls: number };

const MANY = 64;
/**
 * Turns that are not counted, so that the code of all three is compiled: of the first six hundred turns
 * of a process each takes twice as long as later ones and more, and a service runs for days.
 */
const WARM_UP = { session: 'bench-warm-up', items: 10, connections: 1, turns: 600 };
/** What the gateway may add to the first byte of a short history, in milliseconds (SPEC 2, section 23). */
const MOST_ADDED = { p50: 3, p99: 15 };
/** The same of a long one, in times of what reading its body takes. */
const MOST_PARSES = 2;

const times = z.object({ p50: z.number(), p99: z.number() });
const loadSchema = z.object({ first: times, total: times, parse: z.number() });

/**
 * Turns through the gateway against the same upstream without it, and behind a bare proxy: time to the
 * first byte and in all, memory; and of a task that overflows its window, what a provider's cache can
 * keep and what it costs.
 */
export async function gatewayFigures({ turns, calls }: GatewayPlan): Promise<Figure[]> {
  build();
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-bench-'));
  const upstream = await startScript('scripted-upstream.ts');
  const proxy = await startScript('bare-proxy.ts', upstream.url);
  const ours = await startBuilt({
    DATABASE_URL: `file:${join(folder, 'palimpsest.db')}`,
    PALIMPSEST_UPSTREAM_ANTHROPIC: upstream.url,
  });
  try {
    const figures: Figure[] = [];
    const idle = await memoryOf(ours.url);
    for (const { url } of [ours, upstream, proxy])
      await runJob('turn-load.ts', { ...WARM_UP, url });
    for (const items of [10, 2_000]) {
      for (const connections of [1, MANY]) {
        const job = { session: `bench-${items}-${connections}`, items, connections };
        const count = connections === 1 ? turns.one : turns.many;
        const load = async (url: string) =>
          loadSchema.parse(await runJob('turn-load.ts', { ...job, url, turns: count }));
        const loads = {
          ours: await load(ours.url),
          bare: await load(upstream.url),
          proxy: await load(proxy.url),
        };
        figures.push(...compared(job, loads));
      }
    }
    const after = await memoryOf(ours.url);
    figures.push({
      what: `gateway: memory of the service after sessions of 2,000 items, ${MANY} at once`,
      unit: 'MB',
      ours: after,
      baseline: { what: 'the same before the first turn', value: idle },
    });
    return [...figures, ...(await sessionThroughGateway(calls))];
  } finally {
    await ours.stop();
    await proxy.stop();
    await upstream.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Load = z.infer<typeof loadSchema>;

function compared(
  { items, connections }: { items: number; connections: number },
  { ours, bare, proxy }: { ours: Load; bare: Load; proxy: Load },
): Figure[] {
  const of = `gateway, ${items} items, ${connections} connection${connections === 1 ? '' : 's'}`;
  return (['p50', 'p99'] as const).flatMap((share): Figure[] => [
    {
      what: `${of}: first byte, ${share}`,
      unit: 'ms',
      ours: ours.first[share],
      baseline: { what: 'the upstream alone', value: bare.first[share] },
    },
    {
      what: `${of}: in all, ${share}`,
      unit: 'ms',
      ours: ours.total[share],
      baseline: { what: 'the upstream alone', value: bare.total[share] },
    },
    {
      what: `${of}: what is added to the first byte, ${share}`,
      unit: 'ms',
      ours: ours.first[share] - bare.first[share],
      ...(items === 10
        ? { baseline: { what: 'the goal', value: MOST_ADDED[share] }, target: { at_most: 1 } }
        : {
            baseline: { what: 'JSON.parse of such a body', value: bare.parse },
            ...(share === 'p50' && { target: { at_most: MOST_PARSES } }),
          }),
    },
    {
      what: `${of}: the same beside a proxy that only passes on, ${share}`,
      unit: 'ms',
      ours: ours.first[share] - bare.first[share],
      baseline: { what: 'what that one adds', value: proxy.first[share] - bare.first[share] },
    },
  ]);
}

async function memoryOf(url: string): Promise<number> {
  const page = await (await fetch(`${url}/metrics`)).text();
  const [, bytes] = /^process_resident_memory_bytes (\S+)/m.exec(page) ?? [];
  return Number(bytes) / 1024 / 1024;
}
