import type { Normalised } from '../../items/item.ts';

/**
 * A rule that a context must never break, as the cuts that it allows: one answer per place between
 * items. Index i true means that everything before item i may be covered by a compaction while item i
 * and all after it stay; there are items + 1 answers. Takes linear time.
 */
export type Invariant = (items: readonly Normalised[]) => boolean[];

/** Items `first` to `last` (inclusive) that a cut may not separate. */
export type Group = { first: number; last: number };

/** The cuts that separate no group. Overlapping groups are fine; linear in items and groups. */
export function cutsOutside(groups: readonly Group[], length: number): boolean[] {
  const opened = new Array<number>(length + 2).fill(0);
  for (const { first, last } of groups) {
    opened[first + 1] = (opened[first + 1] ?? 0) + 1;
    opened[last + 1] = (opened[last + 1] ?? 0) - 1;
  }
  let depth = 0;
  return opened.slice(0, length + 1).map((change) => {
    depth += change;
    return depth === 0;
  });
}
