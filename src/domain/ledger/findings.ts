/** How lines of a review begin that say what was found, and none of what is to be done about it. */
const TELLS_FINDING =
  /^[ \t]{0,20}(?:[-*•] )?[*_]{0,3}((?:brief )?rationale|evidence|impact|conclusion)[*_]{0,3} ?[:：]/i;
/** Who writes so asks for something there as well. */
const ASKS = new RegExp(
  [
    /\b(?:please|make sure|(?:you|we) (?:must|should|need to|have to|always|never)|from now on|going forward|henceforth)\b/,
    // An order begins a sentence: with a verb that tells of no one, as "never retry".
    /(?:[:：][\s*_]{0,5}|[.!;] )(?:do not|don['’]t|must|should|ensure|avoid|keep|use(?! of\b))\b/,
    /(?:[:：][\s*_]{0,5}|[.!;,] )(?:always|never) (?!(?:\w{1,30}(?:s|ed|en)|true|false|null|empty|zero|set|read|run|put|hit|met|sent|built|kept|made|found|done|shown|thrown|the|an?|in|on|at|by|for|with|when)\b)[a-z]{2}/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'i',
);
/** What a line says in another language, nobody here can tell from an order. */
const IN_ENGLISH =
  /\b(?:the|is|are|were|be|to|if|or|for|not|and|but|with|without|by|from|this|that|which|when|only|has|have|does|would|could|never|always|must|it|its|any|instead|uses)\b/i;
/** Fewer may be a word or two of the user's own. */
const FEWEST = 3;

/** A heading of its own, below which stands what is wrong. */
const HEADS_PROBLEM =
  /^[ \t]{0,20}(?:[-*•] |\d{1,2}[.)] )?(?:#{1,6} [*_]{0,3}|[*_]{0,3}(?=[^:：]{1,40}[:：]))(?:the )?(?:problem|issue|bug|symptoms?|root cause|(?:current|actual|observed) (?:behaviou?r|state|result))[*_]{0,3} ?[:：]?[*_]{0,3}\s*$/i;
/** What is to become of it stands below a heading too, where "Problem:" heads no task. */
const HEADS_REMEDY =
  /^[ \t]{0,20}(?:[-*•] |\d{1,2}[.)] )?(?:#{1,6} )?[*_]{0,3}(?:[a-z]{1,20} ){0,3}(?:fix(?:es)?|solution|resolution|remedy|remediation|expected(?: (?:behaviou?r|state|result))?)\b[^:：\n]{0,30}(?:[:：]|$)/im;
/** What is wrong may be told by what it should be. */
const SAYS_HOW =
  /\b(?:must|should|shall|needs? to|ha(?:s|ve) to|required?|expect(?:s|ed)?|do not|don['’]t|ensure|make sure|avoid)\b/i;
/** Nobody tells so what is. */
const BEGINS_ORDER = /^\W{0,20}(?:prefer|remember|stick to|keep(?!-)|use(?! of\b))\b/i;

/** The lines of the paragraph below each heading of a problem that tell what is. */
function toldAsWrong(lines: readonly string[]): boolean[] {
  let place: 'outside' | 'heading' | 'inside' = 'outside';
  return lines.map((line) => {
    if (HEADS_PROBLEM.test(line)) place = 'heading';
    else if (line.trim() === '') place = place === 'heading' ? 'heading' : 'outside';
    else if (place !== 'outside') {
      place = /[:：]\W{0,3}$/.test(line) ? 'outside' : 'inside';
      return place === 'inside' && !asksForSomething(line) && !saysHow(line);
    }
    return false;
  });
}

function saysHow(line: string): boolean {
  return SAYS_HOW.test(line) || BEGINS_ORDER.test(line) || ASKS.test(`. ${line.trim()}`);
}

/** A text as it was written, without what stands below headings of problems and tells what is. */
export function withoutProblems(text: string): string {
  if (!HEADS_REMEDY.test(text)) return text;
  const lines = text.split('\n');
  const isWrong = toldAsWrong(lines);
  return isWrong.includes(true) ? lines.filter((_, at) => !isWrong[at]).join('\n') : text;
}

/**
 * A text without the lines of a review that tell what is: "Impact: entries are never created" asks for
 * nothing. It is one when it tells so several times, and in more than one way.
 */
export function withoutFindings(text: string): string {
  const lines = text.split('\n');
  const labels = lines.map((line) => TELLS_FINDING.exec(line)?.[1]?.toLowerCase());
  const found = labels.filter((label) => label !== undefined);
  if (found.length < FEWEST || new Set(found).size < 2) return text;
  return lines.filter((line, at) => labels[at] === undefined || asksForSomething(line)).join('\n');
}

function asksForSomething(line: string): boolean {
  return !IN_ENGLISH.test(line) || ASKS.test(line);
}
