import { endOfString } from '../domain/json-text.ts';

const QUOTE = 0x22;
const MINUS = 0x2d;
/** Characters of a whole number up to which a double has all of its digits. */
const ALWAYS_EXACT = 15;

/** What JSON.parse would accept, but must not be passed on. */
export type JsonFlaw = { kind: 'too_deep' } | { kind: 'inexact_number'; position: number };

/**
 * The first flaw outside of strings: brackets nested deeper than `maxDepth`, or a number that would
 * be stored as another one. `position` counts UTF-16 units from 0. One linear pass, whatever the text.
 */
export function flawOf(text: string, maxDepth: number): JsonFlaw | null {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    switch (code) {
      case QUOTE:
        i = endOfString(text, i);
        break;
      case 0x5b: // [
      case 0x7b: // {
        depth += 1;
        if (depth > maxDepth) return { kind: 'too_deep' };
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1;
        break;
      default:
        // A number; what else begins like one is for the parser to refuse.
        if (code === MINUS || isDigit(code)) {
          const end = endOfNumber(text, i);
          if (!isKept(text, i, end)) return { kind: 'inexact_number', position: i };
          i = end - 1;
        }
    }
  }
  return null;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end);
    // + - . and e in both cases, wherever they stand: the parser knows where they may.
    const isPart = isDigit(code) || code === 0x2b || code === MINUS || code === 0x2e;
    if (!isPart && (code | 0x20) !== 0x65) break;
  }
  return end;
}

/**
 * Whether a number is written again as it came: whole ones digit by digit, since clients use them as
 * ids. Fractions may be rounded as everywhere, but must be finite: else `null` would be stored.
 */
function isKept(text: string, start: number, end: number): boolean {
  // Nearly all are counts: to cut each of them out would cost more than parsing it.
  if (end - start <= ALWAYS_EXACT && isWhole(text, start, end)) return true;
  const token = text.slice(start, end);
  const number = Number(token);
  if (Number.isSafeInteger(number) || Number.isNaN(number)) return true;
  return Number.isFinite(number) && (/[.e]/i.test(token) || String(number) === token);
}

function isWhole(text: string, start: number, end: number): boolean {
  for (let i = start + 1; i < end; i++) if (!isDigit(text.charCodeAt(i))) return false;
  return true;
}
