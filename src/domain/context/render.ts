import { codecFor } from '../items/codecs.ts';
import type { Format, Item } from '../items/item.ts';
import type { Entry } from './entry.ts';

/**
 * The items of a context as a provider accepts them (SPEC section 4): in the session's own format, or
 * converted to another as well as that allows.
 */
export function renderEntries(entries: readonly Entry[], format: Format, target: Format): Item[] {
  const items = entries.map(({ item }) => item);
  if (format === target) return codecFor(format).render(items);
  const source = codecFor(format);
  const codec = codecFor(target);
  return codec.render(items.flatMap((item) => codec.encode(source.normalise(item))));
}
