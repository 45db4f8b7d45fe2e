/**
 * Pseudo-random choices that a seed repeats exactly (mulberry32): for tests that print their seed,
 * so that a failure can be run again.
 */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** In [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let bits = this.#state;
    bits = Math.imul(bits ^ (bits >>> 15), bits | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from `least` to `most`, both included. */
  int(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** One element of the list. Throws when the list is empty. */
  pick<T>(list: readonly T[]): T {
    const index = this.int(0, list.length - 1);
    // An index inside the list has an element; T itself may include undefined.
    if (index in list) return list[index] as T;
    throw new Error('there is nothing to pick from');
  }

  /** A generator of its own, whose choices do not depend on how often this one is asked. */
  split(): SeededRandom {
    return new SeededRandom(this.int(0, 0xffff_ffff));
  }
}

/** The seed in the environment variable, or else a new one. */
export function seedFrom(variable: string): number {
  const given = Number(process.env[variable]);
  return Number.isSafeInteger(given) && given > 0 ? given : Math.floor(Math.random() * 1e9) + 1;
}
