import { endOfString } from '../json-text.ts';

const QUOTE = 0x22;

/**
 * The text of a JSON object with the value of one of its own fields replaced by another text; all other
 * characters stay what they are. Null when it has no such field. The text is valid JSON.
 */
export function replaceMember(text: string, name: string, value: string): string | null {
  const range = memberRange(text, name);
  return range === null ? null : text.slice(0, range.start) + value + text.slice(range.end);
}

/**
 * Where the value of one of its own fields stands in the text of a JSON object, which is valid. Of a name
 * that stands there twice, the last counts, as for any parser.
 */
export function memberRange(text: string, name: string): { start: number; end: number } | null {
  let range: { start: number; end: number } | null = null;
  let depth = 0;
  let key: string | null = null;
  let start = -1;
  const close = (end: number) => {
    if (key === name && start !== -1)
      range = { start, end: start + text.slice(start, end).trimEnd().length };
    key = null;
    start = -1;
  };
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    switch (code) {
      case QUOTE: {
        const end = endOfString(text, at);
        if (depth === 1 && key === null) key = String(JSON.parse(text.slice(at, end + 1)));
        else if (depth === 1 && start === -1) start = at;
        at = end;
        break;
      }
      case 0x5b: // [
      case 0x7b: // {
        if (depth === 1 && start === -1) start = at;
        depth += 1;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1;
        if (depth === 0) close(at);
        break;
      case 0x2c: // ,
        if (depth === 1) close(at);
        break;
      case 0x3a: // :
      case 0x20:
      case 0x09:
      case 0x0a:
      case 0x0d:
        break;
      default:
        if (depth === 1 && start === -1) start = at;
    }
  }
  return range;
}
