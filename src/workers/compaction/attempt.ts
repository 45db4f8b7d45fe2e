import { DONE, type JobResult } from '../engines/job-engine.ts';
import {
  displayMessage,
  type HookVerdict,
  joinedInstructions,
  postCompact,
  runHooks,
} from '../hooks/compaction-hooks.ts';
import { commit } from './commit.ts';
import type { WorkerDependencies } from './dependencies.ts';
import { finish, restore } from './finish.ts';
import { type Begun, type Loaded, load } from './load.ts';
import { plan } from './plan.ts';
import { recordFailure } from './record-failure.ts';
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
  const asked = await load(deps, begun);
  if (asked === null) return DONE;
  const planned = await plan(deps, asked);
  if (planned.kind !== 'full') {
    await commit(deps, asked, planned);
    return DONE;
  }
  const before = await runHooks(deps, asked, 'PreCompact', signal);
  if (before.kind !== 'ran') return stopped(deps, asked, before);
  const loaded = instructed(asked, before.results);
  const written = await write(deps, loaded, planned, signal);
  if (written.kind === 'over') return written.result;
  if (written.kind === 'micro') {
    await commit(deps, loaded, { ...written, packet: planned.packet });
    return DONE;
  }
  const restored = await restore(deps, loaded, planned, written);
  const begins = await runHooks(deps, loaded, 'SessionStart', signal);
  if (begins.kind !== 'ran') return stopped(deps, loaded, begins);
  const finished = finish(deps, loaded, restored, written, {
    hook_items: begins.results.flatMap(({ items = [] }) => items),
    user_display_message: displayMessage(before.results),
  });
  if (await commit(deps, loaded, finished)) await postCompact(deps, loaded, signal);
  return DONE;
}

type Ran = Extract<HookVerdict, { kind: 'ran' }>;

/** With the instructions of the hooks beside those of the request (SPEC section 8, phase 2). */
function instructed(loaded: Loaded, results: Ran['results']): Loaded {
  const instructions = joinedInstructions(loaded.request.instructions, results);
  return {
    ...loaded,
    request: { ...loaded.request, ...(instructions !== undefined && { instructions }) },
  };
}

async function stopped(
  deps: WorkerDependencies,
  loaded: Loaded,
  verdict: Exclude<HookVerdict, Ran>,
): Promise<JobResult> {
  if (verdict.kind === 'blocked') {
    const failure = { reason: 'hook_blocked', message: verdict.message } as const;
    await recordFailure(deps, loaded, failure, false);
  }
  return DONE;
}
