import { clipEnd, oneLine } from '../text.ts';

/*
 * What was said stands word for word under lines of ours that say whose words they are. A tool can print
 * anything, so that nothing said may pass for such a line.
 */

/** With what the lines of `recall`, `search_history` and the gateway's own look-ups begin. */
const BEGINNINGS = [
  'item \\d',
  'session \\S',
  'call \\S',
  'result of ',
  'reasoning\\b',
  'text\\b',
  'it goes on\\b',
  'more: ',
  'nothing was found',
  'not everything ',
  'This was the last look-up',
].join('|');

/** The bracket of a line that could be read as one of ours, also behind what nobody sees. */
const POSING = new RegExp(
  `[[［【](?=[\\s\\p{C}]{0,20}(?:${BEGINNINGS}))(?<=(?:^|[\\v\\f\\u0085])[\\s\\p{C}]{0,200}.)`,
  'gimu',
);

/** The text as it may stand under a heading: lines that pose as one begin with a backslash. */
export function underHeading(text: string): string {
  return text.replace(POSING, '\\$&');
}

/** The same of a text that begins inside of a line: what it went on with were no headings. */
export function insideLine(text: string): string {
  const end = text.indexOf('\n');
  return end === -1 ? underHeading(text) : underHeading(text.slice(0, end)) + text.slice(end);
}

/** Longer than any id or name that something is found by again. */
const LONGEST_PART = 600;

/** A line of ours; whatever its parts hold, they neither end it nor begin another one. */
export function headingOf(parts: readonly string[]): string {
  return `[${parts.map(inHeading).join(', ')}]`;
}

function inHeading(text: string): string {
  const line = oneLine(clipEnd(text, LONGEST_PART).replace(/\p{C}+/gu, ' '));
  return line.replaceAll('[', '(').replaceAll(']', ')');
}
