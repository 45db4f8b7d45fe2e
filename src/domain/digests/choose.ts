import { readNames } from '../names.ts';
import type { Source, Unit } from './source.ts';

/** What is known of names when lines are chosen. */
export type Names = {
  /** A text that stands in the context anyhow: its names need not be told again. */
  known: string;
  /** Whether the agent has written the name, by its key, since it read the result. */
  isUsed: (key: string) => boolean;
};

/** So many characters of a text are read for names; of longer ones every n-th unit. */
const MOST_READ = 100_000;
/** How much more a name is worth that the agent has used since. */
const WORTH_OF_USED = 3;
/** Hashes and other ids are seldom written again. */
const WORTH_OF_ID = 0.3;
const ID = /^(?:#\d{1,7}|[0-9a-f]{7,40})$/;
/** How much more a line is worth that an outline asks for. */
const FAVOUR = 1.5;
/** Each round takes what brings at least this share of what the last round asked for. */
const STEP = 0.85;
/** Of the room is filled with a text's beginning and end where names do not fill it. */
const SHARE_OF_ENDS = 0.5;
/** What brings less than one name in so many characters is not worth its place. */
const LEAST_GAIN = 1 / 1_000;

/** Units that are quoted before others, the most important first, in a share of the room that is left. */
type Wanted = { places: readonly number[]; share: number };

type Choice = {
  wanted: readonly Wanted[];
  /** What is said below a unit takes room as well. */
  below: ReadonlyMap<number, string>;
  /** Before this place stand only words of the program around the output. */
  start: number;
  /** In characters. */
  room: number;
  names: Names;
};

/** Steps of this share of a list come nowhere near where they have been. */
const GOLDEN = 0.618;

type Candidate = { place: number; keys: number[]; cost: number; favour: number };

/**
 * The places of the units to quote, in the order in which they were chosen: first what is wanted, then
 * the lines that bring the most new names for their length.
 */
export function chosenUnits(
  source: Source,
  { wanted, below, start, room, names }: Choice,
): number[] {
  const worth = new Worth(names);
  worth.take(worth.read(names.known));
  const chosen = new Set<number>();
  let left = room;
  for (const { places, share } of wanted) {
    let most = left * share;
    for (const place of places) {
      const unit = source.units[place];
      const note = below.get(place);
      const cost = costOf(unit) + (note === undefined ? 0 : note.length + 3);
      if (unit === undefined || chosen.has(place) || cost > most) continue;
      most -= cost;
      left -= cost;
      chosen.add(place);
      worth.take(worth.read(source.text, unit));
    }
  }
  const favoured = new Set(wanted.flatMap(({ places }) => places));
  left = addByNames(candidates(source, start, { chosen, favoured }, worth), chosen, left, worth);
  addFromEnds(source, start, chosen, left - room * (1 - SHARE_OF_ENDS));
  return [...chosen];
}

/** Takes what brings the most new names for its length; answers how much room is left. */
function addByNames(
  found: readonly Candidate[],
  chosen: Set<number>,
  room: number,
  worth: Worth,
): number {
  let left = room;
  let waiting = found;
  let asked = waiting.reduce((most, one) => Math.max(most, worth.gain(one)), 0);
  while (waiting.length > 0 && asked > LEAST_GAIN) {
    asked *= STEP;
    const later: Candidate[] = [];
    for (const one of waiting) {
      const gain = worth.gain(one);
      if (gain === 0 || one.cost > left) continue;
      if (gain < asked) {
        later.push(one);
        continue;
      }
      left -= one.cost;
      chosen.add(one.place);
      worth.take(one.keys);
    }
    waiting = later;
  }
  return left;
}

/** Where few names were found: lines from the beginning, and half as much from the end. */
function addFromEnds(source: Source, start: number, chosen: Set<number>, room: number): void {
  const fill = (from: number, step: 1 | -1, most: number) => {
    let left = most;
    for (let place = from; place >= start && left > 0; place += step) {
      const unit = source.units[place];
      if (unit === undefined) return;
      if (unit.to === unit.from || chosen.has(place)) continue;
      left -= costOf(unit);
      if (left > 0) chosen.add(place);
    }
  };
  fill(start, 1, (room * 2) / 3);
  fill(source.units.length - 1, -1, room / 3);
}

/** Units with names, as many as are read at all. */
function candidates(
  source: Source,
  start: number,
  { chosen, favoured }: Record<'chosen' | 'favoured', ReadonlySet<number>>,
  worth: Worth,
): Candidate[] {
  const last = source.units.at(-1);
  const every = Math.max(1, Math.ceil((last?.to ?? 0) / MOST_READ));
  const found: Candidate[] = [];
  for (let place = start; place < source.units.length; place += every) {
    const unit = source.units[place];
    if (unit === undefined || unit.to - unit.from < 3 || chosen.has(place)) continue;
    const keys = worth.read(source.text, unit);
    if (keys.length > 0)
      found.push({ place, keys, cost: costOf(unit), favour: favoured.has(place) ? FAVOUR : 1 });
  }
  return spread(found);
}

/** In an order in which neighbours stand far apart: of lines that say the same amount not the first are taken. */
function spread<T>(list: readonly T[]): T[] {
  const step = Math.max(1, Math.round(list.length * GOLDEN));
  const rounds = greatestCommonDivisor(step, list.length);
  const order: T[] = [];
  for (let round = 0; round < rounds; round++) {
    for (let at = round, left = list.length / rounds; left > 0; left--) {
      const one = list[at];
      if (one !== undefined) order.push(one);
      at = (at + step) % list.length;
    }
  }
  return order;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

/** Characters that a quoted unit takes, with its number and the end of the line. */
export function costOf(unit: Unit | undefined): number {
  return unit === undefined ? 0 : unit.to - unit.from + String(unit.line).length + 2;
}

/** What names are worth as long as nobody has told them. */
class Worth {
  readonly #isUsed: Names['isUsed'];
  readonly #numbers = new Map<string, number>();
  /** By number; 0 for a name that has been told. */
  readonly #worth: number[] = [];

  constructor({ isUsed }: Names) {
    this.#isUsed = isUsed;
  }

  /** The numbers of the names in a text or a part of it, each once. */
  read(text: string, unit?: Unit): number[] {
    const numbers: number[] = [];
    readNames(
      text,
      (_, key) => {
        const number = this.#numberOf(key);
        if (!numbers.includes(number)) numbers.push(number);
      },
      unit,
    );
    return numbers;
  }

  take(numbers: readonly number[]): void {
    for (const number of numbers) this.#worth[number] = 0;
  }

  gain({ keys, cost, favour }: Candidate): number {
    let sum = 0;
    for (const key of keys) sum += this.#worth[key] ?? 0;
    return (sum * favour) / cost;
  }

  #numberOf(key: string): number {
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#worth.length;
    this.#numbers.set(key, number);
    this.#worth.push(this.#isUsed(key) ? WORTH_OF_USED : ID.test(key) ? WORTH_OF_ID : 1);
    return number;
  }
}
