import type { Ledger } from '../../ledger/ledger.ts';
import { scoreOf } from '../../ledger/names-index.ts';
import { isFileName, nameKey, namesStandingIn } from '../../names.ts';
import type { TextCounter } from '../../tokens/count.ts';
import { INDEX_TITLE } from './headings.ts';

/** A name that the reader asked for counts as if it were mentioned this many times as often. */
const FOCUS_FACTOR = 4;

/** The names, best first; those that contain a focus word (lower case) move up. */
export function rankedNames({ names, items }: Ledger, focus: readonly string[]): string[] {
  return names
    .map((name) => {
      const lower = name.name.toLowerCase();
      const factor = focus.some((word) => lower.includes(word)) ? FOCUS_FACTOR : 1;
      return { key: nameKey(name.name), score: scoreOf(name, items) * factor };
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

/** The index of names as lines: files and paths, then identifiers, each in the order given. */
function indexLines(names: readonly string[]): string[] {
  const isPath = (name: string) => name.includes('/') || isFileName(name);
  const files = names.filter(isPath);
  const identifiers = names.filter((name) => !isPath(name));
  const lines: string[] = [];
  if (files.length > 0) lines.push(`Files and paths: ${files.join(', ')}`);
  if (identifiers.length > 0) lines.push(`Identifiers: ${identifiers.join(', ')}`);
  return lines;
}
