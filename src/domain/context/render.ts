import { codecFor, type Format } from '../items/codecs.ts';
import { withDistinctNames } from '../items/distinct-names.ts';
import type { Item, Normalised } from '../items/item.ts';
import { withOneIdPerCall } from '../items/pairing.ts';
import { isProviderCompaction } from '../items/provider-compaction.ts';
import type { Entry } from '../session/entry.ts';
import { wellFormed } from '../well-formed.ts';

/**
 * The items of a context as a provider accepts them (SPEC section 4): in the session's own format, or
 * converted to another as well as that allows: what a provider has compacted itself is left out there,
 * since nobody else can read it. Half characters become U+FFFD: every provider refuses them.
 */
export function renderEntries(entries: readonly Entry[], format: Format, target: Format): Item[] {
  const items = entries.map(({ item }) => item);
  if (format === target) return wellFormed(codecFor(format).render(items));
  const source = codecFor(format);
  const codec = codecFor(target);
  const readable = items
    .filter((item) => !isProviderCompaction(item))
    .map((item) => named(source.normalise(item)));
  const joined = withDistinctNames(withOneIdPerCall(readable));
  const encoded = joined.flatMap((item) => codec.encode(item));
  return wellFormed(codec.render(encoded));
}

/** What only the field of an item says: its words alone would be the user's. */
function named(item: Normalised): Normalised {
  if (item.kind !== 'message' || item.told_as === undefined) return item;
  return { ...item, parts: [{ kind: 'text', text: `${item.told_as}:` }, ...item.parts] };
}
