import type { Run } from './ledger.ts';
import { programName } from './script-names.ts';

/**
 * The newest run of the same program that has passed after another one failed: the whole after a part of
 * it, or the same called by another path. Undefined where there is none.
 */
export function passedSince(failed: Run, runs: readonly Run[]): Run | undefined {
  const program = programOf(failed.command);
  if (failed.outcome !== 'failed' || RUNS_ANYTHING.test(program)) return undefined;
  return runs.findLast(
    (run) =>
      run.outcome === 'ok' &&
      run.of === failed.of &&
      run.kind === failed.kind &&
      run.last_seq > failed.last_seq &&
      programOf(run.command) === program,
  );
}

/** Two scripts of one of these have nothing in common. */
const RUNS_ANYTHING =
  /^(?:python|python[23]|python3\.\d{1,2}|node|deno|bun|tsx|ruby|perl|php|Rscript|(?:ba|z|da|k|fi)?sh|pwsh|powershell)$/i;

/** What only starts a program: `uv run`, `npx`, `python -m`, and variables for it. */
const LAUNCHER =
  /^(?:\w{1,60}=\S{0,200} |(?:uv|poetry|pipenv|hatch|rye) run |(?:npx|bunx) |bundle exec |\S{0,200}python[\d.]{0,4} -m )/;
const MOST_LAUNCHERS = 5;

function programOf(command: string): string {
  let rest = command;
  for (let step = 0; step < MOST_LAUNCHERS && LAUNCHER.test(rest); step++) {
    rest = rest.replace(LAUNCHER, '');
  }
  const [program = ''] = rest.split(' ', 1);
  return programName(program);
}
