import PQueue from 'p-queue';

/**
 * Lets each tenant have so many tasks under way at a time; the others of it wait. Some wait for a model, and
 * one tenant alone would leave no thread to the rest.
 */
export class TenantShares {
  readonly #share: number;
  readonly #queues = new Map<string, PQueue>();

  constructor(share: number) {
    this.#share = share;
  }

  /** Runs a task when it is its turn among those of its tenant. Rejects with what it rejects with. */
  async run<T>(tenant: string, task: () => Promise<T>): Promise<T> {
    const queue = this.#queues.get(tenant) ?? new PQueue({ concurrency: this.#share });
    this.#queues.set(tenant, queue);
    try {
      return await queue.add(task);
    } finally {
      if (queue.size === 0 && queue.pending === 0) this.#queues.delete(tenant);
    }
  }
}
