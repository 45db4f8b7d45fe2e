import type { SessionRef } from '../db/event-store.ts';

/** A job is one compaction; its id is the compaction's id (DESIGN, decision 5). */
export type CompactionJob = { ref: SessionRef; compaction_id: string };

/** What the handler says about a run: done, or run it again after a delay (milliseconds). */
export type JobResult = { kind: 'done' } | { kind: 'retry'; after_ms: number };

export type JobHandler = (job: CompactionJob, signal: AbortSignal) => Promise<JobResult>;

/**
 * Carries work, holds no truth. Contract: a job that was enqueued runs at least once unless the
 * process ends; enqueueing a job that is queued or running changes nothing; two jobs with one id
 * never run at the same time in one process. Not in the contract: order, survival of a restart (the
 * dispatcher hands pending compactions over again).
 */
export interface JobEngine {
  start(handler: JobHandler): void;
  enqueue(job: CompactionJob): Promise<void>;
  /** Aborts the job's signal if it is running here, and forgets a retry that waits. */
  cancel(compactionId: string): void;
  /** Throws when jobs cannot be handed over. */
  ping(): Promise<void>;
  /** Lets running jobs finish for at most `graceMs`, then aborts them. */
  stop(graceMs: number): Promise<void>;
}
