import { remoteTarget } from '../src/cli/target.ts';
import { BenchClient } from './client.ts';
import type { Figure } from './figures.ts';
import { runLoad, type ServerProcess } from './processes.ts';
import { median } from './statistics.ts';

/** Many first: their appends compile the code, and a server that runs is warm. */
const CONNECTIONS = [64, 1] as const;
/** Where commits are shared; with one connection every append pays its own fsync. */
const SHARED = 64;
const HOT_SESSION = Array.from({ length: SHARED }, () => 'hot');

/** What is measured against what. Both processes are stopped at the end. */
export type Contest = {
  /** Stands after the names of the rows: empty, or ` (PostgreSQL)`. */
  where: string;
  startOurs: () => Promise<ServerProcess>;
  startBaseline: () => Promise<ServerProcess>;
  baseline: string;
  /** The least ratio to the baseline with one connection, if there is a goal, and with many. */
  atLeast: { one: number | null; many: number };
  /** CPU time of the database's own processes so far (microseconds); null where it has none. */
  databaseCpu: () => Promise<number | null>;
};

type Rounds = { rounds: number; seconds: number };
type Sample = { perSecond: number; cpuMicroseconds: number; databaseCpu: number | null };
type Samples = { ours: Sample[]; baseline: Sample[]; hot: Sample[] };

/** Durable appends over HTTP against the bare server: rates, and CPU time for each append. */
export async function appendThroughput(contest: Contest, plan: Rounds): Promise<Figure[]> {
  const servers: ServerProcess[] = [];
  try {
    const ours = await contest.startOurs();
    servers.push(ours);
    const baseline = await contest.startBaseline();
    servers.push(baseline);
    const figures: Figure[] = [];
    for (const connections of CONNECTIONS) {
      const samples = await measure(contest, { ours, baseline }, connections, plan);
      figures.push(...figuresOf(contest, connections, samples));
    }
    return figures;
  } finally {
    for (const server of servers) await server.stop();
  }
}

/** Rounds take turns, since the machine is never quiet; each has sessions of its own. */
async function measure(
  contest: Contest,
  { ours, baseline }: { ours: ServerProcess; baseline: ServerProcess },
  connections: number,
  { rounds, seconds }: Rounds,
): Promise<Samples> {
  const samples: Samples = { ours: [], baseline: [], hot: [] };
  const sampleOf = (server: ServerProcess, sessions: readonly string[]) =>
    sample(contest, server, sessions, seconds);
  if (connections === SHARED) await createSessions(ours.url, HOT_SESSION.slice(0, 1));
  // The first round warms everything up and does not count.
  for (let round = 0; round <= rounds; round++) {
    const sessions = Array.from({ length: connections }, (_, i) => `${connections}-${round}-${i}`);
    await createSessions(ours.url, sessions);
    const pair = {
      ours: await sampleOf(ours, sessions),
      baseline: await sampleOf(baseline, sessions),
    };
    const hot = connections === SHARED ? [await sampleOf(ours, HOT_SESSION)] : [];
    if (round === 0) continue;
    samples.ours.push(pair.ours);
    samples.baseline.push(pair.baseline);
    samples.hot.push(...hot);
  }
  return samples;
}

async function sample(
  { databaseCpu }: Contest,
  server: ServerProcess,
  sessions: readonly string[],
  seconds: number,
): Promise<Sample> {
  const before = { own: await server.cpuMicroseconds(), database: await databaseCpu() };
  const perSecond = await runLoad(server.url, sessions, seconds);
  const after = { own: await server.cpuMicroseconds(), database: await databaseCpu() };
  const appends = perSecond * seconds;
  return {
    perSecond,
    cpuMicroseconds: (after.own - before.own) / appends,
    databaseCpu:
      before.database === null || after.database === null
        ? null
        : (after.database - before.database) / appends,
  };
}

function figuresOf(contest: Contest, connections: number, samples: Samples): Figure[] {
  const { where, baseline, atLeast } = contest;
  const what = `append, ${connections} connection${connections === 1 ? '' : 's'}${where}`;
  const rate = (of: keyof Samples) => median(samples[of].map(({ perSecond }) => perSecond));
  const target = connections === SHARED ? atLeast.many : atLeast.one;
  const figures: Figure[] = [
    {
      what,
      unit: 'appends/s',
      ours: rate('ours'),
      baseline: { what: baseline, value: rate('baseline') },
      ...(target === null ? {} : { target: { at_least: target } }),
    },
    {
      what: `${what}: CPU time of the server`,
      unit: 'µs',
      ours: median(samples.ours.map(({ cpuMicroseconds }) => cpuMicroseconds)),
      baseline: {
        what: baseline,
        value: median(samples.baseline.map(({ cpuMicroseconds }) => cpuMicroseconds)),
      },
    },
  ];
  const ofDatabase = (of: keyof Samples) => samples[of].flatMap((each) => each.databaseCpu ?? []);
  if (ofDatabase('ours').length > 0) {
    figures.push({
      what: `${what}: CPU time of the database`,
      unit: 'µs',
      ours: median(ofDatabase('ours')),
      baseline: { what: baseline, value: median(ofDatabase('baseline')) },
    });
  }
  if (samples.hot.length > 0) {
    figures.push({
      what: `${what}, all on one session`,
      unit: 'appends/s',
      ours: rate('hot'),
      baseline: { what: 'a session for each', value: rate('ours') },
    });
  }
  return figures;
}

/** Compaction is measured elsewhere: here it would only fall into some of the rounds. */
export async function createSessions(url: string, ids: readonly string[]): Promise<void> {
  const client = new BenchClient(remoteTarget(url));
  for (const id of ids) await client.create(id, { config: { auto_compact_enabled: false } });
}
