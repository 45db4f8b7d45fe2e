import type { Source } from './source.ts';

/** A text to describe: from which place on it is the output, in a digest of so many characters. */
export type Asking = { source: Source; start: number; room: number };

/** What is found in a text of some kind before any line is chosen for the names in it. */
export type Outline = {
  /** What the text is, in a few words with figures. */
  what: string;
  /** Lines of ours about the whole, the most important first; without brackets. */
  notes: string[];
  /** The units to be quoted before others, the most important first, by their places. */
  first: number[];
  /** What these may take of the room that failures leave. */
  share: number;
  /** What is to be said below a unit that is quoted; without brackets. */
  below: Map<number, string>;
};

/** How much of a digest a list of ours may take. */
export const SHARE_OF_LIST = 0.2;

const SHARE_OF_FIRST = 0.3;

/** An outline of nothing but what the text is. */
export function plainOutline(what: string): Outline {
  return { what, notes: [], first: [], share: SHARE_OF_FIRST, below: new Map() };
}

/** `1 line`, `2 lines`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** As many of the entries as fit, and how many more there are. */
export function listed(entries: readonly string[], characters: number): string {
  let length = 0;
  let shown = 0;
  for (const entry of entries) {
    length += entry.length + 2;
    if (length > characters && shown > 0) break;
    shown += 1;
  }
  const more = entries.length - shown;
  return entries.slice(0, shown).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** The entries of a count, the most frequent first; of equal ones the first counted first. */
export function byCount(counts: ReadonlyMap<string, number>): [name: string, count: number][] {
  return [...counts].sort(([, a], [, b]) => b - a);
}
