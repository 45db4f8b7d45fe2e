import type { SessionRef } from '../../app/ports/event-store.ts';

/**
 * A job is one compaction; its id is the compaction's id (DESIGN, decision 5). `trace`: what it belongs
 * to, as a `traceparent`, where that is traced.
 */
export type CompactionJob = { ref: SessionRef; compaction_id: string; trace?: string | undefined };

/** What the handler says about a run: done, or run it again after a delay (milliseconds). */
export type JobResult = { kind: 'done' } | { kind: 'retry'; after_ms: number };

export const DONE: JobResult = { kind: 'done' };

export type JobHandler = (job: CompactionJob, signal: AbortSignal) => Promise<JobResult>;

/** Whether a job is going to ask a model, or the provider's own compaction, as it stands now. */
export type AsksModel = (job: CompactionJob) => Promise<boolean>;

/**
 * Of the jobs that run at a time, so many more than those that ask a model: as many again, which no
 * model keeps waiting, and the slot of a tenant that has none running.
 */
export function jobsAtATime(modelJobs: number): number {
  return 2 * modelJobs + 1;
}

/**
 * Carries work, holds no truth. Contract: a job that was enqueued runs at least once unless the queue
 * is lost; enqueueing a job that is queued or running changes nothing; two jobs with one id never run
 * at the same time in one process. A handler that throws is reported and its job leaves the queue. Not
 * in the contract: order, survival of a restart, and that a job runs in one process only (the log
 * listens to the run that started last; the dispatcher hands pending compactions over again).
 */
export interface JobEngine {
  /**
   * Only in processes that work; without it the engine just hands over. To be called once. The jobs
   * that `asksModel` names (default: all) take the engine's slots for models in turns of their
   * tenants; the others run beside them.
   */
  start(handler: JobHandler, asksModel?: AsksModel): void;
  /** Throws when the job could not be handed over; it may still run. */
  enqueue(job: CompactionJob): Promise<void>;
  /**
   * Aborts the job's signal where it runs, as far as that place can be told, and forgets a retry that
   * waits. Never throws: the log knows that the compaction is cancelled.
   */
  cancel(compactionId: string): void;
  /** Throws when jobs cannot be handed over. */
  ping(): Promise<void>;
  /**
   * Takes no new jobs, lets running ones finish for at most `graceMs`, then aborts their signals. An
   * engine with a queue outside the process hands them back to it. A second call is harmless.
   */
  stop(graceMs: number): Promise<void>;
}
