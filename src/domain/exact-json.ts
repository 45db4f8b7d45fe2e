import { endOfString } from './json-text.ts';

/** Brackets within brackets that content may have. */
export const JSON_DEPTH = 64;

const QUOTE = 0x22;
const MINUS = 0x2d;
const COLON = 0x3a;
/** Characters of a whole number up to which a double has all of its digits. */
const ALWAYS_EXACT = 15;

/** What JSON.parse would accept, but change: content must come back as it was sent. */
type JsonFlaw =
  | { kind: 'too_deep' }
  | { kind: 'inexact_number'; position: number }
  | { kind: 'repeated_key'; position: number };

/**
 * The first flaw: brackets nested deeper than `maxDepth`, a number that would be stored as another
 * one, or a key that stands twice in its object, of which only the last would be kept. `position`
 * counts UTF-16 units from 0. One linear pass, whatever the text.
 */
export function flawOf(text: string, maxDepth: number): JsonFlaw | null {
  let depth = 0;
  // One per level, used again for each object of the level.
  const keys: KeysOfObject[] = [];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    switch (code) {
      case QUOTE: {
        const end = endOfString(text, i);
        if (isKey(text, end)) {
          const isNew = keys[depth]?.add(keyOf(text, i, end)) ?? true;
          if (!isNew) return { kind: 'repeated_key', position: i };
        }
        i = end;
        break;
      }
      case 0x5b: // [
      case 0x7b: // {
        depth += 1;
        if (depth > maxDepth) return { kind: 'too_deep' };
        if (code === 0x7b) {
          const own = keys[depth];
          if (own === undefined) keys[depth] = new KeysOfObject();
          else own.clear();
        }
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

/** What is wrong with the text that `what` names, and what to do. */
export function describeFlaw(flaw: JsonFlaw, maxDepth: number, what: string): string {
  switch (flaw.kind) {
    case 'too_deep':
      return `${what} is nested deeper than ${maxDepth} levels: flatten it`;
    case 'inexact_number':
      return `in ${what}, a number at position ${flaw.position} cannot be kept exactly: send it as a string`;
    case 'repeated_key':
      return `in ${what}, the key at position ${flaw.position} occurs twice in its object: only one can be kept, so leave the other out`;
    default:
      return flaw satisfies never;
  }
}

/**
 * The text with each number that would be stored as another one put in quotes, so that all of its
 * digits stay, and how many there were. For texts that are read from elsewhere and cannot be sent back.
 */
export function quoteInexactNumbers(text: string): { text: string; quoted: number } {
  if (!MAY_BE_INEXACT.test(text)) return { text, quoted: 0 };
  const parts: string[] = [];
  let from = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) i = endOfString(text, i);
    else if (code === MINUS || isDigit(code)) {
      const end = endOfNumber(text, i);
      if (!isKept(text, i, end)) {
        parts.push(text.slice(from, i), JSON.stringify(text.slice(i, end)));
        from = end;
      }
      i = end - 1;
    }
  }
  return { text: parts.join('') + text.slice(from), quoted: parts.length / 2 };
}

/** A quick look: neither so many digits nor such an exponent, no such number. */
const MAY_BE_INEXACT = /\d{16}|[eE][-+]?\d{3}/;

/** Whether the string that ends at `end` is the key of an object. */
function isKey(text: string, end: number): boolean {
  for (let i = end + 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    // Space, tab and line ends may stand before the colon.
    if (code !== 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0d) return code === COLON;
  }
  return false;
}

/** The same key may be written with escapes or without. */
function keyOf(text: string, start: number, end: number): string {
  const key = text.slice(start + 1, end);
  if (!key.includes('\\')) return key;
  try {
    return String(JSON.parse(`"${key}"`));
  } catch {
    return key;
  }
}

/** Nearly all objects have few keys: a set for each of them would cost more than parsing it. */
const FEW_KEYS = 8;

class KeysOfObject {
  #few: string[] = [];
  #many: Set<string> | null = null;

  /** False when the key is there already. */
  add(key: string): boolean {
    if (this.#many !== null) {
      if (this.#many.has(key)) return false;
      this.#many.add(key);
      return true;
    }
    if (this.#few.includes(key)) return false;
    this.#few.push(key);
    if (this.#few.length > FEW_KEYS) this.#many = new Set(this.#few);
    return true;
  }

  clear(): void {
    if (this.#few.length > 0) this.#few = [];
    this.#many = null;
  }
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
 * ids. Fractions may be rounded as everywhere, but must stay finite, else `null` would be stored, and
 * must not vanish. `-0` is written as `0`.
 */
function isKept(text: string, start: number, end: number): boolean {
  // Nearly all are counts: to cut each of them out would cost more than parsing it.
  if (end - start <= ALWAYS_EXACT && isWhole(text, start, end)) return true;
  const token = text.slice(start, end);
  const number = Number(token);
  // 1e-400 is more than nothing.
  if (number === 0) return !/^[^e]*[1-9]/i.test(token);
  if (Number.isSafeInteger(number) || Number.isNaN(number)) return true;
  return Number.isFinite(number) && (/[.e]/i.test(token) || String(number) === token);
}

function isWhole(text: string, start: number, end: number): boolean {
  for (let i = start + 1; i < end; i++) if (!isDigit(text.charCodeAt(i))) return false;
  return true;
}
