import type { EventStore } from '../db/event-store.ts';
import type { CompactionJob, JobEngine } from './job-engine.ts';

/** As many as are handed over at a time; the next round takes the rest. */
const PAGE = 10_000;

/**
 * Hands pending compactions to the engine: at once when nudged after a commit, all of them at start
 * and every `intervalMs`. Handing one over twice is harmless (SPEC section 17: the log is the truth).
 */
export class Dispatcher {
  readonly #store: EventStore;
  readonly #engine: JobEngine;
  readonly #onError: (error: unknown) => void;
  #timer: NodeJS.Timeout | null = null;

  constructor(store: EventStore, engine: JobEngine, onError: (error: unknown) => void) {
    this.#store = store;
    this.#engine = engine;
    this.#onError = onError;
  }

  dispatch(job: CompactionJob): void {
    this.#engine.enqueue(job).catch(this.#onError);
  }

  /** Hands over everything that has not ended; answers how many. */
  async recover(): Promise<number> {
    const pending = await this.#store.pending(PAGE);
    for (const job of pending) await this.#engine.enqueue(job);
    return pending.length;
  }

  start(intervalMs: number): void {
    this.#timer = setInterval(() => this.recover().catch(this.#onError), intervalMs);
    this.#timer.unref();
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
  }
}
