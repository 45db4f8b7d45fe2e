import type { TextCounter } from './count.ts';

/**
 * Cuts a text in the middle so that it counts at most `maxTokens`, with a note of how much was left
 * out between head and tail; where not even the note fits, only as much of the head as does. A text
 * that fits comes back as it is.
 */
export function truncateMiddle(text: string, maxTokens: number, count: TextCounter): string {
  const total = count(text);
  if (total <= maxTokens) return text;
  const even = Math.max(0, Math.floor((text.length * maxTokens) / total));
  // `even` assumes the same density everywhere; a few steps down find the real length.
  for (const keep of shrinking(even)) {
    const cut = cutMiddle(text, keep, total);
    if (count(cut) <= maxTokens) return cut;
  }
  for (const keep of shrinking(even)) {
    const head = text.slice(0, safeEnd(text, keep));
    if (count(head) <= maxTokens) return head;
  }
  return '';
}

function* shrinking(from: number): Generator<number> {
  for (let keep = from; keep > 0; keep = keep < 16 ? keep - 1 : Math.floor(keep * 0.9)) yield keep;
  yield 0;
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

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}
