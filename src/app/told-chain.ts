import { createHash, type Hash, hash } from 'node:crypto';
import type { Item } from '../domain/items/item.ts';
import { toldText } from '../domain/items/told-text.ts';
import type { Told } from '../domain/session/told.ts';

/** Items that are hashed together: each call of the hash has its price. */
const GROUP = 16;
/** The texts of a group that has more characters than this are hashed bit by bit. */
const PORTION = 65_536;

/** A place in a telling from which it can be gone on with: after whole groups, and what these come to. */
export type TellingStart = { items: number; key: string };

export const BEGINNING: TellingStart = { items: 0, key: '' };

/**
 * The fingerprint of a telling. Each group of items is hashed behind the hash of those before, so that a
 * telling that goes on from a known one need not be hashed anew, and however it is cut comes to the same.
 */
export class ToldChain {
  /** The places that were passed. */
  readonly starts: TellingStart[] = [];
  #items: number;
  #key: string;
  /** What was told since the last group: the end of it, and what came before that, where there is more. */
  #text = '';
  #hash: Hash | null = null;

  constructor({ items, key }: TellingStart) {
    this.#items = items;
    this.#key = key;
  }

  add(items: readonly Item[]): this {
    for (const item of items) {
      this.#text += toldText(item);
      this.#items += 1;
      if (this.#items % GROUP === 0) this.#endGroup();
      else if (this.#text.length > PORTION) this.#hashText();
    }
    return this;
  }

  get told(): Told {
    return { items: this.#items, key: this.#digest() };
  }

  #endGroup(): void {
    this.#key = this.#digest();
    this.#text = '';
    this.#hash = null;
    this.starts.push({ items: this.#items, key: this.#key });
  }

  #hashText(): void {
    this.#hash ??= createHash('sha256').update(this.#key);
    this.#hash.update(this.#text);
    this.#text = '';
  }

  #digest(): string {
    if (this.#hash !== null) return this.#hash.copy().update(this.#text).digest('base64url');
    return this.#text === '' ? this.#key : hash('sha256', this.#key + this.#text, 'base64url');
  }
}
