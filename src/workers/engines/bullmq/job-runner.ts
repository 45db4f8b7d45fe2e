import { DelayedError, type Job, UnrecoverableError, WaitingError } from 'bullmq';
import type { AsksModel, CompactionJob, JobHandler, JobResult } from '../job-engine.ts';
import type { ModelSlots } from '../model-slots.ts';
import { noteWait, readJob, waitsForModel } from './job-data.ts';

/** A job whose earlier run has not ended in this process is looked at again after this long. */
const STILL_RUNNING_MS = 1000;

/** Ends a job whose failure `onError` knows already. Without the cause's text: it lands in Redis. */
export class ReportedError extends UnrecoverableError {}

type Outcome = JobResult | { kind: 'threw' } | { kind: 'given_up' };

type Run = {
  controller: AbortController;
  /** Who wants the run to end early. */
  endedBy: 'cancel' | 'stop' | null;
  giveUp: () => void;
};

type JobRunnerOptions = {
  handler: JobHandler;
  asksModel: AsksModel;
  slots: ModelSlots;
  /** Lets a job go on that waits in the queue; false when it does not wait there. */
  wake: (compactionId: string) => Promise<boolean>;
  onError: (error: unknown, job: CompactionJob | null) => void;
};

/** Runs the handler for the jobs that BullMQ fetches, and says what becomes of each in the queue. */
export class JobRunner {
  readonly #options: JobRunnerOptions;
  readonly #runs = new Map<string, Run>();
  #isStopping = false;
  #whenIdle: (() => void)[] = [];

  constructor(options: JobRunnerOptions) {
    this.#options = options;
  }

  /** The processor of the BullMQ worker: what it throws tells BullMQ where the job has gone. */
  async process(queued: Job, token: string | undefined): Promise<void> {
    const job = readJob(queued);
    if (job === null) {
      this.#options.onError(new Error(`job ${queued.id} of the queue cannot be read`), null);
      throw new ReportedError('the data of the job cannot be read');
    }
    if (this.#isStopping) return handBack(queued, token);
    // Its lock was lost, or the queue emptied, while the handler went on.
    if (this.#runs.has(job.compaction_id)) return postpone(queued, token, STILL_RUNNING_MS);
    let giveUp = () => {};
    const givenUp = new Promise<Outcome>((resolve) => {
      giveUp = () => resolve({ kind: 'given_up' });
    });
    const run: Run = { controller: new AbortController(), endedBy: null, giveUp };
    this.#runs.set(job.compaction_id, run);
    try {
      const handled = this.#handle(queued, job, run.controller.signal);
      await this.#settle(queued, token, run, await Promise.race([handled, givenUp]));
    } finally {
      this.#runs.delete(job.compaction_id);
      if (this.#runs.size === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
    }
  }

  /** Aborts the run of this job; false when it does not run here. */
  cancel(compactionId: string): boolean {
    const run = this.#runs.get(compactionId);
    if (run === undefined) return false;
    run.endedBy ??= 'cancel';
    run.controller.abort();
    return true;
  }

  /** From now on jobs that are fetched go back to the queue. Resolves when nothing runs. */
  async drain(): Promise<void> {
    this.#isStopping = true;
    if (this.#runs.size > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  /** Aborts what runs; it goes back to the queue when its handler ends. */
  abortAll(): void {
    for (const run of this.#runs.values()) {
      run.endedBy ??= 'stop';
      run.controller.abort();
    }
  }

  /** Hands back what still runs without waiting for its handler. */
  giveUpAll(): void {
    for (const run of this.#runs.values()) run.giveUp();
  }

  async #handle(queued: Job, job: CompactionJob, signal: AbortSignal): Promise<Outcome> {
    try {
      const after_ms = this.#options.slots.enter(job);
      if (after_ms === null) return await this.#handleInSlot(queued, job, signal);
      return await this.#handleWithoutSlot(queued, job, signal, after_ms);
    } catch (error) {
      this.#options.onError(error, job);
      return { kind: 'threw' };
    }
  }

  async #handleInSlot(queued: Job, job: CompactionJob, signal: AbortSignal): Promise<Outcome> {
    const { handler, slots } = this.#options;
    try {
      if (waitsForModel(queued)) await noteWait(queued, false);
      return await handler(job, signal);
    } finally {
      slots.leave(job);
      void this.#wakeNext();
    }
  }

  /** Who asks a model waits for a slot; nobody else needs one. */
  async #handleWithoutSlot(
    queued: Job,
    job: CompactionJob,
    signal: AbortSignal,
    after_ms: number,
  ): Promise<Outcome> {
    const { handler, asksModel, slots } = this.#options;
    if (waitsForModel(queued)) return { kind: 'retry', after_ms };
    if (await asksModel(job)) {
      await noteWait(queued, true);
      return { kind: 'retry', after_ms };
    }
    slots.forget(job);
    return await handler(job, signal);
  }

  /** Who has gone to another process, or was cancelled, is passed over. */
  async #wakeNext(): Promise<void> {
    const { slots, wake } = this.#options;
    for (let next = slots.next(); next !== null && !this.#isStopping; next = slots.next()) {
      if (await wake(next.compaction_id)) return;
      slots.forget(next);
    }
  }

  async #settle(queued: Job, token: string | undefined, run: Run, outcome: Outcome): Promise<void> {
    if (run.endedBy === 'cancel') return;
    // Whatever it answered: an aborted handler may call an unfinished compaction done.
    if (run.endedBy === 'stop') return handBack(queued, token);
    switch (outcome.kind) {
      case 'done':
        return;
      case 'retry':
        await postpone(queued, token, outcome.after_ms, async () => {
          if (run.endedBy === 'cancel') await queued.remove();
        });
        return;
      case 'threw':
        throw new ReportedError('the handler threw');
      case 'given_up':
        return handBack(queued, token);
      default:
        return outcome satisfies never;
    }
  }
}

/** Throws always: BullMQ takes it as word that the job waits again, for any worker, at the head. */
async function handBack(queued: Job, token: string | undefined): Promise<never> {
  await queued.moveToWait(token);
  throw new WaitingError();
}

/**
 * Throws always: BullMQ takes it as word that the job waits for its time. Moved here and not by way of
 * BullMQ's own attempts: the log counts those (SPEC section 10), and a cancel that comes while the job
 * is being moved is seen before anybody else can take it.
 */
async function postpone(
  queued: Job,
  token: string | undefined,
  afterMs: number,
  then: () => Promise<void> = async () => {},
): Promise<never> {
  await queued.moveToDelayed(Date.now() + afterMs, token);
  await then();
  throw new DelayedError();
}
