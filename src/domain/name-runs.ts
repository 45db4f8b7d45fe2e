/** Longer runs are encoded data, not names. */
const MAX_RUN = 256;

/** What a character is in a run; 0 for all that no run holds. */
const LOWER = 1;
const UPPER = 2;
const DIGIT = 4;
const DOT = 8;
const OTHER = 16;
const KINDS = kindsOfCharacters();

const HASH = '#'.charCodeAt(0);
const COLON = ':'.charCodeAt(0);
const BACKSLASH = '\\'.charCodeAt(0);
const UNDERSCORE = '_'.charCodeAt(0);
const DASH = '-'.charCodeAt(0);
const SLASH = '/'.charCodeAt(0);
const ESCAPE = 0x1b;
const BRACKET = '['.charCodeAt(0);

/** Where a run stands; `isPlain`: a word or a number with nothing in it that makes a name of it. */
type OnRun = (start: number, end: number, isPlain: boolean) => void;

/** A part of a text, from one offset up to another. */
export type Part = { from: number; to: number };

/**
 * Hands on what names may stand in, in order: drive paths, issue numbers, and runs of characters that
 * names are made of. Character by character: this is done for every word of a log. Linear. `part`: what is
 * looked at; a slice of the text in its place would be read three times slower.
 */
export function eachRun(
  text: string,
  onRun: OnRun,
  part: Part = { from: 0, to: text.length },
): void {
  const { from, to } = part;
  for (let at = from; at < to; ) {
    const code = text.charCodeAt(at);
    const first = kindOf(code);
    if (first === 0) {
      const end = code === HASH ? Math.min(to, endOfIssue(text, at)) : at;
      if (end > at) onRun(at, end, false);
      at = Math.max(end, code === ESCAPE ? endOfTerminalCode(text, at) : at + 1);
      continue;
    }
    const drive = isDrive(text, at) ? Math.min(to, endOfDrivePath(text, at)) : at;
    if (drive > at) {
      if (drive - at <= MAX_RUN) onRun(startOfName(text, at), drive, false);
      at = drive;
      continue;
    }
    let kinds = 0;
    // A full stop at the end is that of the sentence.
    let dots = 0;
    let end = at + 1;
    const isInWord = isOfOtherScript(text, at - 1);
    // Other scripts may be written without blanks: only what a slash of a path opens is of the path.
    const mayHoldOthers = !(isInWord && code === SLASH);
    let isOtherSegment = mayHoldOthers && code === SLASH;
    for (; end < to; end++) {
      const next = text.charCodeAt(end);
      const kind = kindOf(next);
      if (kind === 0) {
        if (!isOtherSegment || !isOfOtherScript(text, end)) break;
        kinds |= OTHER;
        continue;
      }
      if (kind === DOT) dots = DOT;
      else kinds |= kind | dots;
      if (next === SLASH) isOtherSegment = mayHoldOthers;
      else if (isOtherSegment && (kind === DOT || text.charCodeAt(end - 1) === SLASH)) {
        isOtherSegment = false;
      }
    }
    // `22.ts` is the end of a name in another script.
    const isRest = isInWord && (first === DOT || (first === DIGIT && dots === DOT));
    if (end - at > 1 && end - at <= MAX_RUN && !isRest) {
      onRun(startOfName(text, at), end, isPlain(first, kinds));
    }
    at = end;
  }
}

/** `first`: the kind of the first character, `others`: those of all others. */
function isPlain(first: number, others: number): boolean {
  switch (first) {
    case LOWER:
      return (others & ~LOWER) === 0;
    case UPPER:
      return (others & ~LOWER) === 0 || (others & ~UPPER) === 0;
    case DIGIT:
      return (others & ~(DIGIT | DOT)) === 0;
    default:
      return false;
  }
}

/** A letter, or a mark on one, of a script that names of programs are rarely written in. */
function isOfOtherScript(text: string, at: number): boolean {
  return text.charCodeAt(at) >= KINDS.length && /[\p{L}\p{M}]/u.test(text.charAt(at));
}

/** The end of a colour or another code for the terminal (`ESC [ 1 m`): no part of the word after it. */
function endOfTerminalCode(text: string, start: number): number {
  if (text.charCodeAt(start + 1) !== BRACKET) return start + 1;
  let end = start + 2;
  while (text.charCodeAt(end) >= 0x20 && text.charCodeAt(end) < 0x40) end++;
  return end + 1;
}

/** A letter right after a backslash belongs to an escape such as \n, not to the name. */
function startOfName(text: string, start: number): number {
  if (start === 0 || text.charCodeAt(start - 1) !== BACKSLASH) return start;
  return 'nrt'.includes(text.charAt(start)) ? start + 1 : start;
}

/** A number sign with up to seven digits, and no word that goes on. */
function endOfIssue(text: string, start: number): number {
  let end = start + 1;
  while (end - start <= 8 && kindOf(text.charCodeAt(end)) === DIGIT) end++;
  const isNumber = end - start > 1 && end - start <= 8;
  return isNumber && !isWordOrDash(text.charCodeAt(end)) ? end : start;
}

function isDrive(text: string, at: number): boolean {
  const kind = kindOf(text.charCodeAt(at));
  return (
    text.charCodeAt(at + 1) === COLON &&
    text.charCodeAt(at + 2) === BACKSLASH &&
    (kind === LOWER || kind === UPPER)
  );
}

/** The end of `C:\…`; the start where nothing follows. */
function endOfDrivePath(text: string, start: number): number {
  let end = start + 3;
  while (end < text.length && isOfDrivePath(text.charCodeAt(end))) end++;
  return end > start + 3 ? end : start;
}

function isOfDrivePath(code: number): boolean {
  const isSign = code === BACKSLASH || code === 0x7e;
  return isSign || isWordOrDash(code) || kindOf(code) === DOT;
}

function isWordOrDash(code: number): boolean {
  return (kindOf(code) & (LOWER | UPPER | DIGIT)) !== 0 || code === UNDERSCORE || code === DASH;
}

function kindOf(code: number): number {
  return code < KINDS.length ? (KINDS[code] ?? 0) : 0;
}

function kindsOfCharacters(): Uint8Array {
  const kinds = new Uint8Array(0x250);
  const range = (from: string, to: string, kind: number) =>
    kinds.fill(kind, from.charCodeAt(0), to.charCodeAt(0) + 1);
  range('a', 'z', LOWER);
  range('A', 'Z', UPPER);
  range('0', '9', DIGIT);
  range('.', '.', DOT);
  range('\u00C0', '\u024F', OTHER);
  for (const sign of '_/@~-') range(sign, sign, OTHER);
  return kinds;
}
