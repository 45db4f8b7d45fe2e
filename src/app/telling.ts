import type { Atom } from '../domain/items/atoms.ts';
import type { Format } from '../domain/items/codecs.ts';
import type { Item } from '../domain/items/item.ts';
import type { Told } from '../domain/session/told.ts';
import { comparedAtoms } from './load-history.ts';
import { BEGINNING, type TellingStart, ToldChain } from './told-chain.ts';

/** What would have to be read of a telling was not handed over. */
export class PartialTellingError extends Error {
  override readonly name = 'PartialTellingError';
}

/** A conversation as a client tells it, with its fingerprint; its beginning may have been left out. */
export class Telling {
  readonly format: Format;
  /** All that is told behind `start`. */
  readonly items: readonly Item[];
  readonly start: TellingStart;
  /** Of the whole telling. */
  readonly told: Told;
  /** The places that it can be gone on from, but for `start`. */
  readonly starts: readonly TellingStart[];
  /** How many of the items were told in the same way before. */
  readonly known: number;
  /** The telling that it was compared with. */
  readonly before: Told | null;

  /**
   * `before`: the telling that this one may begin with. Only its items may be unchecked. `start`: what
   * comes before the items.
   */
  constructor(
    format: Format,
    items: readonly Item[],
    before: Told | null,
    start: TellingStart = BEGINNING,
  ) {
    this.format = format;
    this.items = items;
    this.before = before;
    this.start = start;
    const chain = new ToldChain(start);
    const again = before === null ? -1 : before.items - start.items;
    let known = 0;
    if (before !== null && again >= 0 && again <= items.length) {
      chain.add(items.slice(0, again));
      if (chain.told.key === before.key) known = before.items;
      chain.add(items.slice(again));
    } else {
      chain.add(items);
    }
    this.known = known;
    this.told = chain.told;
    this.starts = chain.starts;
  }

  /** Whether it is what these would come to. */
  isOf(format: Format, items: readonly Item[], before: Told | null, start: TellingStart): boolean {
    const isSameStart = this.before?.key === before?.key && this.before?.items === before?.items;
    const isWhole = this.start.key === start.key && this.start.items === start.items;
    return items === this.items && format === this.format && isSameStart && isWhole;
  }

  /** The items from one on. Throws PartialTellingError when they are not at hand. */
  itemsFrom(first: number): readonly Item[] {
    if (first < this.start.items) throw new PartialTellingError();
    return this.items.slice(first - this.start.items);
  }

  /** The same, in the pieces that they are compared by. */
  piecesFrom(first: number): { item: Item; atoms: Atom[] }[] {
    return this.itemsFrom(first).map((item) => ({ item, atoms: comparedAtoms(this.format, item) }));
  }
}
