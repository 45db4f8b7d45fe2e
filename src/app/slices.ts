import { setImmediate as nextTurn } from 'node:timers/promises';

/** Work without a pause for others, in milliseconds. */
const SLICE_MS = 10;

/** Cuts long work into slices, between which this thread does what else waits: `if (slices.isOver) await slices.next()`. */
export class Slices {
  #started = performance.now();

  get isOver(): boolean {
    return performance.now() - this.#started > SLICE_MS;
  }

  async next(): Promise<void> {
    await nextTurn();
    this.#started = performance.now();
  }
}
