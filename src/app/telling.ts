import { createHash, type Hash } from 'node:crypto';
import type { Atom } from '../domain/items/atoms.ts';
import type { Format } from '../domain/items/codecs.ts';
import type { Item } from '../domain/items/item.ts';
import { toldText } from '../domain/items/told-text.ts';
import type { Told } from '../domain/session/told.ts';
import { comparedAtoms } from './load-history.ts';

/** Texts are hashed in portions of so many characters: each call of the hash has its price. */
const PORTION = 65_536;

/** A conversation as a client tells it, with its fingerprint. */
export class Telling {
  readonly format: Format;
  readonly items: readonly Item[];
  /** Of the whole telling. */
  readonly told: Told;
  /** How many of the items were told in the same way before. */
  readonly known: number;
  /** The telling that it was compared with. */
  readonly before: Told | null;

  /** `before`: the telling that this one may begin with. Only its items may be unchecked. */
  constructor(format: Format, items: readonly Item[], before: Told | null) {
    this.format = format;
    this.items = items;
    this.before = before;
    const hash = createHash('sha256');
    let known = 0;
    if (before !== null && before.items <= items.length) {
      addTo(hash, items.slice(0, before.items));
      if (hash.copy().digest('hex') === before.key) known = before.items;
      addTo(hash, items.slice(before.items));
    } else {
      addTo(hash, items);
    }
    this.known = known;
    this.told = { items: items.length, key: hash.digest('hex') };
  }

  /** Whether it is what these would come to. */
  isOf(format: Format, items: readonly Item[], before: Told | null): boolean {
    const isSameStart = this.before?.key === before?.key && this.before?.items === before?.items;
    return items === this.items && format === this.format && isSameStart;
  }

  /** The items from one on, in the pieces that they are compared by. */
  piecesFrom(first: number): { item: Item; atoms: Atom[] }[] {
    return this.items
      .slice(first)
      .map((item) => ({ item, atoms: comparedAtoms(this.format, item) }));
  }
}

function addTo(hash: Hash, items: readonly Item[]): void {
  let portion = '';
  for (const item of items) {
    portion += toldText(item);
    if (portion.length < PORTION) continue;
    hash.update(portion);
    portion = '';
  }
  hash.update(portion);
}
