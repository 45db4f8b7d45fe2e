/** Longer words are no identifiers. */
export const MAX_IDENTIFIER = 80;

/** What a character is in an identifier. */
const NONE = 0;
const LOWER = 1;
const UPPER = 2;
const DIGIT = 4;
const UNDERSCORE = 8;
const DASH = 16;
/** A letter with a mark, as Europe writes them. */
const MARKED = 32;
const SHAPE_BITS = 6;
const ONE_SHAPE = 63;
const LAST_FOUR = 0xffffff;
const UPPER_UPPER_LOWER_LOWER = (UPPER << 18) | (UPPER << 12) | (LOWER << 6) | LOWER;
const CODE_OF_F = 0x66;

/**
 * Words with a shape that prose does not have: humps, underscores, digits within, commit hashes. One
 * look at each character, since every word of a log that is not plain is asked about.
 */
export function isIdentifier(word: string): boolean {
  const { length } = word;
  if (length < 3 || length > MAX_IDENTIFIER) return false;
  let seen = 0;
  let isHash = length >= 7 && length <= 40;
  let isAllowed = true;
  let hasHump = false;
  let isJoined = false;
  // Of the last three characters and this one, the newest in the lowest place.
  let last = 0;
  for (let at = 0; at < length; at++) {
    const code = word.charCodeAt(at);
    const shape = shapeOf(code);
    isHash &&= shape === DIGIT || (shape === LOWER && code <= CODE_OF_F);
    if (shape === NONE || (at === 0 && (shape === DIGIT || shape === DASH))) isAllowed = false;
    if (!isHash && !isAllowed) return false;
    seen |= shape;
    last = ((last << SHAPE_BITS) | shape) & LAST_FOUR;
    const before = (last >> SHAPE_BITS) & ONE_SHAPE;
    if (shape === UPPER && before === LOWER) hasHump = true;
    else if (last === UPPER_UPPER_LOWER_LOWER) hasHump = true;
    else if (before === UNDERSCORE) {
      isJoined ||=
        isLetterOrDigit(shape) && isLetterOrDigit((last >> (2 * SHAPE_BITS)) & ONE_SHAPE);
    }
  }
  if (isHash) return (seen & DIGIT) !== 0 && (seen & LOWER) !== 0;
  if (isJoined) return true;
  if ((seen & DIGIT) !== 0) return !isEncoded(word);
  return hasHump && (seen & DASH) === 0;
}

function shapeOf(code: number): number {
  if (code >= 0x61 && code <= 0x7a) return LOWER;
  if (code >= 0x41 && code <= 0x5a) return UPPER;
  if (code >= 0x30 && code <= 0x39) return DIGIT;
  if (code === 0x5f) return UNDERSCORE;
  if (code === 0x2d) return DASH;
  return code >= 0xc0 && code <= 0x24f ? MARKED : NONE;
}

function isLetterOrDigit(shape: number): boolean {
  return shape === LOWER || shape === UPPER || shape === DIGIT;
}

/** Base64 and the like: long, without separators, digits again and again. */
export function isEncoded(word: string): boolean {
  return word.length > 24 && /^[A-Za-z0-9]+$/.test(word) && /\d\D+\d\D+\d/.test(word);
}
