import type { HookResult } from '../../domain/session/hook-result.ts';
import { DONE, type JobResult } from '../engines/job-engine.ts';
import {
  displayMessage,
  joinedInstructions,
  postCompact,
  runHooks,
} from '../hooks/compaction-hooks.ts';
import { commit, type Outcome } from './commit.ts';
import type { WorkerDependencies } from './dependencies.ts';
import { finish, restore } from './finish.ts';
import { type Begun, type Loaded, load } from './load.ts';
import { plan } from './plan.ts';
import { write } from './write.ts';

/**
 * One attempt at one compaction (SPEC sections 7, 8 and 10), step by step: each takes what those before
 * it have answered. A step that comes too late, because somebody else has the compaction now or it has
 * ended, changes nothing.
 */
export async function runAttempt(
  deps: WorkerDependencies,
  begun: Begun,
  signal: AbortSignal,
): Promise<JobResult> {
  const step = stepsOf(deps, begun);
  const asked = await step(
    'load',
    () => load(deps, begun),
    (found) => ({ outcome: found === null ? 'gone' : 'loaded' }),
  );
  if (asked === null) return DONE;
  const planned = await step(
    'plan',
    () => plan(deps, asked),
    (made) => ({ outcome: made.kind, ...(made.kind === 'skip' && { reason: made.skip.reason }) }),
  );
  const commits = (outcome: Outcome) =>
    step(
      'commit',
      () => commit(deps, asked, outcome),
      (came) => ({ outcome: came }),
    );
  if (planned.kind !== 'full') {
    await commits(planned);
    return DONE;
  }
  const before = await runHooks(deps, asked, 'PreCompact', signal);
  if (before === null) return DONE;
  const loaded = instructed(asked, before);
  const written = await step(
    'write',
    () => write(deps, loaded, planned, signal),
    (came) => ({ outcome: came.kind === 'over' ? came.result.kind : came.kind }),
  );
  if (written.kind === 'over') return written.result;
  if (written.kind === 'micro') {
    await commits(written);
    return DONE;
  }
  const restored = await restore(deps, loaded, planned, written);
  const begins = await runHooks(deps, loaded, 'SessionStart', signal);
  if (begins === null) return DONE;
  const finished = finish(deps, loaded, restored, written, {
    hook_items: begins.flatMap(({ items = [] }) => items),
    user_display_message: displayMessage(before),
  });
  const { requested_version } = loaded.running;
  const committed = await commits(finished);
  // What is pinned has changed: nothing of this attempt can be used, and nothing is in the way.
  if (committed === 'again') return { kind: 'retry', after_ms: 0 };
  if (committed === 'written') await postCompact(deps, { ...loaded, requested_version }, signal);
  return DONE;
}

/** Observes the steps of an attempt. */
function stepsOf({ observe }: WorkerDependencies, { ref, attempt }: Begun) {
  const { session_id } = ref;
  return <T>(
    name: string,
    run: () => Promise<T>,
    outcome: (value: T) => { outcome: string; reason?: string },
  ): Promise<T> => observe({ name, facts: { session_id, ...attempt } }, run, outcome);
}

/** With the instructions of the hooks beside those of the request (SPEC section 8, phase 2). */
function instructed(loaded: Loaded, results: readonly HookResult[]): Loaded {
  const instructions = joinedInstructions(loaded.request.instructions, results);
  const request = { ...loaded.request, ...(instructions !== undefined && { instructions }) };
  return { ...loaded, request };
}
