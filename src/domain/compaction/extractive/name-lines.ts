import { scoreOf } from '../../ledger/names-index.ts';
import { isFileName, nameKey, namesStandingIn } from '../../names.ts';
import type { TextCounter } from '../../tokens/count.ts';
import { INDEX_TITLE } from './headings.ts';
import { isAfterCut, type Ledgers } from './ledgers.ts';

/** A name that the reader asked for counts as if it were mentioned this many times as often. */
const FOCUS_FACTOR = 4;
/** A long name takes the room of several short ones: nearly by its length, for a long one says more. */
const LENGTH_COUNTS = 0.75;

/** A name that was mentioned after the cut stands in the context already, unless its result is cleared. */
const STANDS_BELOW_FACTOR = 0.25;

/** The end of a regular expression with its flags, which looks like a path. */
const IS_PATTERN = /(?:^\/?[^/]{0,80}|\))\/(?:i|g|gi|ig|gm|gu|iu|giu|m|u)$/;

/** The names, best for their length first; those that contain a focus word (lower case) move up. */
export function rankedNames({ covered, standing }: Ledgers, focus: readonly string[]): string[] {
  const below = new Set(
    standing.names.flatMap((name) =>
      isAfterCut({ ...name, seq: name.last_seq }, covered) ? [nameKey(name.name)] : [],
    ),
  );
  return covered.names
    .filter(({ name }) => !IS_PATTERN.test(name))
    .map((name) => {
      const lower = name.name.toLowerCase();
      const key = nameKey(name.name);
      const asked = focus.some((word) => lower.includes(word)) ? FOCUS_FACTOR : 1;
      const factor = below.has(key) ? asked * STANDS_BELOW_FACTOR : asked;
      const score = (scoreOf(name, covered.items) * factor) / (key.length + 1) ** LENGTH_COUNTS;
      return { key, score };
    })
    .sort((a, b) => b.score - a.score)
    .map(({ key }) => key);
}

/** The body with as many names after it, best first, as fit in the room; names in it are left out. */
export function withIndex(
  body: string,
  names: readonly string[],
  room: number,
  count: TextCounter,
): string {
  const stands = namesStandingIn(body);
  const further = names.filter((name) => !stands(name));
  const index = (howMany: number): string =>
    `## ${INDEX_TITLE}\n${indexLines(further.slice(0, howMany)).join('\n')}`;
  let fits = 0;
  let tooMany = further.length + 1;
  while (tooMany - fits > 1) {
    const middle = Math.floor((fits + tooMany) / 2);
    if (count(index(middle)) + 2 <= room) fits = middle;
    else tooMany = middle;
  }
  if (fits === 0) return body;
  return body === '' ? index(fits) : `${body}\n\n${index(fits)}`;
}

/** Tokens that an index of all names takes at most. */
export function indexCost(names: readonly string[], count: TextCounter): number {
  return names.length === 0 ? 0 : count(`## ${INDEX_TITLE}\n${indexLines(names).join('\n')}`) + 2;
}

/**
 * The index of names as lines: files and paths, then identifiers, each in the order given. A name has no
 * blanks in it, so a blank is enough between two.
 */
function indexLines(names: readonly string[]): string[] {
  const isPath = (name: string) => name.includes('/') || isFileName(name);
  const files = names.filter(isPath);
  const identifiers = names.filter((name) => !isPath(name));
  const lines: string[] = [];
  if (files.length > 0) lines.push(`Files and paths: ${files.join(' ')}`);
  if (identifiers.length > 0) lines.push(`Identifiers: ${identifiers.join(' ')}`);
  return lines;
}
