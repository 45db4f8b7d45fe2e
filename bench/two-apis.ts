import { type Contest, createSessions } from './append-throughput.ts';
import type { Figure } from './figures.ts';
import { runLoad, type ServerProcess } from './processes.ts';
import { median } from './statistics.ts';

const CONNECTIONS = 64;

/**
 * Appends per second of two API processes on one database, with the same load against one of them and
 * against the bare server.
 */
export async function twoApis(
  { startOurs, startBaseline, baseline, where, atLeast }: Contest,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Figure[]> {
  const apis: ServerProcess[] = [];
  try {
    const first = await startOurs();
    apis.push(first);
    const second = await startOurs();
    apis.push(second);
    const bare = await startBaseline();
    apis.push(bare);
    const rates = { one: [] as number[], two: [] as number[], bare: [] as number[] };
    // The first round warms up and does not count.
    for (let round = 0; round <= rounds; round++) {
      const sessions = Array.from({ length: CONNECTIONS }, (_, i) => `two-${round}-${i}`);
      await createSessions(first.url, sessions);
      const half = CONNECTIONS / 2;
      const one = await rateOf([
        runLoad(first.url, sessions.slice(0, half), seconds),
        runLoad(first.url, sessions.slice(half), seconds),
      ]);
      const two = await rateOf([
        runLoad(first.url, sessions.slice(0, half), seconds),
        runLoad(second.url, sessions.slice(half), seconds),
      ]);
      const bareRate = await rateOf([
        runLoad(bare.url, sessions.slice(0, half), seconds),
        runLoad(bare.url, sessions.slice(half), seconds),
      ]);
      if (round === 0) continue;
      rates.bare.push(bareRate);
      rates.one.push(one);
      rates.two.push(two);
    }
    const what = `append, ${CONNECTIONS} connections${where}, two APIs`;
    const ours = median(rates.two);
    return [
      { what, unit: 'appends/s', ours, baseline: { what: 'one API', value: median(rates.one) } },
      {
        what,
        unit: 'appends/s',
        ours,
        baseline: { what: baseline, value: median(rates.bare) },
        target: { at_least: atLeast.many },
      },
    ];
  } finally {
    for (const api of apis) await api.stop();
  }
}

async function rateOf(loads: Promise<number>[]): Promise<number> {
  return (await Promise.all(loads)).reduce((sum, rate) => sum + rate, 0);
}
