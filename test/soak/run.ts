import { build } from '../support/build-once.ts';
import { seedFrom } from '../support/seeded-random.ts';
import { readOptions, type SoakOptions, USAGE } from './options.ts';
import { tableOf, verdictOf } from './report.ts';
import { soak } from './soak.ts';

const MOST_PROBLEMS = 30;

/** `npm run soak`: exit code 0 when nothing was lost or doubled, 1 when something was, 2 for wrong use. */
async function main(): Promise<number> {
  let options: SoakOptions;
  try {
    options = readOptions(process.argv.slice(2), () => seedFrom('SOAK_SEED'));
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\nusage: ${USAGE}`);
    return 2;
  }
  build();
  const { seed, store, queue, clients, sessions } = options;
  console.log(`soak: ${store}, ${queue}, ${clients} clients, ${sessions} sessions, --seed ${seed}`);
  const report = await soak(options);
  console.log(tableOf(report));
  for (const problem of report.problems.slice(0, MOST_PROBLEMS)) console.log(`! ${problem}`);
  const verdict = verdictOf(report, options.least_kills);
  console.log(verdict ?? 'ok: nothing lost, nothing doubled, every log verifies');
  return verdict === null ? 0 : 1;
}

process.exitCode = await main();
