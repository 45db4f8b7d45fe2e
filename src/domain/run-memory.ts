import type { Units } from './text-units.ts';

/** Some ten times as many as a long session has that come again and again. */
const PLACES = 0x8000;

/**
 * What was found out about runs of characters, so that those that come again need not be looked at, nor
 * cut out of their text. Each has two places; what is met there gives way, so that no text makes it
 * larger or slower.
 */
export class RunMemory<V> {
  /** Empty until something is remembered: a process that reads nothing needs no room for it. */
  #runs: (string | undefined)[] = [];
  #values: (V | undefined)[] = [];
  readonly #answer: (run: string) => V;

  /** `answer` is pure: it is asked once for a run, as long as that is remembered. */
  constructor(answer: (run: string) => V) {
    this.#answer = answer;
  }

  of(units: Units, start: number, end: number): V {
    const first = hashOf(units, start, end) & (PLACES - 1);
    for (let place = first; ; place ^= 1) {
      const value = this.#values[place];
      const run = this.#runs[place];
      if (value !== undefined && run !== undefined && stands(run, units, start, end)) return value;
      if (place !== first) break;
    }
    const run = String.fromCharCode(...units.subarray(start, end));
    const value = this.#answer(run);
    if (this.#runs.length === 0) {
      this.#runs = new Array(PLACES);
      this.#values = new Array(PLACES);
    }
    const place = this.#runs[first] === undefined ? first : first ^ 1;
    this.#runs[place] = run;
    this.#values[place] = value;
    return value;
  }
}

function hashOf(units: Units, start: number, end: number): number {
  let hash = end - start;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (units[at] ?? 0), 0x01000193);
  return hash ^ (hash >>> 15);
}

function stands(run: string, units: Units, start: number, end: number): boolean {
  if (run.length !== end - start) return false;
  for (let at = 0; at < run.length; at++) {
    if (run.charCodeAt(at) !== units[start + at]) return false;
  }
  return true;
}
