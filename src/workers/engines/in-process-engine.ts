import PQueue from 'p-queue';
import {
  type AsksModel,
  type CompactionJob,
  type JobEngine,
  type JobHandler,
  type JobResult,
  jobsAtATime,
} from './job-engine.ts';
import { ModelSlots } from './model-slots.ts';
import { TenantDebts } from './tenant-debts.ts';

type Known = {
  job: CompactionJob;
  /** Of its tenant: whose is smaller goes first. */
  debt: number;
  controller: AbortController;
  /** It was found to ask a model, and waits for a slot. */
  asksModel: boolean;
  /** Runs it again: after a retry's delay, or when there may be a slot. */
  timer?: NodeJS.Timeout;
};

/**
 * Runs jobs in this process, at most `concurrency` that ask a model at a time. A handler that throws
 * is reported to `onError` and its job forgotten: the dispatcher hands pending compactions over again.
 */
export class InProcessEngine implements JobEngine {
  readonly #queue: PQueue;
  readonly #slots: ModelSlots;
  readonly #debts = new TenantDebts();
  readonly #onError: (error: unknown, job: CompactionJob) => void;
  readonly #known = new Map<string, Known>();
  #handler: JobHandler | null = null;
  #asksModel: AsksModel = async () => true;

  constructor(options: {
    concurrency: number;
    onError: (error: unknown, job: CompactionJob) => void;
  }) {
    const concurrency = jobsAtATime(options.concurrency);
    this.#queue = new PQueue({ concurrency, autoStart: false });
    this.#slots = new ModelSlots(options.concurrency);
    this.#onError = options.onError;
  }

  start(handler: JobHandler, asksModel?: AsksModel): void {
    this.#handler = handler;
    if (asksModel !== undefined) this.#asksModel = asksModel;
    this.#queue.start();
  }

  async enqueue(job: CompactionJob): Promise<void> {
    if (this.#known.has(job.compaction_id)) return;
    const debt = this.#debts.next(job.ref.tenant);
    const known: Known = { job, debt, controller: new AbortController(), asksModel: false };
    this.#known.set(job.compaction_id, known);
    this.#add(known);
  }

  cancel(compactionId: string): void {
    const known = this.#known.get(compactionId);
    if (known === undefined) return;
    known.controller.abort();
    if (known.timer === undefined) return;
    clearTimeout(known.timer);
    this.#forget(known);
  }

  async ping(): Promise<void> {}

  async stop(graceMs: number): Promise<void> {
    this.#queue.pause();
    this.#queue.clear();
    for (const { timer } of this.#known.values()) clearTimeout(timer);
    const grace = setTimeout(() => {
      for (const { controller } of this.#known.values()) controller.abort();
    }, graceMs);
    await this.#queue.onPendingZero();
    clearTimeout(grace);
    this.#known.clear();
  }

  #add(known: Known): void {
    clearTimeout(known.timer);
    delete known.timer;
    void this.#queue.add(() => this.#run(known), { priority: -known.debt });
  }

  #forget({ job }: Known): void {
    this.#slots.forget(job);
    this.#known.delete(job.compaction_id);
  }

  async #run(known: Known): Promise<void> {
    try {
      const result = await this.#handle(known);
      const isWanted = !this.#queue.isPaused && !known.controller.signal.aborted;
      if (result.kind === 'retry' && isWanted) {
        known.timer = setTimeout(() => this.#add(known), result.after_ms);
        return;
      }
    } catch (error) {
      this.#onError(error, known.job);
    }
    this.#forget(known);
  }

  /** The handler's answer, or word that the job has to wait for a slot: who asks no model needs none. */
  async #handle(known: Known): Promise<JobResult> {
    const handler = this.#handler;
    if (handler === null) throw new Error('the engine was not started');
    const { job, controller } = known;
    const after_ms = this.#slots.enter(job);
    if (after_ms !== null) {
      known.asksModel ||= await this.#asksModel(job);
      if (known.asksModel) return { kind: 'retry', after_ms };
      this.#slots.forget(job);
      // It may have been cancelled meanwhile: the handler finds that out.
      return handler(job, controller.signal);
    }
    try {
      return await handler(job, controller.signal);
    } finally {
      known.asksModel = false;
      this.#slots.leave(job);
      this.#wakeNext();
    }
  }

  #wakeNext(): void {
    const next = this.#slots.next();
    const known = next === null ? undefined : this.#known.get(next.compaction_id);
    if (known?.timer !== undefined && !this.#queue.isPaused) this.#add(known);
  }
}
