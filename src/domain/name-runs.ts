import { type Units, unitsOf } from './text-units.ts';

/** Longer runs are encoded data, not names. */
const MAX_RUN = 256;

/** What a character is in a run; 0 for all that no run holds. */
const LOWER = 1;
const UPPER = 2;
const DIGIT = 4;
const DOT = 8;
const OTHER = 16;
const IN_WORD = LOWER | UPPER | DIGIT;
/** The first character beyond those that names of programs are mostly written in. */
const OTHER_SCRIPTS = 0x250;
const KINDS = kindsOfCharacters();

const HASH = '#'.charCodeAt(0);
const COLON = ':'.charCodeAt(0);
const BACKSLASH = '\\'.charCodeAt(0);
const UNDERSCORE = '_'.charCodeAt(0);
const DASH = '-'.charCodeAt(0);
const SLASH = '/'.charCodeAt(0);
const ESCAPE = 0x1b;
const BRACKET = '['.charCodeAt(0);
const TILDE = '~'.charCodeAt(0);

/**
 * Where a run stands; `isPlain`: a word or a number with nothing in it that makes a name of it. The text
 * as units begins at `offset`. Nothing else may be looked for in a text meanwhile.
 */
export type OnRun = (
  start: number,
  end: number,
  isPlain: boolean,
  units: Units,
  offset: number,
) => void;

/** A part of a text, from one offset up to another. */
export type Part = { from: number; to: number };

/**
 * Hands on what names may stand in, in order: drive paths, issue numbers, and runs of characters that
 * names are made of. Character by character: this is done for every word of a log. Linear. `part`: what is
 * looked at.
 */
export function eachRun(
  text: string,
  onRun: OnRun,
  { from, to }: Part = { from: 0, to: text.length },
): void {
  const { units, offset } = unitsOf(text, from, to);
  const end = to - offset;
  for (let at = from - offset; at < end; ) {
    const first = KINDS[units[at] ?? 0] ?? 0;
    at =
      first === 0
        ? afterSign(units, at, end, offset, onRun)
        : afterRun(units, at, end, offset, onRun);
  }
}

/** Goes past a character that no run begins with, and what belongs to it. */
function afterSign(units: Units, at: number, to: number, offset: number, onRun: OnRun): number {
  const code = units[at];
  if (code === ESCAPE) return endOfTerminalCode(units, at);
  if (code !== HASH) return at + 1;
  const end = Math.min(to, endOfIssue(units, at));
  if (end === at) return at + 1;
  onRun(at + offset, end + offset, false, units, offset);
  return end;
}

function afterRun(units: Units, at: number, to: number, offset: number, onRun: OnRun): number {
  const drive = isDrive(units, at) ? Math.min(to, endOfDrivePath(units, at)) : at;
  if (drive > at) {
    if (drive - at <= MAX_RUN) {
      onRun(startOfName(units, at) + offset, drive + offset, false, units, offset);
    }
    return drive;
  }
  const first = KINDS[units[at] ?? 0] ?? 0;
  let kinds = 0;
  // A full stop at the end is that of the sentence.
  let dots = 0;
  let end = at + 1;
  const isInWord = at > 0 && isOfOtherScript(units, at - 1);
  // Other scripts may be written without blanks: only what a slash of a path opens is of the path.
  const mayHoldOthers = !(isInWord && units[at] === SLASH);
  let isOtherSegment = mayHoldOthers && units[at] === SLASH;
  for (; end < to; end++) {
    const next = units[end] ?? 0;
    const kind = KINDS[next] ?? 0;
    // Nearly all are letters.
    if ((kind & IN_WORD) !== 0 && !isOtherSegment) {
      kinds |= kind | dots;
      continue;
    }
    if (kind === 0) {
      if (!isOtherSegment || !isOfOtherScript(units, end)) break;
      kinds |= OTHER;
      continue;
    }
    if (kind === DOT) dots = DOT;
    else kinds |= kind | dots;
    if (next === SLASH) isOtherSegment = mayHoldOthers;
    else if (isOtherSegment && (kind === DOT || units[end - 1] === SLASH)) {
      isOtherSegment = false;
    }
  }
  // `22.ts` is the end of a name in another script.
  const isRest = isInWord && (first === DOT || (first === DIGIT && dots === DOT));
  if (end - at > 1 && end - at <= MAX_RUN && !isRest) {
    const start = startOfName(units, at, (kinds & DOT) !== 0) + offset;
    onRun(start, end + offset, isPlain(first, kinds), units, offset);
  }
  return end;
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
function isOfOtherScript(units: Units, at: number): boolean {
  const code = units[at] ?? 0;
  return code >= OTHER_SCRIPTS && /[\p{L}\p{M}]/u.test(String.fromCharCode(code));
}

/** The end of a colour or another code for the terminal (`ESC [ 1 m`): no part of the word after it. */
function endOfTerminalCode(units: Units, start: number): number {
  if (units[start + 1] !== BRACKET) return start + 1;
  let end = start + 2;
  for (let code = units[end] ?? 0; code >= 0x20 && code < 0x40; code = units[end] ?? 0) end++;
  return end + 1;
}

/**
 * A letter right after a backslash belongs to an escape such as \n, not to the name. After a word a
 * carriage return stands before a line feed only, and a tab rarely before the name of a file (`hasDot`):
 * `lib\types.ts` is a path of Windows.
 */
function startOfName(units: Units, start: number, hasDot = false): number {
  if (start === 0 || units[start - 1] !== BACKSLASH) return start;
  switch (String.fromCharCode(units[start] ?? 0)) {
    case 'n':
      return start + 1;
    case 'r':
    case 't':
      return hasDot && isFolderBefore(units, start - 1) ? start : start + 1;
    default:
      return start;
  }
}

/** Whether a word of two signs and more, which is no escape itself, stands in front of a backslash. */
function isFolderBefore(units: Units, backslash: number): boolean {
  return (
    isWordOrDash(units, backslash - 1) &&
    isWordOrDash(units, backslash - 2) &&
    units[backslash - 3] !== BACKSLASH
  );
}

/** A number sign with up to seven digits, and no word that goes on. */
function endOfIssue(units: Units, start: number): number {
  let end = start + 1;
  while (end - start <= 8 && kindAt(units, end) === DIGIT) end++;
  const isNumber = end - start > 1 && end - start <= 8;
  return isNumber && !isWordOrDash(units, end) ? end : start;
}

function isDrive(units: Units, at: number): boolean {
  return (
    units[at + 1] === COLON &&
    units[at + 2] === BACKSLASH &&
    (kindAt(units, at) & (LOWER | UPPER)) !== 0
  );
}

/** The end of `C:\…`; the start where nothing follows. */
function endOfDrivePath(units: Units, start: number): number {
  let end = start + 3;
  while (isOfDrivePath(units, end)) end++;
  return end > start + 3 ? end : start;
}

function isOfDrivePath(units: Units, at: number): boolean {
  const code = units[at];
  return (
    code === BACKSLASH || code === TILDE || isWordOrDash(units, at) || kindAt(units, at) === DOT
  );
}

function isWordOrDash(units: Units, at: number): boolean {
  const code = units[at];
  return (kindAt(units, at) & IN_WORD) !== 0 || code === UNDERSCORE || code === DASH;
}

function kindAt(units: Units, at: number): number {
  return KINDS[units[at] ?? 0] ?? 0;
}

function kindsOfCharacters(): Uint8Array {
  const kinds = new Uint8Array(0x10000);
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
