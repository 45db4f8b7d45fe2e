import type { Outcome } from '../../domain/session/errors.ts';
import { ElsewhereError } from '../ports/elsewhere-error.ts';
import { compactForClient, type ForClient } from './compact-for-client.ts';
import type { NamedBy } from './find-turn-session.ts';
import { KnownHistories } from './known-histories.ts';
import { KnownTurns } from './known-turns.ts';
import type { LookUpTool } from './look-up.ts';
import type { Offering, PlanDeps } from './plan-deps.ts';
import { planTurn, type TurnPlan } from './plan-turn.ts';
import { type Recorded, recordAnswer } from './record-answer.ts';
import { type Revised, type Revision, reviseTurn } from './revise-turn.ts';
import { readable, type TurnAsked } from './turn-request.ts';

/** The work of a turn that grows with the conversation; it can be done in another thread. */
export type TurnTasks = {
  /** Rejects where it waits for its turn and the client goes away meanwhile (`signal`). */
  plan: (request: TurnAsked, signal?: AbortSignal) => Promise<Outcome<TurnPlan>>;
  record: (recorded: Recorded) => Promise<Outcome<null>>;
  /** What can be made of a request from its body alone. */
  revise: (request: TurnAsked, revision: Revision) => Promise<Outcome<Revised>>;
  /** A compaction that the client itself asks for. */
  compact: (request: TurnAsked, wait_seconds: number) => Promise<Outcome<ForClient>>;
  /** A call of a tool of ours. */
  lookUp: LookUpTool;
};

/** The same, with what is known of bodies that came before. */
export type TasksOfTurns = TurnTasks & {
  /** What a body has behind the beginning of the one before in its session: that was looked at already. */
  unread: (request: NamedBy, body: Uint8Array) => Promise<Uint8Array>;
};

/** What is longer is read in another thread, in bytes: this takes some milliseconds. */
const LENGTH_HERE = 131_072;

/** Done here; what would hold up this thread is handed over where there is another one. */
export function turnTasks(
  ports: Omit<PlanDeps, 'histories'> & Offering,
  lookUp: LookUpTool,
  elsewhere: TurnTasks | null,
): TasksOfTurns {
  const deps = { ...ports, histories: new KnownHistories() };
  const here: TurnTasks = {
    plan: (request) => planTurn(deps, readable(request)),
    record: (recorded) => recordAnswer(deps, recorded),
    revise: (request, revision) => reviseTurn(deps, readable(request), revision),
    compact: (request, wait_seconds) => compactForClient(deps, readable(request), wait_seconds),
    lookUp,
  };
  if (elsewhere === null) return { ...here, unread: async (_, body) => body };
  const known = new KnownTurns(deps);
  return {
    plan: (request, signal) =>
      request.body.byteLength > LENGTH_HERE
        ? known.plan(request, () => elsewhere.plan(request, signal))
        : here.plan(request, signal).catch(unlessElsewhere(() => elsewhere.plan(request, signal))),
    unread: (request, body) => known.unread(request, body),
    record: (recorded) =>
      'bytes' in recorded.raw && recorded.raw.bytes.byteLength > LENGTH_HERE
        ? elsewhere.record(recorded)
        : here.record(recorded).catch(unlessElsewhere(() => elsewhere.record(recorded))),
    // All of a history is read for these.
    revise: elsewhere.revise,
    compact: elsewhere.compact,
    lookUp: (asked) => here.lookUp(asked).catch(unlessElsewhere(() => elsewhere.lookUp(asked))),
  };
}

function unlessElsewhere<T>(run: () => Promise<T>): (error: unknown) => Promise<T> {
  return (error) => {
    if (error instanceof ElsewhereError) return run();
    throw error;
  };
}
