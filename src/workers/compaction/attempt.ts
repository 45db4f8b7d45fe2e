import type { HookResult } from '../../domain/session/hook-result.ts';
import { DONE, type JobResult } from '../engines/job-engine.ts';
import {
  displayMessage,
  joinedInstructions,
  postCompact,
  runHooks,
} from '../hooks/compaction-hooks.ts';
import { commit } from './commit.ts';
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
  const asked = await load(deps, begun);
  if (asked === null) return DONE;
  const planned = await plan(deps, asked);
  if (planned.kind !== 'full') {
    await commit(deps, asked, planned);
    return DONE;
  }
  const before = await runHooks(deps, asked, 'PreCompact', signal);
  if (before === null) return DONE;
  const loaded = instructed(asked, before);
  const written = await write(deps, loaded, planned, signal);
  if (written.kind === 'over') return written.result;
  if (written.kind === 'micro') {
    await commit(deps, loaded, written);
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
  const committed = await commit(deps, loaded, finished);
  // What is pinned has changed: nothing of this attempt can be used, and nothing is in the way.
  if (committed === 'again') return { kind: 'retry', after_ms: 0 };
  if (committed === 'written') await postCompact(deps, { ...loaded, requested_version }, signal);
  return DONE;
}

/** With the instructions of the hooks beside those of the request (SPEC section 8, phase 2). */
function instructed(loaded: Loaded, results: readonly HookResult[]): Loaded {
  const instructions = joinedInstructions(loaded.request.instructions, results);
  const request = { ...loaded.request, ...(instructions !== undefined && { instructions }) };
  return { ...loaded, request };
}
