import type { CompactionJob } from './job-engine.ts';

/** A job that waits asks again after this long (milliseconds), in case nobody wakes it. */
const ASK_AGAIN_MS = 500;
/** Where many wait each asks less often: about a hundred of them ask per second. */
const ASK_AGAIN_MS_PER_JOB = 10;
/** Who has let so many times that long pass without asking has gone elsewhere. */
const PATIENCE = 3;

type Waiting = { job: CompactionJob; asked_ms: number };

/**
 * The slots of a process for jobs that ask a model: `concurrency` of them, and one more for a tenant
 * that has none running, so that the models of one tenant do not keep another from its first. Tenants
 * take turns. A job that gets no slot waits somewhere else and asks again.
 */
export class ModelSlots {
  readonly #concurrency: number;
  readonly #now: () => number;
  /** Jobs that have a slot, by tenant; a tenant without any is not there. */
  readonly #running = new Map<string, number>();
  /** By tenant the jobs that wait, the oldest first, and when they asked last. */
  readonly #waiting = new Map<string, Map<string, Waiting>>();
  /** Whoever was served last is the last one; whoever never was is not there. */
  readonly #served = new Set<string>();

  /** `now`: milliseconds of a clock that never goes back. */
  constructor(concurrency: number, now: () => number = () => performance.now()) {
    this.#concurrency = concurrency;
    this.#now = now;
  }

  /** Null: the job has a slot until `leave`. Else the milliseconds after which it is to ask again. */
  enter(job: CompactionJob): number | null {
    const { tenant } = job.ref;
    this.#forgetTheGone();
    if (this.#tenantsBefore(tenant) + this.#olderThan(job) >= this.#roomFor(tenant)) {
      const waiting = this.#waiting.get(tenant) ?? new Map<string, Waiting>();
      waiting.set(job.compaction_id, { job, asked_ms: this.#now() });
      this.#waiting.set(tenant, waiting);
      return this.#askAgainMs();
    }
    this.forget(job);
    this.#running.set(tenant, this.#runningOf(tenant) + 1);
    this.#served.delete(tenant);
    this.#served.add(tenant);
    return null;
  }

  /** Gives the slot back. */
  leave({ ref: { tenant } }: CompactionJob): void {
    const left = this.#runningOf(tenant) - 1;
    if (left > 0) this.#running.set(tenant, left);
    else this.#running.delete(tenant);
  }

  /** The job whose turn it is; null when none waits that may run. */
  next(): CompactionJob | null {
    const [tenant] = [...this.#waiting.keys()]
      .filter((waiting) => this.#roomFor(waiting) > 0)
      .sort((a, b) => this.#turnOf(a) - this.#turnOf(b));
    const [oldest] = this.#waiting.get(tenant ?? '')?.values() ?? [];
    return oldest?.job ?? null;
  }

  /** The job waits no more: it has a slot, was cancelled, or has gone to another process. */
  forget({ ref: { tenant }, compaction_id }: CompactionJob): void {
    const waiting = this.#waiting.get(tenant);
    waiting?.delete(compaction_id);
    if (waiting?.size === 0) this.#waiting.delete(tenant);
  }

  /** How many more jobs of a tenant may run, as far as it goes by the slots alone. */
  #roomFor(tenant: string): number {
    const all = [...this.#running.values()].reduce((sum, jobs) => sum + jobs, 0);
    return this.#concurrency - all + (this.#runningOf(tenant) === 0 ? 1 : 0);
  }

  #runningOf(tenant: string): number {
    return this.#running.get(tenant) ?? 0;
  }

  /** Tenants that wait for what there is, and whose turn is before this one's. */
  #tenantsBefore(tenant: string): number {
    const own = this.#turnOf(tenant);
    return [...this.#waiting.keys()].filter(
      (other) => other !== tenant && this.#turnOf(other) < own && this.#roomFor(other) > 0,
    ).length;
  }

  /** Jobs of the same tenant that have waited for longer. */
  #olderThan({ ref: { tenant }, compaction_id }: CompactionJob): number {
    const ids = [...(this.#waiting.get(tenant)?.keys() ?? [])];
    const own = ids.indexOf(compaction_id);
    return own === -1 ? ids.length : own;
  }

  #turnOf(tenant: string): number {
    return [...this.#served].indexOf(tenant);
  }

  #askAgainMs(): number {
    let waiting = 0;
    for (const jobs of this.#waiting.values()) waiting += jobs.size;
    return Math.max(ASK_AGAIN_MS, waiting * ASK_AGAIN_MS_PER_JOB);
  }

  #forgetTheGone(): void {
    const since = this.#now() - PATIENCE * this.#askAgainMs();
    for (const [tenant, jobs] of this.#waiting) {
      for (const [compaction_id, { asked_ms }] of jobs) {
        if (asked_ms < since) jobs.delete(compaction_id);
      }
      if (jobs.size === 0) this.#waiting.delete(tenant);
    }
  }
}
