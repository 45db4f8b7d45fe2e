import type { EventStore } from '../app/ports/event-store.ts';
import type { CompactionJob, JobEngine } from './engines/job-engine.ts';

/** The oldest so many are handed over in a round; the others follow when these have ended. */
const PAGE = 10_000;

/**
 * Hands pending compactions to the engine: at once when nudged after a commit, all of them at start
 * and every `intervalMs`. Handing one over twice is harmless (SPEC section 17: the log is the truth).
 * What cannot be handed over is reported to `onError` and comes with the next round.
 */
export class Dispatcher {
  readonly #store: EventStore;
  readonly #engine: JobEngine;
  readonly #onError: (error: unknown) => void;
  #timer: NodeJS.Timeout | null = null;
  #round: Promise<number> | null = null;

  constructor(store: EventStore, engine: JobEngine, onError: (error: unknown) => void) {
    this.#store = store;
    this.#engine = engine;
    this.#onError = onError;
  }

  dispatch(job: CompactionJob): void {
    this.#engine.enqueue(job).catch(this.#onError);
  }

  /** Hands over everything that has not ended; answers how many. Joins a round that is under way. */
  handOverPending(): Promise<number> {
    this.#round ??= this.#handOver().finally(() => {
      this.#round = null;
    });
    return this.#round;
  }

  start(intervalMs: number): void {
    this.#timer = setInterval(() => this.handOverPending(), intervalMs);
    this.#timer.unref();
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  async #handOver(): Promise<number> {
    let handedOver = 0;
    try {
      for (const { ref, compaction_id } of await this.#store.pending(PAGE)) {
        await this.#engine.enqueue({ ref, compaction_id });
        handedOver += 1;
      }
    } catch (error) {
      this.#onError(error);
    }
    return handedOver;
  }
}
