import type { Outcome } from '../../domain/session/errors.ts';
import { ElsewhereError } from '../ports/elsewhere-error.ts';
import { type PlanDeps, planTurn, type TurnPlan } from './plan-turn.ts';
import { type Recorded, recordAnswer } from './record-answer.ts';
import type { TurnRequest } from './turn-request.ts';

/** The work of a turn that grows with the conversation; it can be done in another thread. */
export type TurnTasks = {
  plan: (request: TurnRequest) => Promise<Outcome<TurnPlan>>;
  record: (recorded: Recorded) => Promise<Outcome<null>>;
};

/** Longer requests are read in another thread, in characters: this takes some milliseconds. */
const CHARACTERS_HERE = 131_072;

/** Done here; what would hold up this thread is handed over where there is another one. */
export function turnTasks(deps: PlanDeps, elsewhere: TurnTasks | null): TurnTasks {
  const here: TurnTasks = {
    plan: (request) => planTurn(deps, request),
    record: (recorded) => recordAnswer(deps, recorded),
  };
  if (elsewhere === null) return here;
  return {
    plan: (request) =>
      request.text.length > CHARACTERS_HERE
        ? elsewhere.plan(request)
        : here.plan(request).catch(unlessElsewhere(() => elsewhere.plan(request))),
    record: (recorded) =>
      here.record(recorded).catch(unlessElsewhere(() => elsewhere.record(recorded))),
  };
}

function unlessElsewhere<T>(run: () => Promise<T>): (error: unknown) => Promise<T> {
  return (error) => {
    if (error instanceof ElsewhereError) return run();
    throw error;
  };
}
