import { endOfString } from '../json-text.ts';
import { eachPart } from './json-parts.ts';

/**
 * The text of a JSON object with the value of one of its own fields replaced by another text; all other
 * characters stay what they are. Null when it has no such field. The text is valid JSON.
 */
export function replaceMember(text: string, name: string, value: string): string | null {
  const range = memberRange(text, name);
  return range === null ? null : text.slice(0, range.start) + value + text.slice(range.end);
}

/** What stands between a key and its value. */
const COLON = /[ \t\n\r]*:[ \t\n\r]*/y;

/**
 * Where the value of one of its own fields stands in the text of a JSON object, which is valid. Of a name
 * that stands there twice, the last counts, as for any parser.
 */
export function memberRange(text: string, name: string): { start: number; end: number } | null {
  let range: { start: number; end: number } | null = null;
  eachPart(text, text.indexOf('{'), (start, end) => {
    const keyEnd = endOfString(text, start) + 1;
    if (JSON.parse(text.slice(start, keyEnd)) !== name) return;
    COLON.lastIndex = keyEnd;
    COLON.test(text);
    range = { start: COLON.lastIndex, end };
  });
  return range;
}
