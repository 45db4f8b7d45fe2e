import type { Hunk } from './action.ts';

/** How Cline and Roo Code open, divide and close an edit: `------- SEARCH`, `<<<<<<< SEARCH`. */
const OPEN = /^(?:<{3,}|-{3,}) SEARCH>?\s*$/;
const DIVIDER = /^={3,}\s*$/;
const CLOSE = /^(?:>{3,}|\+{3,}) REPLACE\s*$/;
/** What Roo Code writes first in an edit: where it begins, and a line under that. */
const PLACE = /^:(?:start|end)_line: ?\d{1,9}\s*$|^-{7}\s*$/;

/** The edits of a text of blocks with what is searched for and what replaces it; null for other texts. */
export function hunksOfBlocks(text: string): Hunk[] | null {
  const hunks: Hunk[] = [];
  let side: 'before' | 'after' | null = null;
  let hunk: Hunk | null = null;
  for (const line of text.replaceAll('\r\n', '\n').split('\n')) {
    if (side === null || hunk === null) {
      if (!OPEN.test(line)) continue;
      hunk = { context: [], before: [], after: [] };
      side = 'before';
    } else if (side === 'before' && DIVIDER.test(line)) side = 'after';
    else if (side === 'after' && CLOSE.test(line)) {
      hunks.push(hunk);
      side = null;
    } else if (side === 'after' || hunk.before.length > 0 || !PLACE.test(line)) {
      hunk[side].push(line);
    }
  }
  // Without anything to search for, such an edit replaces the whole file, or begins it.
  const isWhole =
    side === null && hunks.length > 0 && hunks.every(({ before }) => before.length > 0);
  return isWhole ? hunks : null;
}
