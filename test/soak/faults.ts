import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Cluster, Victim } from '../support/cluster/cluster.ts';
import { until } from '../support/cluster/until.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import type { ServiceProcess } from '../support/service-process.ts';

/** What may go wrong; each kind gets its share of a run. */
export const FAULTS = [
  'worker killed',
  'all workers killed',
  'api killed',
  'killed while starting',
  'worker suspended',
  'redis killed',
  'redis emptied',
  'postgres killed',
] as const;
export type Fault = (typeof FAULTS)[number];

/** A server or process stays away for at most this long. */
const LONGEST_AWAY_MS = 1_500;
/** Longer than the lock of a job in a cluster: another worker takes over meanwhile. */
const SUSPENDED_MS = 5_500;

/** What the fault may kill, empty or suspend. */
export function touched(fault: Fault): readonly Victim[] {
  switch (fault) {
    case 'redis killed':
    case 'redis emptied':
      return ['redis'];
    case 'postgres killed':
      return ['postgres'];
    case 'worker killed':
    case 'all workers killed':
    case 'worker suspended':
      return ['worker'];
    case 'api killed':
      return ['api'];
    case 'killed while starting':
      return ['api', 'worker'];
    default:
      return fault satisfies never;
  }
}

/** Whether this cluster has what the fault needs; what dies at its start may be an API or a worker. */
export function isPossible(fault: Fault, { redis, postgres, workers }: Cluster): boolean {
  const there = { redis: redis !== null, postgres: postgres !== null, worker: workers.length > 0 };
  return touched(fault).some((victim) => victim === 'api' || there[victim]);
}

/** Makes it happen and mends it again; resolves when everything is up. */
export async function carryOut(
  fault: Fault,
  cluster: Cluster,
  random: SeededRandom,
): Promise<void> {
  const away = () => delay(random.int(0, LONGEST_AWAY_MS));
  switch (fault) {
    case 'worker killed':
      return killAndRestart(cluster, [random.pick(cluster.workers)]);
    case 'all workers killed':
      return killAndRestart(cluster, cluster.workers);
    case 'api killed':
      return killAndRestart(cluster, [random.pick(cluster.apis)]);
    case 'killed while starting': {
      const process = random.pick([...cluster.apis, ...cluster.workers]);
      await cluster.kill(process);
      await cluster.killWhileStarting(process, random.int(0, 1_000));
      return startAgain(process);
    }
    case 'worker suspended': {
      const worker = random.pick(cluster.workers);
      worker.pause();
      await delay(SUSPENDED_MS);
      return worker.resume();
    }
    case 'redis killed':
    case 'postgres killed': {
      const server = await cluster.killServer(fault === 'redis killed' ? 'redis' : 'postgres');
      await away();
      return server.start();
    }
    case 'redis emptied':
      return emptyRedis(cluster);
    default:
      return fault satisfies never;
  }
}

/** `FLUSHALL`: every job and every lock is gone. */
export async function emptyRedis({ redis }: Cluster): Promise<void> {
  const connection = new Redis(redis?.url ?? '', { maxRetriesPerRequest: null });
  await connection.flushall();
  connection.disconnect();
}

async function killAndRestart(
  cluster: Cluster,
  processes: readonly ServiceProcess[],
): Promise<void> {
  await Promise.all(processes.map((process) => cluster.kill(process)));
  await Promise.all(processes.map(startAgain));
}

/** As a supervisor does: a process that cannot start because its store is away is tried again. */
async function startAgain(process: ServiceProcess): Promise<void> {
  await until('a process that starts', () =>
    process.restart().then(
      () => true,
      () => false,
    ),
  );
}
