import type { Normalised } from '../../items/item.ts';
import { remembering } from '../../remember.ts';
import type { Invariant } from './invariant.ts';
import { messageParts } from './message-parts.ts';
import { providerPairs } from './provider-pairs.ts';
import { reasoningGroups } from './reasoning-groups.ts';
import { toolPairs } from './tool-pairs.ts';

/** For each place between items whether a cut may be there. */
export type Cuts = (items: readonly Normalised[]) => readonly boolean[];

/** All rules that decide about cuts (DESIGN, decision 7). */
const INVARIANTS: readonly Invariant[] = [toolPairs, providerPairs, messageParts, reasoningGroups];

/**
 * Where a context may be cut: index i true means that everything before item i may be covered by a
 * compaction while item i and all after it stay. One answer per place, so items + 1 in number; 0 is
 * always true, the last one when no call is open. Linear time (SPEC section 8, the cut).
 */
export const safeCuts: Cuts = remembering((items) => cutsOf(items, INVARIANTS));

/**
 * The same where programs of the provider may be parted from the calls that they make: each of them may
 * begin with the end of the one before, and then there is no safe cut in hours of work. Rendered, such
 * calls are the model's own.
 */
export const cutsThroughPrograms: Cuts = remembering((items) =>
  cutsOf(
    items,
    INVARIANTS.filter((invariant) => invariant !== providerPairs),
  ),
);

function cutsOf(
  items: readonly Normalised[],
  invariants: readonly Invariant[],
): readonly boolean[] {
  const allowed = invariants.map((cuts) => cuts(items));
  return Array.from({ length: items.length + 1 }, (_, index) =>
    allowed.every((cuts) => cuts[index] === true),
  );
}
