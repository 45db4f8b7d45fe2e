import { setTimeout } from 'node:timers/promises';
import { loadView } from '../app/load-view.ts';
import type { EventStore, SessionRef } from '../app/ports/event-store.ts';
import { StoreBusyError } from '../app/ports/store-busy-error.ts';
import { StoreTroubleError } from '../app/ports/store-trouble-error.ts';
import { StoreUnavailableError } from '../app/ports/store-unavailable-error.ts';
import type { View } from '../domain/context/view.ts';
import type { Usage } from '../domain/items/item.ts';
import {
  type Applied,
  type Attempt,
  type Clock,
  type Failure,
  failCompaction,
} from '../domain/session/compaction-commands.ts';
import type { Decide } from '../domain/session/decision.ts';
import type { EventOf, SessionEvent } from '../domain/session/events.ts';
import type { Head, Running } from '../domain/session/head.ts';
import {
  isPaid,
  NO_TOKENS,
  sumOfUsage,
  usageOfFailures,
} from '../domain/session/summarizer-usage.ts';
import type { World } from '../domain/session/world.ts';
import { backoffMs } from './backoff.ts';
import type { JobResult } from './job-engine.ts';

export type LogDependencies = {
  store: EventStore;
  world: World;
  now: () => Date;
  random: () => number;
};

export const DONE: JobResult = { kind: 'done' };

/**
 * Why an attempt failed; whether it is the end is said by what is done with it. `usage` is what its
 * answers have cost: nothing when it is left out.
 */
export type FailureText = Pick<Failure, 'reason' | 'message'> & { usage?: Usage };

export const INTERRUPTED = {
  reason: 'interrupted',
  message: 'earlier attempts were interrupted, for instance by restarts of the worker',
} as const;

/** What an attempt works on: the session as it stands, and what was asked for. */
export type Loaded = {
  head: Head;
  view: View;
  running: Running;
  request: EventOf<'compaction.requested'>['data'];
};

/** The session's log as one attempt at a compaction reads and writes it. */
export class AttemptLog {
  readonly attempt: Attempt;
  readonly #deps: LogDependencies;
  readonly #ref: SessionRef;
  #paid = NO_TOKENS;

  constructor(deps: LogDependencies, ref: SessionRef, attempt: Attempt) {
    this.#deps = deps;
    this.#ref = ref;
    this.attempt = attempt;
  }

  /** What the failures of this compaction have cost, in this attempt and in those before it. */
  get paid(): Usage {
    return this.#paid;
  }

  /** Null when this attempt is not the one under way any more. */
  async load(): Promise<Loaded | null> {
    const { store } = this.#deps;
    const { compaction_id, attempt } = this.attempt;
    const head = await store.head(this.#ref);
    const running = head?.state.running;
    if (!head || running?.id !== compaction_id || running.attempt !== attempt) return null;
    const view = await loadView(store, this.#ref, head.state.version);
    const event = await this.eventAt(running.requested_version);
    if (view === null || event?.type !== 'compaction.requested') return null;
    if (attempt > 1) await this.#loadPaid(running.requested_version);
    return { head, view, running, request: event.data };
  }

  /** The event of this version; undefined when the session was erased. */
  async eventAt(version: number): Promise<SessionEvent | undefined> {
    const [event] = await this.#deps.store.events(this.#ref, {
      after: version - 1,
      up_to: version,
    });
    return event;
  }

  /** Commits a step; false when it came too late, or the session was erased meanwhile. */
  async commit(decide: (clock: Clock) => Decide<Applied>): Promise<boolean> {
    const step = await commitStep(this.#deps, this.#ref, decide);
    return step?.applied ?? false;
  }

  /** Records a failure; the same attempt goes on with something else. */
  async goOn(failure: FailureText): Promise<void> {
    await this.#fail(failure, true);
  }

  /** Records a failure after which the job runs again, unless another worker has taken it over. */
  async retry(failure: FailureText, retryAfterMs?: number): Promise<JobResult> {
    const isOurTurn = await this.#fail(failure, true);
    if (!isOurTurn) return DONE;
    const after_ms = backoffMs(this.attempt.attempt, retryAfterMs, this.#deps.random());
    return { kind: 'retry', after_ms };
  }

  /** Records the failure that ends the compaction. */
  async end(failure: FailureText): Promise<JobResult> {
    await this.#fail(failure, false);
    return DONE;
  }

  #fail({ usage = NO_TOKENS, ...text }: FailureText, will_retry: boolean): Promise<boolean> {
    this.#paid = sumOfUsage(this.#paid, usage);
    const failure = { ...text, ...(isPaid(usage) && { usage }), will_retry };
    return this.commit((clock) => failCompaction(this.#deps.world, this.attempt, failure, clock));
  }

  async #loadPaid(after: number): Promise<void> {
    // One compaction is under way at a time: what has failed since its request is its own.
    const types = ['compaction.failed'] as const;
    this.#paid = usageOfFailures(await this.#deps.store.events(this.#ref, { after, types }));
  }
}

/** A step is worth some waiting: the last one brings a summary that has been paid for. */
const MOST_COMMITS = 5;

/**
 * Commits a step of a worker; null when the session was erased meanwhile. While the store is away it
 * tries again for some seconds. That is safe also when the first try had been written after all:
 * steps are fenced by their attempt.
 */
export async function commitStep<T>(
  { store, now, random }: Pick<LogDependencies, 'store' | 'now' | 'random'>,
  ref: SessionRef,
  decide: (clock: Clock) => Decide<T>,
): Promise<T | null> {
  for (let tries = 1; ; tries++) {
    const time = now();
    const clock = { now_ms: time.getTime(), at: time.toISOString() };
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

/** Whether the store may be back soon. */
export function isStoreAway(error: unknown): boolean {
  if (error instanceof StoreTroubleError) return error.kind !== 'damaged';
  return error instanceof StoreUnavailableError || error instanceof StoreBusyError;
}
