import type { Substitution } from '../workspace/known-text.ts';

/** Characters of a script that are looked at. */
const LOOKED_AT = 200_000;

/** What an edit has put in place of what. */
export type Edit = { added: string; removed: string };

const SUBSTITUTION =
  /(?:^|[\s'";])(?:\d[\d,$]*)?s([/|#@])((?:\\.|(?!\1)[^\\\n]){0,500})\1((?:\\.|(?!\1)[^\\\n]){0,500})\1/g;

/**
 * What `sed -i` puts in place of what: in this file where its own substitutions are known, else anywhere
 * in the script.
 */
export function editsOfSed(script: string, own?: readonly Substitution[]): Edit[] {
  if (own !== undefined) return own.map(({ from, to }) => ({ added: to, removed: from }));
  if (!script.includes('sed')) return [];
  return [...script.slice(0, LOOKED_AT).matchAll(SUBSTITUTION)].map(
    ([, , removed = '', added = '']) => ({ added, removed }),
  );
}
