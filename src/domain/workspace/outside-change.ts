import type { Effort } from './effort.ts';
import {
  type Block,
  type KnownText,
  merged,
  spendOn,
  textWhenWhole,
  wholeText,
} from './known-text.ts';

/** So many lines after a change tell where the known text goes on. */
const CONTEXT = 3;

/**
 * A text after a change of which all changed lines are shown, with lines around them and the numbers
 * that they have now. Null when it cannot be told what they took the place of.
 */
export function withShownLines(
  known: KnownText,
  shown: readonly Block[],
  effort: Effort,
): KnownText | null {
  const whole = textWhenWhole(known);
  if (whole === null) return merged(known, { blocks: shown, total: null }, effort);
  const isPaid = spendOn(known, 2 + 2 * shown.length, effort);
  if (!isPaid || !spendOn({ blocks: shown, total: null }, 2, effort)) return null;
  const old = whole.split('\n');
  const lines: string[] = [];
  let from = 0;
  const keepTo = (end: number) => {
    for (; from < end; from++) lines.push(old[from] ?? '');
  };
  for (const { first, text } of shown) {
    const start = from + first - 1 - lines.length;
    if (start < from || start > old.length) return null;
    keepTo(start);
    const own = text.split('\n');
    const end = endOf(old, from, own);
    if (end === null) return null;
    for (const line of own) lines.push(line);
    from = end;
  }
  keepTo(old.length);
  return wholeText(lines.join('\n'));
}

/** Where the known lines go on after those that are shown, from the line `from` on. */
function endOf(old: readonly string[], from: number, own: readonly string[]): number | null {
  let same = 0;
  while (same < own.length && from + same < old.length && own[same] === old[from + same]) same++;
  if (same === own.length) return from + same;
  // Nothing before the change is as it was known: the known text is of another time.
  if (same === 0 && from > 0) return null;
  const tail = own.slice(Math.max(same, own.length - CONTEXT));
  let found: number | null = null;
  for (let end = from + same + tail.length; end <= old.length; end++) {
    if (!tail.every((line, at) => line === old[end - tail.length + at])) continue;
    if (found !== null) return null;
    found = end;
  }
  return found;
}
