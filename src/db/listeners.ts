import type { SessionRef } from '../app/ports/event-store.ts';
import { sessionKey, sessionOfKey } from '../app/session-key.ts';

/** What a store tells the process that has opened it. */
export type StoreCallbacks = {
  /** Told of problems in the log, by their number, when heads of an older release were computed anew. */
  onDamage?: (problems: number) => void;
  /**
   * Only in a thread of a process that has opened the store: told of each commit, for the `ring` of
   * the process's own store. It hears of no commits but its own.
   */
  onCommitted?: (key: string) => void;
  /** The same for writes that the disk has refused, for the `doubt` of the process's own store. */
  onTrouble?: () => void;
};

/** Who wants to hear of commits, per session. In this process only. */
export class Listeners {
  readonly #bySession = new Map<string, Set<() => void>>();
  readonly #ofAll = new Set<(ref: SessionRef) => void>();

  /** Answers a function that stops it; stopping twice is harmless. */
  add(ref: SessionRef, listener: () => void): () => void {
    const key = sessionKey(ref);
    const listeners = this.#bySession.get(key) ?? new Set();
    this.#bySession.set(key, listeners);
    // Wrapped, so that the same function subscribed twice is called and stopped twice.
    const entry = () => listener();
    listeners.add(entry);
    return () => {
      listeners.delete(entry);
      if (listeners.size === 0 && this.#bySession.get(key) === listeners) {
        this.#bySession.delete(key);
      }
    };
  }

  /** The same for commits to whichever session, as far as this process hears of them. */
  addForAll(listener: (ref: SessionRef) => void): () => void {
    this.#ofAll.add(listener);
    return () => this.#ofAll.delete(listener);
  }

  /** Calls back soon, each listener in its own microtask: one that throws cannot stop the others. */
  notify(key: string): void {
    for (const listener of this.#ofAll) listener(sessionOfKey(key));
    const listeners = this.#bySession.get(key);
    if (!listeners) return;
    for (const listener of listeners) {
      queueMicrotask(() => {
        if (listeners.has(listener)) listener();
      });
    }
  }

  /** For stores that know only that somebody else has written, not where. */
  notifyAll(): void {
    for (const key of this.#bySession.keys()) this.notify(key);
  }

  /** Whether nobody wants to hear of commits at all. */
  get isEmpty(): boolean {
    return this.hasNoSessions && this.#ofAll.size === 0;
  }

  get hasNoSessions(): boolean {
    return this.#bySession.size === 0;
  }
}
