import { startCompaction } from '../../domain/session/compaction-commands.ts';
import { requestAgain } from '../../domain/session/request-again.ts';
import {
  type CompactionJob,
  DONE,
  type JobHandler,
  type JobResult,
} from '../engines/job-engine.ts';
import { afterApplying } from './applied-proposal.ts';
import { runAttempt } from './attempt.ts';
import { commitStep, isStoreAway } from './commit-step.ts';
import type { WorkerDependencies } from './dependencies.ts';
import type { Begun } from './load.ts';
import { INTERRUPTED, recordFailure } from './record-failure.ts';
import { backoffMs, retryAfterMs } from './retry-policy.ts';

/** Attempts beyond this many were cut off by crashes: the job itself may be what kills the process. */
const MOST_STARTS = 20;
/** An attempt from this one on that throws is the last: what throws is most likely the job itself. */
const MOST_THROWS = 5;
/** The wait for a store that is away is that after an attempt of this number: four to eight seconds. */
const STORE_AWAY_ATTEMPT = 5;

/**
 * The one handler of compaction jobs. Running it after the end changes nothing; of two runs at the
 * same time only the one that started last is listened to (SPEC section 17). What a run throws
 * becomes a failed attempt; when the store is away the job comes again. Throws only when a failure
 * cannot be written for another reason.
 */
export function compactSession(deps: WorkerDependencies): JobHandler {
  return async (job, signal) => {
    try {
      const begun = await begin(deps, job);
      if (begun !== null) return await compact(deps, job, begun, signal);
      await afterApplying(deps, job.ref, signal);
      return DONE;
    } catch (error) {
      if (!isStoreAway(error)) throw error;
      deps.onError(error, job);
      return { kind: 'retry', after_ms: backoffMs(STORE_AWAY_ATTEMPT, undefined, deps.random()) };
    }
  };
}

/** Begins the next attempt; null when there is nothing left to do. */
async function begin(deps: WorkerDependencies, job: CompactionJob): Promise<Begun | null> {
  const { ref, compaction_id } = job;
  const started_ms = deps.now().getTime();
  const started = await commitStep(deps, ref, () => startCompaction(deps.world, compaction_id));
  if (started === null) deps.onUnknownSession(job);
  if (!started?.applied) return null;
  const { attempt, terms, head } = started;
  return { ref, attempt: { compaction_id, attempt }, started_ms, terms, head };
}

async function compact(
  deps: WorkerDependencies,
  job: CompactionJob,
  begun: Begun,
  signal: AbortSignal,
): Promise<JobResult> {
  if (begun.attempt.attempt > MOST_STARTS) {
    await recordFailure(deps, begun, INTERRUPTED, false);
    return DONE;
  }
  let result: JobResult;
  try {
    result = await runAttempt(deps, begun, signal);
  } catch (error) {
    if (isStoreAway(error)) throw error;
    deps.onError(error, job);
    return breakOff(deps, begun, error);
  }
  // The compaction has ended: what goes wrong from here on is no failure of it.
  if (result.kind === 'done') {
    await goOnIfFull(deps, begun).catch((error) => deps.onError(error, job));
  }
  return result;
}

/** Ends the attempt after a mistake of our own; never its message, which may quote the items. */
async function breakOff(
  deps: WorkerDependencies,
  begun: Begun,
  error: unknown,
): Promise<JobResult> {
  const name = error instanceof Error ? error.name : typeof error;
  const failure = { reason: 'interrupted', message: `the attempt broke off: ${name}` } as const;
  const { attempt } = begun.attempt;
  const after_ms = retryAfterMs({ retryable: true }, attempt, MOST_THROWS, deps.random());
  const isOurs = await recordFailure(deps, begun, failure, after_ms !== null);
  return isOurs && after_ms !== null ? { kind: 'retry', after_ms } : DONE;
}

/** Items that came while it ran may have filled the window, and nobody else would ask for more. */
async function goOnIfFull(deps: WorkerDependencies, begun: Begun): Promise<void> {
  const { ref } = begun;
  const items_seen = begun.head.state.items;
  const head = await deps.store.head(ref);
  if (head === null || head.state.items <= items_seen) return;
  const compaction_id = deps.newId();
  const again = await commitStep(deps, ref, ({ now_ms }) =>
    requestAgain(deps.world, { compaction_id, items_seen, now_ms }),
  );
  if (again?.applied) deps.dispatch({ ref, compaction_id });
}
