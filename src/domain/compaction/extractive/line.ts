/** One line of a summary. `worth` tells which of a topic stay when not all do: the highest. */
export type Line = {
  text: string;
  worth: number;
  /** What it tells the beginning of, where that is not all. */
  about?: string;
  /** Where it is worth most, a part of it is told rather than others in its place. */
  isNeeded?: true;
};

/** What a topic has to tell, from the fewest words to the most: each tells all that the one before does. */
export type Tellings = readonly (() => Line[])[];

/** The lines in the order in which they are given, worth the more the later. */
export function inOrder(texts: readonly string[]): Line[] {
  return texts.map((text, worth) => ({ text, worth }));
}

/**
 * So many of a list, evenly from its beginning to its end, so that each part of a session gets its
 * share; the first and the last always.
 */
export function evenly<T>(list: readonly T[], most: number): T[] {
  if (list.length <= most) return [...list];
  const step = most > 1 ? (list.length - 1) / (most - 1) : 0;
  const places = new Set(Array.from({ length: most }, (_, index) => Math.round(index * step)));
  return list.filter((_, place) => places.has(place));
}
