import type { Atom } from '../domain/items/atoms.ts';
import { blocksOf, cutsBehindSummary } from '../domain/items/behind-summary.ts';
import { codecFor, type Format } from '../domain/items/codecs.ts';
import type { Item } from '../domain/items/item.ts';
import { toldByOpenings } from '../domain/items/leading-instructions.ts';
import type { Told } from '../domain/session/told.ts';
import { comparedAtoms } from './load-history.ts';
import { BEGINNING, type TellingStart, ToldChain } from './told-chain.ts';

/** What would have to be read of a telling was not handed over. */
export class PartialTellingError extends Error {
  override readonly name = 'PartialTellingError';
}

/** An item, or a part of one: its place in the telling, and the block of its content that it begins at. */
export type SeparatedItem = { item: Item; atoms: Atom[]; at: number; block: number };

/** `rest`: of the item behind the known ones what is new, where its beginning is known. */
export type KnownItems = { known: number; rest: Item | null };

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
  /** From so many characters of the model on its instructions are known by how they begin; null: never. */
  readonly vary_after: number | null;

  /**
   * `before`: the telling that this one may begin with. Only its items may be unchecked. `start`: what
   * comes before the items.
   */
  constructor(
    format: Format,
    items: readonly Item[],
    before: Told | null,
    start: TellingStart = BEGINNING,
    vary_after: number | null = null,
  ) {
    this.format = format;
    this.vary_after = vary_after;
    this.items = items;
    this.before = before;
    this.start = start;
    const chain = new ToldChain(start);
    const mayVary = vary_after !== null && start.items === 0;
    const told = (mayVary ? toldByOpenings(items, vary_after) : null) ?? items;
    const again = before === null ? -1 : before.items - start.items;
    let known = 0;
    if (before !== null && again >= 0 && again <= items.length) {
      chain.add(told.slice(0, again));
      if (chain.told.key === before.key) known = before.items;
      chain.add(told.slice(again));
    } else {
      chain.add(told);
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

  /**
   * All items, and in place of a message in which the client tells its own summary and more behind it what
   * that comes apart into. Throws PartialTellingError when they are not at hand.
   */
  separated(): SeparatedItem[] {
    const items = this.itemsFrom(0);
    const joined = joinedSummary(this.format, items);
    return items.flatMap((item, at) => {
      const cuts = joined?.at === at ? joined.cuts : [0];
      return cuts.map((block, index): SeparatedItem => {
        const own = cuts.length === 1 ? item : blocksOf(item, block, cuts[index + 1]);
        return { item: own, atoms: comparedAtoms(this.format, own), at, block };
      });
    });
  }

  /** How many items are known where all before this place among the separated ones is, and the new part of the next. */
  knownBefore(separated: readonly SeparatedItem[], place: number): KnownItems {
    const next = separated[place];
    if (next === undefined) return { known: this.told.items, rest: null };
    const { at, block } = next;
    const [item] = block === 0 ? [] : this.itemsFrom(at);
    return { known: at, rest: item === undefined ? null : blocksOf(item, block) };
  }

  /** What is new behind these. Throws PartialTellingError when it is not at hand. */
  newBehind({ known, rest }: KnownItems): readonly Item[] {
    return rest === null ? this.itemsFrom(known) : [rest, ...this.itemsFrom(known + 1)];
  }
}

/** The message of a client's own summary that comes apart, which no answer stands before. */
function joinedSummary(
  format: Format,
  items: readonly Item[],
): { at: number; cuts: number[] } | null {
  const codec = codecFor(format);
  for (const [at, item] of items.entries()) {
    const cuts = cutsBehindSummary(codec, item);
    if (cuts !== null) return { at, cuts };
    const normalised = codec.normalise(item);
    if (normalised.kind === 'message' && normalised.role === 'assistant') return null;
  }
  return null;
}
