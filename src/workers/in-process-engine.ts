import PQueue from 'p-queue';
import type { CompactionJob, JobEngine, JobHandler } from './job-engine.ts';

type Known = { controller: AbortController; retryTimer?: NodeJS.Timeout };

/**
 * Runs jobs in this process, `concurrency` at a time, and no more than `per_tenant` of one tenant. A handler that throws is reported to `onError`
 * and its job forgotten: the dispatcher hands pending compactions over again.
 */
export class InProcessEngine implements JobEngine {
  readonly #queue: PQueue;
  /** What each tenant may have in the queue at a time, when there are several. */
  readonly #lanes = new Map<string, PQueue>();
  readonly #perTenant: number;
  readonly #onError: (error: unknown, job: CompactionJob) => void;
  readonly #known = new Map<string, Known>();
  #handler: JobHandler | null = null;

  constructor(options: {
    concurrency: number;
    /** Jobs of one tenant at a time; default: all. */
    per_tenant?: number;
    onError: (error: unknown, job: CompactionJob) => void;
  }) {
    this.#queue = new PQueue({ concurrency: options.concurrency, autoStart: false });
    this.#perTenant = options.per_tenant ?? options.concurrency;
    this.#onError = options.onError;
  }

  start(handler: JobHandler): void {
    this.#handler = handler;
    this.#queue.start();
  }

  async enqueue(job: CompactionJob): Promise<void> {
    if (this.#known.has(job.compaction_id)) return;
    const known: Known = { controller: new AbortController() };
    this.#known.set(job.compaction_id, known);
    this.#add(job, known);
  }

  cancel(compactionId: string): void {
    const known = this.#known.get(compactionId);
    if (known === undefined) return;
    known.controller.abort();
    if (known.retryTimer === undefined) return;
    clearTimeout(known.retryTimer);
    this.#known.delete(compactionId);
  }

  async ping(): Promise<void> {}

  async stop(graceMs: number): Promise<void> {
    for (const lane of this.#lanes.values()) lane.clear();
    this.#queue.pause();
    this.#queue.clear();
    for (const { retryTimer } of this.#known.values()) clearTimeout(retryTimer);
    const grace = setTimeout(() => {
      for (const { controller } of this.#known.values()) controller.abort();
    }, graceMs);
    await this.#queue.onPendingZero();
    clearTimeout(grace);
    this.#known.clear();
  }

  #add(job: CompactionJob, known: Known): void {
    delete known.retryTimer;
    const run = () => this.#queue.add(() => this.#run(job, known));
    void this.#laneOf(job.ref.tenant).add(run);
  }

  /** A tenant whose model hangs fills its own share, and the others go on. */
  #laneOf(tenant: string): PQueue {
    const lane = this.#lanes.get(tenant) ?? new PQueue({ concurrency: this.#perTenant });
    this.#lanes.set(tenant, lane);
    return lane;
  }

  async #run(job: CompactionJob, known: Known): Promise<void> {
    const handler = this.#handler;
    if (handler === null) throw new Error('the engine was not started');
    try {
      const result = await handler(job, known.controller.signal);
      const isWanted = !this.#queue.isPaused && !known.controller.signal.aborted;
      if (result.kind === 'retry' && isWanted) {
        known.retryTimer = setTimeout(() => this.#add(job, known), result.after_ms);
        return;
      }
    } catch (error) {
      this.#onError(error, job);
    }
    this.#known.delete(job.compaction_id);
  }
}
