import { keyOf } from './content.ts';

/**
 * For each item of the context its place in the history, or null. Of equal ones the last are meant, since
 * what a compaction takes away is older: each stands for itself, with the ids that the provider gave it.
 */
export function placesOf(
  context: readonly object[],
  history: readonly object[],
): (number | null)[] {
  const places = new Map<string, number[]>();
  for (const [place, item] of history.entries()) {
    const key = keyOf(item);
    const equal = places.get(key);
    if (equal === undefined) places.set(key, [place]);
    else equal.push(place);
  }
  const found = context.toReversed().map((item) => places.get(keyOf(item))?.pop() ?? null);
  return found.toReversed();
}
