import { Argument, Command } from 'commander';
import { appendThroughput } from './append-throughput.ts';
import { compactionTime } from './compaction-time.ts';
import { postgresContest, withSqliteContest } from './contests.ts';
import { eventLoop } from './event-loop.ts';
import { type Figure, isMet, printFigures } from './figures.ts';
import { gatewayFigures } from './gateway.ts';
import { withLocalService, withService } from './local-service.ts';
import { pagesOfLongSession } from './pages.ts';
import { queueSpeed } from './queue-speed.ts';
import { queuedCompaction } from './queued-compaction.ts';
import { replaySpeed } from './replay-speed.ts';
import { resting } from './resting.ts';
import { searchFigures } from './search.ts';
import { Servers } from './servers.ts';
import { sessionLength, sessionOfLength } from './session-length.ts';
import { spacePerItem } from './space.ts';
import { syncHistory } from './sync-history.ts';
import { twoApis } from './two-apis.ts';
import { twoWorkers } from './two-workers.ts';

const FULL_RUN = {
  sqlite: { rounds: 3, seconds: 3 },
  postgres: { rounds: 3, seconds: 2 },
  lengths: [100, 10_000, 100_000],
  postgres_lengths: [100, 10_000],
  length_repeats: 300,
  syncs: 21,
  compactions: 7,
  queue: { round_trips: 1_000, queue_rounds: 5, jobs: 4_000 },
  queued_compactions: 120,
  worker_rounds: 2,
  posts: 6,
  gateway: { turns: { one: 200, many: 10 }, calls: 72 },
  // A million tokens.
  pages: { log: 100_000, context: 22_000, repeats: 7 },
  starts: 5,
  search: { lengths: [10_000, 100_000], tenant: null as number | null, queries: 150, rounds: 3 },
};
type Plan = typeof FULL_RUN;
const QUICK_RUN: Plan = {
  sqlite: { rounds: 3, seconds: 2 },
  postgres: { rounds: 2, seconds: 2 },
  lengths: [100, 10_000],
  postgres_lengths: [100, 2_000],
  length_repeats: 100,
  syncs: 7,
  compactions: 3,
  queue: { round_trips: 300, queue_rounds: 2, jobs: 2_000 },
  queued_compactions: 50,
  worker_rounds: 1,
  posts: 1,
  gateway: { turns: { one: 40, many: 2 }, calls: 24 },
  pages: { log: 10_000, context: 3_500, repeats: 3 },
  starts: 3,
  search: { lengths: [10_000], tenant: null, queries: 60, rounds: 1 },
};

type Part = (plan: Plan, servers: Servers) => Promise<Figure[]>;

/** What can be asked for by name; without names all is measured, in this order. */
const PARTS: Record<string, Part> = {
  appends: (plan) => withSqliteContest((contest) => appendThroughput(contest, plan.sqlite)),
  sessions: (plan) =>
    withLocalService({ summarizer: 'extractive', synchronous: 'FULL' }, async (service) => [
      ...(await sessionLength(service, plan.lengths, plan.length_repeats)),
      ...(await replaySpeed(service, sessionOfLength(Math.max(...plan.lengths)))),
    ]),
  sync: (plan) =>
    withLocalService({ summarizer: 'extractive', synchronous: 'FULL' }, (service) =>
      syncHistory(service, plan.syncs),
    ),
  compactions: (plan) => compactionTime(plan.compactions),
  resting: (plan) => resting(plan.starts),
  'event-loop': (plan) => eventLoop(plan.posts),
  postgres: async (plan, servers) => [
    ...(await appendThroughput(await postgresContest(servers), plan.postgres)),
    ...(await twoApis(await postgresContest(servers), plan.postgres)),
    ...(await withService({ DATABASE_URL: await servers.newDatabase() }, (service) =>
      sessionLength(service, plan.postgres_lengths, plan.length_repeats, ' (PostgreSQL)'),
    )),
  ],
  queue: async (plan, servers) => [
    ...(await queueSpeed(servers, plan.queue)),
    ...(await queuedCompaction(servers, plan.queued_compactions)),
  ],
  workers: (plan, servers) => twoWorkers(servers, plan.worker_rounds),
  search: (plan, servers) => searchFigures(plan.search, servers),
  gateway: (plan) => gatewayFigures(plan.gateway),
  pages: (plan) => pagesOfLongSession(plan.pages),
  space: (_, servers) => spacePerItem(servers),
};

await new Command('bench')
  .description('Measures the service against bare baselines of the same run.')
  .addArgument(new Argument('[parts...]', 'what to measure; all').choices(Object.keys(PARTS)))
  .option('--quick', 'fewer and shorter rounds, shorter sessions')
  .option('--million', 'of search also a million items of one tenant: it takes an hour')
  .action(run)
  .parseAsync();

async function run(
  names: string[],
  { quick, million }: { quick?: boolean; million?: boolean },
): Promise<void> {
  const chosen = quick ? QUICK_RUN : FULL_RUN;
  const plan = million ? { ...chosen, search: { ...chosen.search, tenant: 1_000_000 } } : chosen;
  const figures: Figure[] = [];
  const servers = new Servers();
  try {
    for (const [name, measure] of Object.entries(PARTS)) {
      if (names.length > 0 && !names.includes(name)) continue;
      console.error(`measuring ${name} …`);
      figures.push(...(await measure(plan, servers)));
    }
  } finally {
    await servers.dispose();
  }
  printFigures(figures);
  const missed = figures.filter((figure) => !isMet(figure));
  if (missed.length > 0) process.exitCode = 1;
}
