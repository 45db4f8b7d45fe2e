import type { Figure } from './figures.ts';
import { NoopJobs, type Side } from './noop-jobs.ts';
import { redisCpu } from './server-cpu.ts';
import type { Servers } from './servers.ts';
import { median, quantile, timed } from './statistics.ts';

const CONCURRENCY = 16;
/** Jobs that are on their way at a time while the rate is measured. */
const IN_FLIGHT = 256;
const WARM_UP = 200;
const BASELINE = 'bare BullMQ';

type Plan = { round_trips: number; queue_rounds: number; jobs: number };
type Sample = { perSecond: number; workerCpu: number; redisCpu: number };
type Measured = { times: number[]; samples: Sample[] };

/** Jobs that do nothing, through our engine against BullMQ alone on the same Redis. */
export async function queueSpeed(servers: Servers, plan: Plan): Promise<Figure[]> {
  const url = await servers.redisUrl();
  const sides: Record<Side, { jobs: NoopJobs } & Measured> = {
    ours: { jobs: await NoopJobs.start('ours', url, CONCURRENCY), times: [], samples: [] },
    bare: { jobs: await NoopJobs.start('bare', url, CONCURRENCY), times: [], samples: [] },
  };
  const both = Object.values(sides);
  try {
    for (let i = 0; i < WARM_UP + plan.round_trips; i++) {
      for (const { jobs, times } of both) {
        const milliseconds = await timed(() => jobs.roundTrip());
        if (i >= WARM_UP) times.push(milliseconds);
      }
    }
    // The first round warms up for many jobs at a time.
    for (let round = 0; round <= plan.queue_rounds; round++) {
      for (const { jobs, samples } of both) {
        const sample = await sampleOf(jobs, url, plan.jobs);
        if (round > 0) samples.push(sample);
      }
    }
  } finally {
    for (const { jobs } of both) await jobs.close();
  }
  return figuresOf(sides.ours, sides.bare);
}

async function sampleOf(jobs: NoopJobs, url: string, count: number): Promise<Sample> {
  const before = { worker: await jobs.worker.cpuMicroseconds(), redis: await redisCpu(url) };
  let left = count;
  const chain = async () => {
    while (left-- > 0) await jobs.roundTrip();
  };
  const milliseconds = await timed(() => Promise.all(Array.from({ length: IN_FLIGHT }, chain)));
  const after = { worker: await jobs.worker.cpuMicroseconds(), redis: await redisCpu(url) };
  return {
    perSecond: (count * 1_000) / milliseconds,
    workerCpu: (after.worker - before.worker) / count,
    redisCpu: (after.redis - before.redis) / count,
  };
}

function figuresOf(ours: Measured, bare: Measured): Figure[] {
  const figure = (what: string, unit: string, value: (of: Measured) => number): Figure => ({
    what: `no-op job${what}`,
    unit,
    ours: value(ours),
    baseline: { what: BASELINE, value: value(bare) },
  });
  const middle = (field: keyof Sample) => (of: Measured) =>
    median(of.samples.map((sample) => sample[field]));
  return [
    figure(', round trip: p50', 'ms', ({ times }) => median(times)),
    figure(', round trip: p99', 'ms', ({ times }) => quantile(times, 0.99)),
    figure('s, many at a time', 'jobs/s', middle('perSecond')),
    figure('s, many at a time: CPU time of the worker', 'µs', middle('workerCpu')),
    figure('s, many at a time: CPU time of Redis', 'µs', middle('redisCpu')),
  ];
}
