import { AsyncResource } from 'node:async_hooks';
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

  /**
   * Runs a task when it is its turn among those of its tenant. Rejects with what it rejects with, and with
   * the reason of `signal` where that was aborted before its turn came: it is not run then.
   */
  async run<T>(tenant: string, task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const queue = this.#queues.get(tenant) ?? new PQueue({ concurrency: this.#share });
    this.#queues.set(tenant, queue);
    try {
      // It waits for tasks of other requests, and would run as part of the last of them.
      return await queue.add(
        AsyncResource.bind(() => {
          signal?.throwIfAborted();
          return task();
        }),
      );
    } finally {
      const isIdle = queue.size === 0 && queue.pending === 0;
      if (isIdle && this.#queues.get(tenant) === queue) this.#queues.delete(tenant);
    }
  }
}
