import { isHighSurrogate, type TextCounter } from './count.ts';

/**
 * Cuts a text in the middle so that it counts at most `maxTokens`, with a note of how much was left
 * out between head and tail; where not even the note fits, only as much of the head as does. A text
 * that fits comes back as it is.
 */
export function truncateMiddle(text: string, maxTokens: number, count: TextCounter): string {
  const total = count(text);
  if (total <= maxTokens) return text;
  const even = Math.max(0, Math.floor((text.length * maxTokens) / total));
  const longest = (cut: (keep: number) => string) =>
    longestCut(cut, text.length, even, maxTokens, count);
  return (
    longest((keep) => cutMiddle(text, keep, total)) ??
    longest((keep) => text.slice(0, safeEnd(text, keep))) ??
    ''
  );
}

/** Cuts tried for one text: more than a search for the exact length needs in nearly all of them. */
const MOST_TRIES = 24;

/**
 * The longest cut that counts at most `maxTokens`, or null when none does. `cut` makes it from the
 * number of characters to keep, which is below `length`. `guess` assumes the same density everywhere;
 * the search starts around it, so that what is counted stays of the size of the result, however long
 * the text is.
 */
function longestCut(
  cut: (keep: number) => string,
  length: number,
  guess: number,
  maxTokens: number,
  count: TextCounter,
): string | null {
  let best: string | null = null;
  let fits = -1;
  let exceeds = length;
  let keep = guess;
  let step = Math.max(16, Math.floor(guess / 64));
  for (let tries = 0; tries < MOST_TRIES && exceeds - fits > 1; tries++) {
    const candidate = cut(keep);
    const tokens = count(candidate);
    if (tokens <= maxTokens) {
      best = candidate;
      fits = keep;
      if (tokens === maxTokens) break;
    } else exceeds = keep;
    // While one side is not known yet, go towards it in growing steps; then halve what is between.
    if (fits === -1) keep = Math.max(0, exceeds - step);
    else if (exceeds === length) keep = Math.min(length - 1, fits + step);
    else keep = Math.floor((fits + exceeds) / 2);
    step *= 4;
  }
  return best;
}

function cutMiddle(text: string, keep: number, total: number): string {
  const head = safeEnd(text, Math.ceil(keep * 0.6));
  const tail = safeStart(text, text.length - (keep - Math.ceil(keep * 0.6)));
  const left = Math.max(1, Math.round((total * (tail - head)) / text.length));
  return `${text.slice(0, head)}\n[… about ${left} tokens left out …]\n${text.slice(tail)}`;
}

/** Cut positions never fall between the two halves of a surrogate pair. */
function safeEnd(text: string, index: number): number {
  return isHighSurrogate(text.charCodeAt(index - 1)) ? index - 1 : index;
}

function safeStart(text: string, index: number): number {
  return isHighSurrogate(text.charCodeAt(index - 1)) ? index + 1 : index;
}
