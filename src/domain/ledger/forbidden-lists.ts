import { clipEnd, oneLine } from '../text.ts';

/** Characters of one text that are looked at. */
const LOOKED_AT = 40_000;
const LONGEST_HEADING = 160;
/** So long is what is told of what a task requires. */
const LONGEST = 200;
const ITEM = /^\s{0,40}(?:[-*•]|\d{1,2}[.)])\s+(\S.*)$/;
const NEGATES =
  /\b(?:not|never|no|avoid|without|nicht|keine?[mnrs]?|niemals|ne|pas|jamais|sans|nunca|non|senza|niet|nooit|geen|nigdy|jangan|asla)\b|n['’]t\b|(?<!\p{L})(?:não|sem|nie|не|нельзя|لا|नहीं)(?!\p{L})|[不勿禁别別]|ない|없|금지|말/iu;

/** What does not work, or what somebody else does not do. */
const DESCRIBES =
  /\b(?:which|that|they|it|these|those|following|tests?|users?|files?)\b[^:]{0,60}\b(?:do|does|did)(?: not|n['’]t)\b/i;

/** A heading that forbids, and the same with the list that it forbids: by itself it says nothing. */
export type Forbidden = { heading: string; whole: string };

/** The lists in a text that stand below a heading which negates, up to the first line that is no item. */
export function forbiddenIn(text: string): Forbidden[] {
  const found: Forbidden[] = [];
  let open: { heading: string; items: string[] } | null = null;
  const close = () => {
    if (open !== null && open.items.length > 0) {
      const { heading, items } = open;
      found.push({ heading, whole: clipEnd(`${heading} ${items.join('; ')}`, LONGEST) });
    }
    open = null;
  };
  for (const line of text.slice(0, LOOKED_AT).split('\n')) {
    if (line.trim() === '') continue;
    const item = open === null ? undefined : ITEM.exec(line)?.[1];
    if (open !== null && item !== undefined) {
      open.items.push(oneLine(item).replace(/[.;,。；，]$/, ''));
      continue;
    }
    close();
    const heading = headingIn(line);
    if (heading !== null) open = { heading, items: [] };
  }
  close();
  return found;
}

/** The last sentence of a line that ends in a colon, without marks of a heading or of weight. */
function headingIn(line: string): string | null {
  if (!/[:：]\W{0,4}$/.test(line.slice(-8))) return null;
  const sentences = oneLine(line.slice(-2 * LONGEST_HEADING)).split(/(?<=[.!?。！？]) */);
  const heading = (sentences.at(-1) ?? '').replace(/^[#>*_\s]+|[*_\s]+$/g, '');
  const isOne = heading.length <= LONGEST_HEADING && NEGATES.test(heading);
  return isOne && !DESCRIBES.test(heading) ? heading : null;
}
