import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError } from 'commander';
import { TargetError } from '../src/cli/target.ts';
import { withLocalService } from './local-service.ts';
import { MEASURES } from './quality/figures.ts';
import { measureSession, type SessionFigures, TEXTS } from './quality/measure-session.ts';
import { addedDigests } from './quality/measures/digests.ts';
import { filesBelow, NoSessionsError, type Session, sessionsIn } from './quality/sessions.ts';
import {
  digestTable,
  kindTable,
  lines,
  measureTable,
  runsAfter,
  sessionLine,
} from './quality/table.ts';
import { selfTest } from './quality/untrue/self-test.ts';

type Flags = { sessions?: string[]; json?: boolean; seed: number; whole?: boolean; each?: boolean };

const COMPACTIONS = [1, 5, 10];
const BESIDE = fileURLToPath(new URL('../../shared/data', import.meta.url));
const HOW =
  'Name a file or a folder with recorded sessions (Claude Code keeps its own in ~/.claude/projects, ' +
  'Codex in ~/.codex/sessions): npm run quality -- PATH';

await new Command('quality')
  .description(
    'Measures what of recorded sessions survives compactions, beside what a cheat would write.',
  )
  .argument('[path]', 'a recorded session or a folder of them', BESIDE)
  .option('--sessions <words...>', 'only files whose path contains one of these')
  .option('--seed <number>', 'draws the needles', wholeNumber, 1)
  .option(
    '--whole',
    'with the tail and the files that the default profile keeps beside the summary',
  )
  .option('--each', 'a line for every session and number of compactions as well')
  .option('--json', 'every figure, as JSON')
  .action(run)
  .parseAsync();

async function run(path: string, flags: Flags): Promise<void> {
  const started = performance.now();
  let found: { folder: string; files: string[] };
  try {
    found = filesBelow(path);
  } catch (error) {
    if (!(error instanceof NoSessionsError)) throw error;
    console.error(`${error.message} ${HOW}`);
    process.exitCode = 2;
    return;
  }
  const { measured, left_out, refusals } = await measureFiles(found, flags);
  if (flags.json) {
    console.log(
      JSON.stringify({ seed: flags.seed, sessions: measured, left_out, refusals }, null, 1),
    );
    return;
  }
  for (const refusal of refusals) console.error(`Refused by the service: ${refusal}`);
  if (refusals.length > 0) process.exitCode = 1;
  if (measured.length === 0) {
    console.error(`No session in ${path} is long enough to be measured. ${HOW}`);
    process.exitCode = 2;
    return;
  }
  report(measured, left_out, flags);
  console.log(
    `\n${measured.length} sessions in ${Math.round((performance.now() - started) / 1_000)} s, seed ${flags.seed}`,
  );
}

type Measured = { measured: SessionFigures[]; left_out: string[]; refusals: string[] };

async function measureFiles(
  { folder, files }: { folder: string; files: string[] },
  { sessions, seed, whole = false }: Flags,
): Promise<Measured> {
  const chosen = files.filter((file) => sessions?.some((word) => file.includes(word)) ?? true);
  const measured: SessionFigures[] = [];
  const left_out: string[] = [];
  const refusals: string[] = [];
  await withLocalService(
    { summarizer: 'extractive', synchronous: 'NORMAL' },
    async ({ target }) => {
      for (const file of chosen) {
        for (const session of sessionsIn(folder, file)) {
          const choices = { seed, compactions: COMPACTIONS, as_configured: whole };
          const figures = await measureSession(target, session, choices).catch(refused(session));
          if (figures === null) left_out.push(session.name);
          else if (typeof figures === 'string') refusals.push(figures);
          else measured.push(figures);
        }
      }
    },
  );
  return { measured, left_out, refusals };
}

/** A session that the service refuses is named, and the others go on. */
function refused({ name }: Session) {
  return (error: unknown): string => {
    if (!(error instanceof TargetError)) throw new Error(name, { cause: error });
    return `${name}: ${error.message}`;
  };
}

function report(
  measured: readonly SessionFigures[],
  left_out: readonly string[],
  flags: Flags,
): void {
  const all = measured.filter(({ runs }) => runs.length === COMPACTIONS.length);
  const groups = COMPACTIONS.map((count) => ({
    title: `${count}`,
    runs: runsAfter(all, count),
    texts: TEXTS.filter((text) => text !== 'recorded'),
  }));
  if (all.length > 0) {
    console.log(
      `Means of the shares of ${all.length} sessions, after ${COMPACTIONS.join(', ')} compactions of the same part:\n`,
    );
    console.log(measureTable(groups).join('\n'));
  }
  const recorded = measured.flatMap(({ at_recorded }) => at_recorded);
  if (recorded.length > 0) {
    console.log(`\nWhere the agent's own program compacted (${recorded.length} places):\n`);
    console.log(measureTable([{ title: '', runs: recorded, texts: TEXTS }]).join('\n'));
  }
  console.log('\nOurs by the kind of session, after 1, 5 and 10 compactions:\n');
  console.log(kindTable(measured, COMPACTIONS).join('\n'));
  const digests = measured.flatMap((session) => session.digests ?? []);
  if (digests.length > 0) {
    console.log('\nTool results above 1,200 characters, all cleared; shares:\n');
    console.log(digestTable(addedDigests(digests)).join('\n'));
  }
  const test = selfTest();
  console.log(
    `\nUntrue: the checker finds ${test.found} of ${test.of} seeded lies, and ${test.false_alarms.length} ` +
      'where everything is true.',
  );
  if (flags.each) {
    const rows = measured.flatMap((session) =>
      [...session.runs, ...session.at_recorded].map((run) => sessionLine(session, run)),
    );
    console.log(
      `\n${lines([['session', 'n', 'covered', 'tokens', ...MEASURES], ...rows]).join('\n')}`,
    );
  }
  const runs = measured.flatMap((session) => [...session.runs, ...session.at_recorded]);
  const skipped = runs.reduce((sum, { outcomes }) => sum + (outcomes.skipped ?? 0), 0);
  if (skipped > 0) console.log(`\n${skipped} compactions were skipped by the service.`);
  if (left_out.length > 0) {
    const files = new Set(left_out.map((name) => name.replace(/#\d+$/, '')));
    console.log(`\nToo short: ${left_out.length} sessions, in ${[...files].join(', ')}`);
  }
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0)
    throw new InvalidArgumentError('a whole number is expected');
  return value;
}
