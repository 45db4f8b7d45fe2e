import {
  type Applied,
  type Clock,
  skipCompaction,
} from '../../domain/session/compaction-commands.ts';
import { completeFull, completeMicro } from '../../domain/session/complete-compaction.ts';
import type { Decide } from '../../domain/session/decision.ts';
import { commitStep } from './commit-step.ts';
import type { LogDependencies } from './dependencies.ts';
import type { Finished } from './finish.ts';
import type { Loaded } from './load.ts';
import type { Planned } from './plan.ts';

export type Outcome = Exclude<Planned, { kind: 'full' }> | Finished;

/** Writes what came of the attempt in one step: not when it came too late, or has to be made again. */
export async function commit(
  deps: LogDependencies,
  loaded: Loaded,
  outcome: Outcome,
): Promise<'written' | 'late' | 'again'> {
  const clock = outcome.kind === 'finished' ? outcome.clock : undefined;
  const decide = (clock: Clock) => ending(loaded, outcome, clock);
  const step = await commitStep(deps, loaded.ref, decide, clock);
  if (step?.again) return 'again';
  return step?.applied ? 'written' : 'late';
}

function ending(
  { terms, attempt, started_ms }: Loaded,
  outcome: Outcome,
  clock: Clock,
): Decide<Applied> {
  switch (outcome.kind) {
    case 'skip':
      return skipCompaction(terms, attempt, outcome.skip, clock);
    case 'micro': {
      const { micro, strategy } = outcome.plan;
      const result = { strategy, ...micro, duration_ms: clock.now_ms - started_ms };
      return completeMicro(terms, attempt, result, clock, outcome.packet);
    }
    case 'finished':
      return completeFull(terms, attempt, outcome.result, clock, outcome.packet);
    default:
      return outcome satisfies never;
  }
}
