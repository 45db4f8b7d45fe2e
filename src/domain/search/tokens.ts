import { fold } from './fold.ts';

/**
 * The smallest thing that is searched for: a word, a part of an identifier or path, a number, or a pair
 * of characters of a script that writes without spaces. `start` and `end` are places in the text.
 */
export type Part = {
  /** Folded. */
  text: string;
  start: number;
  end: number;
  /** It goes on where the part before it ends: `user` in `getUser` and `go` in `prompts.go` do. */
  isJoined: boolean;
};

/** What is longer is cut: nobody types it, and base64 would fill the index. */
const LONGEST_PART = 40;
/** Of a name of several parts that is looked up as one word. */
const LONGEST_WORD = 80;
/** A run with digits of this length and of short pieces is an id: its capitals mean nothing. */
const SHORTEST_ID = 10;
const SHORTEST_PIECES_OF_A_NAME = 3.5;
/** Between parts of one name stand at most so many of these characters. */
const MOST_JOINERS = 3;
const JOINERS = new Set("._-/\\:@#+'’~$");
/** A run of this length may begin base64: of that only the beginning is a part. */
const LONG_RUN = 24;
const BASE64 = /[A-Za-z0-9+/=]{200,}/y;

/** Of a script of any kind; where it is looked for it is told by `lastIndex`. */
const RUN = /[\p{L}\p{N}\p{M}]+/uy;
/** Scripts without spaces, and Hangul, whose words carry their endings. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: what is not ASCII
const NOT_ASCII = /[^\x00-\x7f]/;
const PIECE = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[^\p{Lu}]+/gu;
/** Where a word begins inside of another: `aB`, `1B`, and the `B` of `ABc`. */
const INNER_CAPITAL = /[^\p{Lu}]\p{Lu}|\p{Lu}\p{Lu}\p{Ll}/u;
/** In JSON inside of a text these letters after a backslash belong to no word. */
const ESCAPES = /^[ntr]/;

/** The parts of a text in their order. Linear in its length. */
export function partsOf(text: string): Part[] {
  const parts: Part[] = [];
  let lastEnd = -1;
  for (let at = 0; at < text.length; ) {
    const start = at;
    const { end, isAscii } = runAt(text, start);
    at = Math.max(end, start + 1);
    if (end === start) continue;
    const isJoined = lastEnd >= 0 && areJoined(text, lastEnd, start);
    const run = text.slice(start, end);
    if (isAscii) addWord(parts, run, start, isJoined);
    else addMixed(parts, run, start, isJoined);
    if (text.charCodeAt(start - 1) === BACKSLASH && run.length > 1 && ESCAPES.test(run)) {
      addWord(parts, run.slice(1), start + 1, false);
    }
    lastEnd = end;
    if (run.length >= LONG_RUN) at = Math.max(at, endOfBase64(text, start));
  }
  return parts;
}

const BACKSLASH = 0x5c;
const MOST_ASCII = 0x7f;

/** The letters and digits that begin here; by hand for ASCII, which most text is. */
function runAt(text: string, start: number): { end: number; isAscii: boolean } {
  let end = start;
  while (isAsciiWord(text.charCodeAt(end))) end += 1;
  if (!(text.charCodeAt(end) > MOST_ASCII)) return { end, isAscii: true };
  RUN.lastIndex = start;
  const [run = ''] = RUN.exec(text) ?? [];
  return { end: start + run.length, isAscii: start + run.length === end };
}

function isAsciiWord(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || isDigit(code) || isUpper(code);
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isUpper(code: number): boolean {
  return code >= 0x41 && code <= 0x5a;
}

function endOfBase64(text: string, start: number): number {
  BASE64.lastIndex = start;
  const [blob = ''] = BASE64.exec(text) ?? [];
  return start + blob.length;
}

function areJoined(text: string, from: number, to: number): boolean {
  if (to - from > MOST_JOINERS) return false;
  if (to - from === 1 && text[from] === ',') return /^\d,\d$/.test(text.slice(from - 1, to + 1));
  for (let at = from; at < to; at++) if (!JOINERS.has(text[at] ?? '')) return false;
  return true;
}

/** A run with letters of any script: what is written without spaces becomes pairs. */
function addMixed(parts: Part[], run: string, start: number, isJoined: boolean): void {
  let from = 0;
  let joined = isJoined;
  for (const { 0: unspaced, index } of run.matchAll(UNSPACED)) {
    if (index > from) addWord(parts, run.slice(from, index), start + from, joined);
    addPairs(parts, unspaced, start + index);
    from = index + unspaced.length;
    joined = false;
  }
  if (from < run.length) addWord(parts, run.slice(from), start + from, joined);
}

function addWord(parts: Part[], word: string, start: number, isJoined: boolean): void {
  if (!hasInnerCapital(word)) {
    const text = fold(word.length > LONGEST_WORD ? word.slice(0, LONGEST_WORD) : word);
    addPart(parts, { text, start, end: start + word.length, isJoined });
    return;
  }
  let joined = isJoined;
  for (const { 0: piece, index } of piecesOf(word)) {
    const at = start + index;
    const text = fold(piece.slice(0, LONGEST_PART));
    addPart(parts, { text, start: at, end: at + piece.length, isJoined: joined });
    joined = true;
  }
}

/** Of accents that stand by themselves nothing is left. */
function addPart(parts: Part[], part: Part): void {
  if (part.text !== '') parts.push(part);
}

/** Most words have none, and this is asked of each. */
function hasInnerCapital(word: string): boolean {
  for (let at = 1; at < word.length; at++) {
    const code = word.charCodeAt(at);
    if (isUpper(code) || code > MOST_ASCII) return INNER_CAPITAL.test(word);
  }
  return false;
}

function piecesOf(word: string): { 0: string; index: number }[] {
  const pieces = [...word.matchAll(PIECE)];
  const isId =
    word.length >= SHORTEST_ID &&
    /\d/.test(word) &&
    word.length / pieces.length < SHORTEST_PIECES_OF_A_NAME;
  return isId ? [{ 0: word, index: 0 }] : pieces;
}

/** Each two characters that follow each other; a single one by itself. */
function addPairs(parts: Part[], run: string, start: number): void {
  const characters = [...run];
  let at = start;
  for (const [index, character] of characters.entries()) {
    const next = characters[index + 1];
    if (next === undefined && index > 0) return;
    const end = at + character.length + (next?.length ?? 0);
    parts.push({ text: fold(character + (next ?? '')), start: at, end, isJoined: false });
    at += character.length;
  }
}

/** The characters of a text that is all of scripts without spaces; null for any other. */
export function unspacedCharacters(text: string): string[] | null {
  const [run] = text.match(UNSPACED) ?? [];
  return run === text ? [...text] : null;
}

/**
 * What a text is found by. `words`: its parts, in their order and as often as they stand there. `names`:
 * each two that are joined as one word, so that `prompts.go` and `UserName` are looked up whole, and words
 * of several parts, which many write in small letters; each once.
 */
export type Tokens = { words: readonly string[]; names: readonly string[] };

/** Linear in the length of the text. */
export function tokensOf(text: string): Tokens {
  const parts = partsOf(text);
  const words = parts.map((part) => part.text);
  const names = new Set<string>();
  let before: Part | null = null;
  let word = '';
  let pieces = 0;
  for (const part of parts) {
    if (part.isJoined && before !== null) names.add(before.text + part.text);
    const goesOn = part.isJoined && before?.end === part.start;
    if (!goesOn && pieces > 2) names.add(word.slice(0, LONGEST_WORD));
    word = goesOn ? word + part.text : part.text;
    pieces = goesOn ? pieces + 1 : 1;
    before = part;
  }
  if (pieces > 2) names.add(word.slice(0, LONGEST_WORD));
  // A single character is looked up as the beginning of a pair; the last of a run begins none.
  if (NOT_ASCII.test(text)) {
    for (const [run] of text.matchAll(UNSPACED)) names.add(fold([...run].at(-1) ?? ''));
  }
  for (const one of words) names.delete(one);
  names.delete('');
  return { words, names: [...names] };
}
