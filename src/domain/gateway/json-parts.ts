import { endOfString } from '../json-text.ts';

const QUOTE = 0x22;

/**
 * Visits the members of an object, or the elements of an array, that opens at `open` in a valid JSON text:
 * where each stands, without the white space around it, in UTF-16 units.
 */
export function eachPart(
  text: string,
  open: number,
  visit: (start: number, end: number) => void,
): void {
  let depth = 0;
  let start = -1;
  let end = -1;
  for (let at = open; at < text.length; at++) {
    const code = text.charCodeAt(at);
    switch (code) {
      case 0x20:
      case 0x09:
      case 0x0a:
      case 0x0d:
        continue;
      case 0x2c: // ,
        if (depth !== 1) continue;
        visit(start, end);
        start = -1;
        continue;
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1;
        if (depth > 0) break;
        if (start !== -1) visit(start, end);
        return;
      default:
        if (depth === 1 && start === -1) start = at;
    }
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === 0x5b || code === 0x7b) depth += 1;
    end = at + 1;
  }
}
