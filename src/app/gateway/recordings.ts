import { setImmediate as turn } from 'node:timers/promises';
import { RECORDING_MS } from './noted-soon.ts';
import { within } from './within.ts';

/** Turns of the event loop within which the answers on closed connections hear of it, which takes two. */
const TURNS = 10;

/** Answers on their way into the log, by whose they are. */
export class Recordings {
  readonly #byOwner = new Map<string, Set<Promise<void>>>();

  /** `written` never rejects. */
  add(owner: string, written: Promise<void>): void {
    const all = this.#byOwner.get(owner) ?? new Set();
    this.#byOwner.set(owner, all.add(written));
    void written.finally(() => {
      all.delete(written);
      if (all.size === 0 && this.#byOwner.get(owner) === all) this.#byOwner.delete(owner);
    });
  }

  /** Waits, for a while, until what this owner has on its way is written. Never rejects. */
  async settled(owner: string): Promise<void> {
    const all = this.#byOwner.get(owner);
    if (all !== undefined) await patiently(Promise.all(all));
  }

  /** The same for all of them, those of connections that were closed just now included. */
  async allSettled(): Promise<void> {
    for (let turns = 0; turns < TURNS; turns++) await turn();
    await patiently(Promise.all([...this.#byOwner.values()].flatMap((all) => [...all])));
  }
}

async function patiently(written: Promise<unknown>): Promise<void> {
  await within(RECORDING_MS, written).catch(() => {});
}
