/** How lines of a review begin that say what was found, and none of what is to be done about it. */
const TELLS_FINDING =
  /^[ \t]{0,20}(?:[-*•] )?[*_]{0,3}((?:brief )?rationale|evidence|impact|conclusion)[*_]{0,3} ?[:：]/i;
/** Who writes so asks for something there as well. */
const ASKS = /\b(?:please|make sure|(?:you|we) (?:must|should|need to|have to))\b/i;
/** Fewer may be a word or two of the user's own. */
const FEWEST = 3;

/**
 * A text without the lines of a review that tell what is: "Impact: entries are never created" asks for
 * nothing. It is one when it tells so several times, and in more than one way.
 */
export function withoutFindings(text: string): string {
  const lines = text.split('\n');
  const labels = lines.map((line) => labelOf(line));
  const found = labels.filter((label) => label !== undefined);
  if (found.length < FEWEST || new Set(found).size < 2) return text;
  return lines.filter((_, at) => labels[at] === undefined).join('\n');
}

function labelOf(line: string): string | undefined {
  return ASKS.test(line) ? undefined : TELLS_FINDING.exec(line)?.[1]?.toLowerCase();
}
