import { hash } from 'node:crypto';
import { type Atom, atomsOf } from '../../domain/items/atoms.ts';
import { codecFor, type Format } from '../../domain/items/codecs.ts';
import type { Item } from '../../domain/items/item.ts';
import {
  atomsByOpening,
  leadingInstructions,
  openingOf,
  saidIn,
  TELLS_WHICH,
} from '../../domain/items/leading-instructions.ts';

/**
 * How many places of a history are looked up, two of each round, and each in two ways where instructions
 * count by how they begin. A client that clears its own old results
 * tells all of them otherwise but the first ones.
 */
const NEWEST_LOOKED_UP = 512;
const OLDEST_LOOKED_UP = 64;
const ROUNDS_LOOKED_UP = 3;

/**
 * What a history has come to: enough to go on from there. `hasAnswer`: the model has said a part of it.
 * `asked`: the place before the answer that it ends with; none where it ends with none, and before the
 * first only with a call of it. `opened`: the place before the first, while it ends with that. `round`:
 * what was asked last, and the answer to it as far as there is one. `answer`: that alone; `isCalling`: it
 * calls a tool. `asker`: who asks; null where rounds are not looked for. `instructions`: word for word
 * where they count by how they begin. `said`: so many characters of the model.
 */
export type HistoryState = {
  last: string;
  words: number;
  isAfterAnswer: boolean;
  hasAnswer: boolean;
  asked: readonly string[];
  opened: readonly string[];
  round: string;
  answer: string;
  isCalling: boolean;
  asker: string | null;
  instructions: string;
  said: number;
};

/** An empty history; `scope`: within which the same history is the same session. */
export function noHistory(
  scope: string,
  format: Format,
  asker: string | null = null,
): HistoryState {
  return {
    last: hashed('history', scope, format),
    words: 0,
    isAfterAnswer: false,
    hasAnswer: false,
    asked: [],
    opened: [],
    round: '',
    answer: '',
    isCalling: false,
    asker,
    instructions: '',
    said: 0,
  };
}

/** A round that is over; `calls`: its answer alone, where that calls a tool. */
type Round = { round: string; calls: string | null };

/**
 * Fingerprints of a history before and behind each of its answers, by what was said firmly: how clients
 * write it, and what their programs put in between, changes none of them. Each goes on from the one
 * before. Those before an answer are for clients that tell answers otherwise than they were given, such
 * as without what the model has thought aloud: no request of theirs has the answer that was recorded.
 */
export class HistoryKeys {
  readonly #format: Format;
  readonly #state: HistoryState;
  readonly #rounds: Round[] = [];
  readonly #places: string[] = [];

  constructor(format: Format, state: HistoryState) {
    this.#format = format;
    this.#state = { ...state };
  }

  /** Where it has come to. */
  get state(): HistoryState {
    return { ...this.#state };
  }

  add(items: readonly Item[]): this {
    const codec = codecFor(this.#format);
    const head = this.#state.words === 0 ? leadingInstructions(items) : 0;
    for (const [at, item] of items.entries()) {
      const opening = at < head ? openingOf(item) : null;
      const atoms = atomsOf(codec, item);
      const compared = opening === null ? atoms : atomsByOpening(atoms, opening);
      if (compared !== atoms) this.#noteInstructions(atoms);
      for (const atom of compared) {
        const { text, isFirm, isOfModel } = atom;
        if (!isFirm) continue;
        if (isOfModel) {
          this.#beginAnswer();
          this.#state.answer = hashed(this.#state.answer, text);
          if (atom.anchor !== null) this.#noteCall(atom);
        } else this.#endAnswer();
        this.#state.words += 1;
        this.#state.last = hashed(this.#state.last, text);
        this.#state.round = hashed(this.#state.round, text);
      }
      this.#state.said += saidIn(item);
    }
    return this;
  }

  /**
   * The places before and behind an answer, newest first. Never one without an answer: the first message
   * alone is that of many conversations.
   */
  keys(): string[] {
    const all = this.#all();
    const older = all.slice(0, -NEWEST_LOOKED_UP).slice(0, OLDEST_LOOKED_UP);
    return [...older, ...all.slice(-NEWEST_LOOKED_UP)].reverse();
  }

  /**
   * The same behind an answer that was given, with the place before it. That is none for a request that
   * ends with an answer, which its client has begun itself: others may ask the same.
   */
  keysBehindAnswer(): string[] {
    return [...this.keys(), ...this.#state.asked];
  }

  /** The place where an answer is still to come: none before the first, and none behind an answer. */
  keysBeforeAnswer(): string[] {
    const { isAfterAnswer, hasAnswer } = this.#state;
    if (isAfterAnswer || !hasAnswer) return [];
    return this.#place().map((place) => hashed('asked', place));
  }

  /**
   * So many of the newest answers, newest first, each together with what was asked for it, and who asks:
   * what a client still has that leaves out what was before. The newest may be on its way into the log.
   * Then those that call a tool by themselves: a summary may stand in the place of what was asked.
   */
  newestRounds(most = ROUNDS_LOOKED_UP): string[] {
    const { asker, isAfterAnswer } = this.#state;
    if (asker === null) return [];
    const rounds = isAfterAnswer ? [...this.#rounds, this.#current()] : this.#rounds;
    const newest = rounds.slice(-most).reverse();
    return [
      ...newest.map(({ round }) => hashed('round', asker, round)),
      ...newest.flatMap(({ calls }) => (calls === null ? [] : hashed('calls', asker, calls))),
    ];
  }

  /** Those of them near the end. */
  newest(): string[] {
    return this.#all().slice(-NEWEST_LOOKED_UP).reverse();
  }

  #all(): string[] {
    const { isAfterAnswer, words } = this.#state;
    return isAfterAnswer && words > 1 ? [...this.#places, ...this.#place()] : this.#places;
  }

  /**
   * How it is to be found where it has come to, the surest last: with its instructions word for word it is
   * no other one, though others were welcomed at length in the same way.
   */
  #place(): string[] {
    const { last, instructions, said } = this.#state;
    if (instructions === '') return [last];
    const exact = hashed(last, instructions);
    return said >= TELLS_WHICH ? [last, exact] : [exact];
  }

  #noteInstructions(atoms: readonly Atom[]): void {
    const texts = atoms.map(({ text }) => text);
    this.#state.instructions = hashed(this.#state.instructions, ...texts);
  }

  #noteCall(atom: Atom): void {
    this.#state.isCalling = true;
    const { opened } = this.#state;
    if (opened.length > 0 && isOfOneAnswer(atom)) {
      this.#state.asked = opened.map((place) => hashed('called', place, atom.text));
    }
  }

  #current(): Round {
    const { round, answer, isCalling } = this.#state;
    return { round, calls: isCalling ? answer : null };
  }

  #beginAnswer(): void {
    const { isAfterAnswer, hasAnswer, words } = this.#state;
    if (!hasAnswer && words > 0) this.#state.opened = this.#place();
    if (!isAfterAnswer) this.#state.asked = this.keysBeforeAnswer();
    this.#state.isAfterAnswer = true;
    this.#state.hasAnswer = true;
  }

  #endAnswer(): void {
    const { isAfterAnswer, asked, words } = this.#state;
    if (isAfterAnswer) {
      this.#places.push(...asked);
      if (words > 1) this.#places.push(...this.#place());
      this.#rounds.push(this.#current());
      Object.assign(this.#state, { round: '', answer: '', isCalling: false });
    }
    this.#state.isAfterAnswer = false;
    this.#state.asked = [];
    this.#state.opened = [];
  }
}

/**
 * Whether the id of a call is of one answer alone, whatever else of that a client leaves out. Some programs
 * count calls (`call_1`, `functions.read:0`): then conversations that begin alike have the same ids.
 */
function isOfOneAnswer({ anchor, call }: Atom): boolean {
  const id = anchor ?? '';
  const name = call?.name ?? '';
  return /(?=[a-z]{0,7}\d)[a-z\d]{8}/i.test(name === '' ? id : id.replaceAll(name, ' '));
}

export function hashed(...parts: string[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url');
}
