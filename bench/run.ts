import { Command } from 'commander';
import { appendThroughput } from './append-throughput.ts';
import { compactionTime } from './compaction-time.ts';
import { type Figure, isMet, printFigures } from './figures.ts';
import { withLocalService } from './local-service.ts';
import { replaySpeed } from './replay-speed.ts';
import { sessionLength, sessionOfLength } from './session-length.ts';

const FULL_RUN = {
  rounds: 9,
  seconds: 3,
  lengths: [100, 10_000, 100_000],
  length_repeats: 300,
  compactions: 7,
};
const QUICK_RUN = {
  rounds: 3,
  seconds: 2,
  lengths: [100, 10_000],
  length_repeats: 100,
  compactions: 3,
};

await new Command('bench')
  .description('Measures the service against bare baselines of the same run.')
  .option('--quick', 'fewer and shorter rounds, sessions of up to 10,000 items')
  .action(run)
  .parseAsync();

async function run({ quick }: { quick?: boolean }): Promise<void> {
  const plan = quick ? QUICK_RUN : FULL_RUN;
  const figures: Figure[] = [];
  const measure = async (what: string, work: () => Promise<Figure[]>) => {
    console.error(`measuring ${what} …`);
    figures.push(...(await work()));
  };
  await measure('appends over HTTP', () => appendThroughput(plan));
  await withLocalService({ summarizer: 'extractive', synchronous: 'FULL' }, async (service) => {
    const longest = Math.max(...plan.lengths);
    await measure('sessions of different lengths', () =>
      sessionLength(service, plan.lengths, plan.length_repeats),
    );
    await measure('replay and verify', () => replaySpeed(service, sessionOfLength(longest)));
  });
  await measure('compactions', () => compactionTime(plan.compactions));
  printFigures(figures);
  const missed = figures.filter((figure) => !isMet(figure));
  if (missed.length > 0) process.exitCode = 1;
}
