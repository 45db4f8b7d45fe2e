import { clipEnd, oneLine } from '../text.ts';

/** Characters of one text that are looked at. */
const LOOKED_AT = 40_000;
const LONGEST_HEADING = 160;
/** So long is what is told of what a task requires. */
const LONGEST = 200;
const ITEM = /^\s{0,40}(?:[-*•]|\d{1,2}[.)])\s+(\S.*)$/;
const NEGATES =
  /\b(?:not|never|no|avoid|without|nicht|keine?[mnrs]?|niemals|ne|pas|jamais|sans|nunca|non|senza|niet|nooit|geen|nigdy|jangan|asla)\b|n['’]t\b|(?<!\p{L})(?:não|sem|nie|не|нельзя|لا|नहीं)(?!\p{L})|[不勿禁别別]|ない|없|금지|말/iu;

/** What does not work, what somebody else does not do, or what something lacks. */
const DESCRIBES =
  /\b(?:which|that|they|it|these|those|following|tests?|users?|files?)\b[^:]{0,60}\b(?:do|does|did)(?: not|n['’]t)\b|^(?!.{0,160}\b(?:must|should|shall|ensure|make sure)\b).{0,160}\bdoes(?: not|n['’]t) (?:(?:yet|currently|actually|really|also) )?(?:have|support|exist|know|track|provide|offer|cover|work)\b/i;

/** "Do not:" says the opposite of what stands below it, "Do not forget:" the same. */
const PROHIBITS =
  /^(?:(?:[-•]|\d{1,2}[.)]) )?(?:(?:please|you|we|also|and|but),? ){0,3}(?:do not|don['’]?t|never|avoid|must(?: not|n['’]t)|should(?: not|n['’]t)|may not|forbidden|prohibited)\b(?! (?:forget|skip|miss|omit|ignore|overlook|neglect|fail)\b)/i;
/** What is not accepted: "Any of the following will result in rejection:". */
const REJECTS =
  /^(?!(?:if|when|whenever|in case|should)\b).{0,80}\b(?:any|each|one|either|all) of (?:the following|these)\b[^:]{0,60}\b(?:results? in|leads? to|means?|causes?|counts? as|(?:is|are)(?: an?)?|be)(?: \w{1,20}){0,3} (?:reject(?:ion|ed)|disqualif\w{2,7}|fail(?:ure)?|forbidden|prohibited|unacceptable)\b/i;
/** An item that says by itself what has to be. */
const SAYS_ITSELF = /^(?:do not|don['’]?t|never|always|avoid|ensure|make sure|no)\b/i;

/**
 * A heading that forbids, and the same with the list that it forbids: by itself it says nothing.
 * `contrary`: the items of which the opposite is wanted.
 */
export type Forbidden = { heading: string; whole: string; contrary: readonly string[] };

/** The lists in a text that stand below a heading which negates, up to the first line that is no item. */
export function forbiddenIn(text: string): Forbidden[] {
  const found: Forbidden[] = [];
  let open: { heading: string; items: string[] } | null = null;
  const close = () => {
    if (open !== null && open.items.length > 0) {
      const { heading, items } = open;
      const whole = clipEnd(`${heading} ${items.join('; ')}`, LONGEST);
      found.push({ heading, whole, contrary: contraryIn(heading, items) });
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

function contraryIn(heading: string, items: readonly string[]): readonly string[] {
  if (REJECTS.test(heading)) return items;
  return PROHIBITS.test(heading) ? items.filter((item) => !SAYS_ITSELF.test(item)) : [];
}

/** The last sentence of a line that ends in a colon, without marks of a heading or of weight. */
function headingIn(line: string): string | null {
  if (!/[:：]\W{0,4}$/.test(line.slice(-8))) return null;
  const sentences = oneLine(line.slice(-2 * LONGEST_HEADING)).split(/(?<=[.!?。！？]) */);
  const heading = (sentences.at(-1) ?? '').replace(/^[#>*_\s]+|[*_\s]+$/g, '');
  if (heading.length > LONGEST_HEADING) return null;
  if (REJECTS.test(heading)) return heading;
  return NEGATES.test(heading) && !DESCRIBES.test(heading) ? heading : null;
}
