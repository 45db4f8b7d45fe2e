import { setTimeout } from 'node:timers/promises';
import type { SessionRef } from '../../app/ports/event-store.ts';
import { StoreBusyError } from '../../app/ports/store-busy-error.ts';
import { StoreTroubleError } from '../../app/ports/store-trouble-error.ts';
import { StoreUnavailableError } from '../../app/ports/store-unavailable-error.ts';
import type { Clock } from '../../domain/session/compaction-commands.ts';
import type { Decide } from '../../domain/session/decision.ts';
import type { LogDependencies } from './dependencies.ts';
import { backoffMs } from './retry-policy.ts';

/** A step is worth some waiting: the last one brings a summary that has been paid for. */
const MOST_COMMITS = 5;

/**
 * Commits a step of a worker, at `first` or else now; null when the session was erased meanwhile. While
 * the store is away it tries again for some seconds. That is safe also when the first try had been
 * written after all: steps are fenced by their attempt.
 */
export async function commitStep<T>(
  { store, now, random }: LogDependencies,
  ref: SessionRef,
  decide: (clock: Clock) => Decide<T>,
  first?: Clock,
): Promise<T | null> {
  for (let tries = 1; ; tries++) {
    const clock = (tries === 1 && first) || clockOf(now());
    try {
      const outcome = await store.commit(ref, decide(clock), { at: clock.at });
      if (outcome.ok) return outcome.value.value;
      const { code } = outcome.rejection;
      if (code === 'session_not_found') return null;
      throw new Error(`a worker's step was refused: ${code}`);
    } catch (error) {
      if (!isStoreAway(error) || tries === MOST_COMMITS) throw error;
      await setTimeout(backoffMs(tries, undefined, random()));
    }
  }
}

export function clockOf(time: Date): Clock {
  return { now_ms: time.getTime(), at: time.toISOString() };
}

/** Whether the store may be back soon. */
export function isStoreAway(error: unknown): boolean {
  if (error instanceof StoreTroubleError) return error.kind !== 'damaged';
  return error instanceof StoreUnavailableError || error instanceof StoreBusyError;
}
