import { type Contest, createSessions } from './append-throughput.ts';
import type { Figure } from './figures.ts';
import { runLoad, type ServerProcess } from './processes.ts';
import { median } from './statistics.ts';

const CONNECTIONS = 64;

/** Appends per second of two API processes on one database against one of them, with the same load. */
export async function twoApis(
  { startOurs, where }: Contest,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Figure[]> {
  const apis: ServerProcess[] = [];
  try {
    const first = await startOurs();
    apis.push(first);
    const second = await startOurs();
    apis.push(second);
    const rates = { one: [] as number[], two: [] as number[] };
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
      if (round === 0) continue;
      rates.one.push(one);
      rates.two.push(two);
    }
    return [
      {
        what: `append, ${CONNECTIONS} connections${where}, two APIs`,
        unit: 'appends/s',
        ours: median(rates.two),
        baseline: { what: 'one API', value: median(rates.one) },
      },
    ];
  } finally {
    for (const api of apis) await api.stop();
  }
}

async function rateOf(loads: Promise<number>[]): Promise<number> {
  return (await Promise.all(loads)).reduce((sum, rate) => sum + rate, 0);
}
