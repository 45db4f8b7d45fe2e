import { baseName, extractNames, isFileName } from '../names.ts';
import { withoutKeys } from '../text.ts';
import type { Edit } from './sed-edits.ts';

/** Names of a file that are kept, the newest first. */
export const MOST_NAMES = 24;
/** Characters of one edit that are read for names. */
export const LOOKED_AT = 200_000;

/** What a line declares is told before what it uses. */
const DECLARES =
  /\b(?:function|class|def|func|fn|interface|type|struct|enum|const|let|var|trait|impl|module|namespace|package|macro|table|TABLE|protocol|record|object)\b|^\s*(?:[\w.-]+\s*[:=]|#{1,6} |\[[\w.-]+\]|@\w+|"[\w.-]+":)/;

/** The names that edits bring in and that what they replace does not have, declared ones first. */
export function namesBroughtIn(edits: readonly Edit[], path: string): string[] {
  const declared = new Set<string>();
  const used = new Set<string>();
  const paths = new Set<string>();
  const own = baseName(path);
  for (const { added, removed } of edits) {
    const before = new Set(extractNames(removed.slice(0, LOOKED_AT)));
    const brought = withoutKeys(linesOnlyIn(added.slice(0, LOOKED_AT), removed));
    for (const line of brought.split('\n')) {
      const names = extractNames(line).filter(
        (name) => !before.has(name) && baseName(name) !== own,
      );
      const declares = DECLARES.test(line.slice(0, 500));
      for (const [place, name] of names.entries()) {
        if (name.includes('/') || isFileName(name)) paths.add(name);
        else (declares && place === 0 ? declared : used).add(name);
      }
    }
  }
  return [...new Set([...declared, ...used, ...paths])].slice(0, MOST_NAMES);
}

/** The lines of a text that another one does not have. */
export function linesOnlyIn(text: string, other: string): string {
  if (other === '') return text;
  const lines = new Set(other.split('\n'));
  return text
    .split('\n')
    .filter((line) => !lines.has(line))
    .join('\n');
}
