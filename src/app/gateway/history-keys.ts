import { hash } from 'node:crypto';
import { atomsOf } from '../../domain/items/atoms.ts';
import { codecFor, type Format } from '../../domain/items/codecs.ts';
import type { Item } from '../../domain/items/item.ts';

/** How many of the newest places of a history are looked up. */
const MOST_LOOKED_UP = 256;

/** What a history has come to: enough to go on from there. */
export type HistoryState = { last: string; words: number; isAfterAnswer: boolean };

/** An empty history; `scope`: within which the same history is the same session. */
export function noHistory(scope: string, format: Format): HistoryState {
  return { last: hashed('history', scope, format), words: 0, isAfterAnswer: false };
}

/**
 * Fingerprints of a history up to each of its answers, by what was said firmly: how clients write it,
 * and what their programs put in between, changes none of them. Each goes on from the one before.
 */
export class HistoryKeys {
  readonly #format: Format;
  #last: string;
  #isAfterAnswer: boolean;
  #words: number;
  readonly #answers: string[] = [];

  constructor(format: Format, { last, words, isAfterAnswer }: HistoryState) {
    this.#format = format;
    this.#last = last;
    this.#words = words;
    this.#isAfterAnswer = isAfterAnswer;
  }

  /** Where it has come to. */
  get state(): HistoryState {
    return { last: this.#last, words: this.#words, isAfterAnswer: this.#isAfterAnswer };
  }

  add(items: readonly Item[]): this {
    const codec = codecFor(this.#format);
    for (const item of items) {
      for (const { text, isFirm, isOfModel } of atomsOf(codec, item)) {
        if (!isFirm) continue;
        if (!isOfModel) this.#endAnswer();
        this.#isAfterAnswer = isOfModel;
        this.#words += 1;
        this.#last = hashed(this.#last, text);
      }
    }
    return this;
  }

  /**
   * The places behind an answer, newest first. Never one without an answer: the first message alone is
   * that of many conversations.
   */
  keys(): string[] {
    const isEnd = this.#isAfterAnswer && this.#words > 1;
    const all = isEnd ? [...this.#answers, this.#last] : this.#answers;
    return all.slice(-MOST_LOOKED_UP).reverse();
  }

  #endAnswer(): void {
    if (this.#isAfterAnswer && this.#words > 1) this.#answers.push(this.#last);
  }
}

export function hashed(...parts: string[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url');
}
