import type { Json } from './json.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** What a JSON text comes to, found without building anything of it. */
type JsonMeasure = {
  /** Objects, arrays and what stands in them; an empty one counts twice. */
  values: number;
  depth: number;
};

/**
 * The values that a request or an answer may hold. Real conversations hold one in 30 to 150 bytes, so that
 * the longest window of any model is filled with fewer. What is made of a value takes some 20 µs in all,
 * the most where each is a member of a name of its own.
 */
export const MOST_VALUES = 400_000;

/**
 * Measures a JSON text in one linear pass, and stops as soon as it holds more than `most` in either
 * respect. Strings that hold JSON themselves, as the arguments of calls do, count with what is in
 * them, because they are parsed as well. Three bytes of `{},` become some sixty bytes of objects, and
 * a few megabytes of brackets keep JSON.parse busy for seconds: this comes before it.
 */
export function measureJson(text: string, most: JsonMeasure): JsonMeasure {
  let values = 1;
  let depth = 0;
  let deepest = 0;
  for (let i = 0; i < text.length && values <= most.values && deepest <= most.depth; i++) {
    switch (text.charCodeAt(i)) {
      case QUOTE:
        if (mayBeJson(text.charCodeAt(i + 1)) && JSON_INSIDE.test(beginningAt(text, i + 1))) {
          const inside = measureString(text, i, most.values - values);
          values += inside.values;
          i = inside.end;
        } else i = endOfString(text, i);
        break;
      case 0x5b: // [
      case 0x7b: // {
        values += 1;
        depth += 1;
        deepest = Math.max(deepest, depth);
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1;
        break;
      case 0x2c: // ,
        values += 1;
        break;
    }
  }
  return { values, depth: deepest };
}

/** White space in front of JSON inside of a string, beyond which it is not read as JSON. */
const MOST_SPACE = 16;
/** As it stands in a string: white space is escaped, or is a blank. */
const JSON_INSIDE = /^(?: |\\[nrt]){0,16}[[{]/;

/** With what such a string may begin: nearly none does, and this is quicker to see than to match. */
function mayBeJson(first: number): boolean {
  return first === 0x5b || first === 0x7b || first === 0x20 || first === BACKSLASH;
}

function beginningAt(text: string, start: number): string {
  return text.slice(start, start + 2 * MOST_SPACE);
}

/** The values of the JSON in the string that opens at `start`; its own strings are left aside. */
function measureString(text: string, start: number, most: number): { values: number; end: number } {
  let values = 0;
  let isInString = false;
  for (let i = start + 1; i < text.length && values <= most; i++) {
    if (isInString) i = text.indexOf('"', i);
    if (i === -1) break;
    const code = text.charCodeAt(i);
    if (code === 0x2c || code === 0x5b || code === 0x7b) values += 1;
    if (code !== QUOTE) continue;
    const slashes = slashesBefore(text, i);
    if (slashes % 2 === 0) return { values, end: i };
    // `\"` opens or closes a string inside, `\\\"` is a quote in one.
    if (slashes % 4 === 1) isInString = !isInString;
  }
  return { values, end: text.length };
}

/** The index of the quote that closes the string that opens at `start`. */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    if (slashesBefore(text, end) % 2 === 0) return end;
  }
  return text.length;
}

function slashesBefore(text: string, at: number): number {
  let slashes = 0;
  while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes++;
  return slashes;
}

/** What JSON in one string of an item may hold: far more than the arguments of real calls do. */
const MOST_INSIDE: JsonMeasure = { values: MOST_VALUES, depth: 256 };
const SCALAR_CHARACTERS = 64;

/**
 * JSON that stands in a string of an item, as arguments of calls do; undefined when it is none, or
 * when it would take too much to build.
 */
export function parseInside(text: string): Json | undefined {
  if (text.length > SCALAR_CHARACTERS && !/^\s{0,16}[[{]/.test(text)) return undefined;
  const { values, depth } = measureJson(text, MOST_INSIDE);
  if (values > MOST_INSIDE.values || depth > MOST_INSIDE.depth) return undefined;
  try {
    // JSON.parse yields exactly the values that Json names.
    return JSON.parse(text) as Json;
  } catch {
    // No JSON: the caller takes it as text.
    return undefined;
  }
}
