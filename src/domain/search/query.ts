import { accept, type Outcome, reject } from '../session/errors.ts';
import { type Part, partsOf, unspacedCharacters } from './tokens.ts';

/** `isApart`: signs stand before it that join no name, or it is of a sentence without spaces. */
type TermPart = { text: string; isJoined: boolean; isApart: boolean };

/** A word, or a phrase in quotes, of a query: its parts, which follow each other in the text. */
export type Term = {
  /** At least one; folded. `isJoined` as the parts of a text have it. */
  parts: readonly TermPart[];
  /** The last part is the beginning of a word. */
  isPrefix: boolean;
  /** Only the very sequence counts. */
  isPhrase: boolean;
};

/**
 * What is searched for: one of each of `all`, and none of `none`. `pieces`: what was written as one, and is
 * looked for by its names, which texts come first with that have it as it was written.
 */
export type Query = {
  all: readonly (readonly Term[])[];
  none: readonly Term[];
  pieces: readonly Term[];
};

/**
 * What an index is asked for: all the tokens, for each prefix a token that begins with it, and the words
 * of `sequence`, which are among the tokens, one after the other; an index may find more than that.
 */
export type Lookup = {
  tokens: readonly string[];
  prefixes: readonly string[];
  sequence: readonly string[];
};

/** Each costs a look into the index, and a prefix as many as words begin with it. */
const MOST_TERMS = 48;
const MOST_PARTS = 96;
const MOST_PREFIXES = 4;
const SHORTEST_PREFIX = 3;

const PIECES = /(-?)"([^"]*)("?)|\S+/g;

/**
 * Reads a query: words are joined by AND, `OR` stands between alternatives, `"…"` is a phrase, `…*` the
 * beginning of a word, and `-` before a word excludes it. Rejects invalid_request.
 */
export function parseQuery(text: string): Outcome<Query> {
  const all: Term[][] = [];
  const none: Term[] = [];
  let isOr = false;
  let last: 'nothing' | 'term' | 'excluded' = 'nothing';
  for (const [piece, minus, phrase, close] of text.matchAll(PIECES)) {
    if (piece === 'OR') {
      if (isOr || last !== 'term') return invalid('OR stands between two words to look for');
      isOr = true;
      continue;
    }
    if (phrase !== undefined && close === '') {
      return invalid('it has a quotation mark that is not closed');
    }
    const isExcluded = minus === '-' || (phrase === undefined && /^-[^-]/.test(piece));
    if (isOr && isExcluded) return invalid('OR stands between two words to look for');
    const word = phrase ?? (isExcluded ? piece.slice(1) : piece);
    const term = termOf(word, phrase !== undefined);
    // Nothing but signs: there is nothing to look up.
    if (term === null) continue;
    if (isExcluded) none.push(term);
    else if (isOr) all.at(-1)?.push(term);
    else all.push([term]);
    isOr = false;
    last = isExcluded ? 'excluded' : 'term';
  }
  if (isOr) return invalid('OR stands between two words to look for');
  const names = all.map(namesOf);
  const pieces = all.flatMap((terms, index) => (names[index]?.length === 1 ? [] : terms));
  const apart = { all: names.flat(), none, pieces };
  return checked(isTooMuch(apart) ? { all, none, pieces: [] } : apart);
}

function isTooMuch({ all, none }: Query): boolean {
  const terms = [...all.flat(), ...none];
  return (
    terms.length > MOST_TERMS || terms.filter(({ isPrefix }) => isPrefix).length > MOST_PREFIXES
  );
}

const WORD = /[\p{L}\p{N}]/u;

/** What a query without a letter and a digit asks for, to be looked for as it stands; null for any other. */
export function signsIn(text: string): string | null {
  const [, quoted] = text.match(/^\s*"([^"]*)"\s*$/) ?? [];
  const signs = (quoted ?? text).trim();
  return signs === '' || WORD.test(signs) ? null : signs;
}

function termOf(word: string, isPhrase: boolean): Term | null {
  const isStarred = !isPhrase && word.endsWith('*');
  const found = partsOf(word);
  const isSentence = found.filter(isOfPairs).length >= FEWEST_PAIRS;
  const parts = found.map(({ text, isJoined, start }, index) => {
    const before = found[index - 1];
    const isApart = !isJoined && before !== undefined && (isSentence || before.end < start);
    return { text, isJoined, isApart };
  });
  return parts.length === 0 ? null : { parts, isPrefix: isStarred || isCharacter(parts), isPhrase };
}

/** Whoever asks with so many pairs of a script without spaces asks with several words. */
const FEWEST_PAIRS = 3;

/** A part that reaches into the one behind it. */
function isOfPairs({ end }: Part, index: number, parts: readonly Part[]): boolean {
  const next = parts[index + 1];
  return next !== undefined && next.start < end;
}

/** A single character of a script without spaces: it is only found as the beginning of a pair. */
function isCharacter([first, ...others]: readonly TermPart[]): boolean {
  if (first === undefined || others.length > 0) return false;
  return unspacedCharacters(first.text)?.length === 1;
}

/**
 * `load(path` and `a|b` are two names each, which stand in either order and may be written in other parts,
 * and so are the words of a sentence without spaces.
 * Where one comes twice, as in `fix=fix`, the names tell less than what is written.
 */
function namesOf(terms: readonly Term[]): Term[][] {
  const [term, ...others] = terms;
  if (term === undefined || term.isPhrase || others.length > 0) return [[...terms]];
  const names: TermPart[][] = [[]];
  for (const part of term.parts) {
    if (part.isApart) names.push([]);
    names.at(-1)?.push({ ...part, isApart: false });
  }
  const found = names.map((parts, index): Term => {
    const isLast = index === names.length - 1;
    return { ...term, parts, isPrefix: (term.isPrefix && isLast) || isCharacter(parts) };
  });
  return distinct(found).length < found.length ? [[term]] : found.map((name) => [name]);
}

function checked(read: Query): Outcome<Query> {
  const query = { ...read, all: distinct(read.all), none: distinct(read.none) };
  const terms = [...query.all.flat(), ...query.none];
  if (query.all.length === 0) {
    return invalid(
      query.none.length > 0
        ? 'it only excludes: it needs a word to look for as well'
        : 'it has no letter, no digit and no sign to look for',
    );
  }
  const parts = terms.reduce((sum, term) => sum + term.parts.length, 0);
  if (terms.length > MOST_TERMS || parts > MOST_PARTS) {
    return invalid(
      `it may have ${MOST_TERMS} words and phrases, of ${MOST_PARTS} parts together, and this one has ` +
        `${terms.length} of ${parts}: leave out the common ones`,
    );
  }
  const prefixes = terms.filter(({ isPrefix }) => isPrefix);
  if (prefixes.length > MOST_PREFIXES) {
    return invalid(
      `it may have ${MOST_PREFIXES} beginnings of words, and this one has ${prefixes.length}`,
    );
  }
  const short = prefixes.map(({ parts }) => parts.at(-1)?.text ?? '').find(isTooShort);
  if (short !== undefined) {
    return invalid(
      `"${short}*" begins too many words: a beginning needs ${SHORTEST_PREFIX} characters`,
    );
  }
  return accept(query);
}

/** What is asked for twice is looked up once: a whole sentence has most of its small words several times. */
function distinct<T extends Term | readonly Term[]>(list: readonly T[]): T[] {
  return [...new Map(list.map((one) => [JSON.stringify(one), one])).values()];
}

function isTooShort(prefix: string): boolean {
  return prefix.length < SHORTEST_PREFIX && unspacedCharacters(prefix) === null;
}

function invalid(why: string): Outcome<never> {
  return reject('invalid_request', `the query cannot be searched for: ${why}`, [
    { path: 'q', message: why },
  ]);
}

/**
 * What a term is looked up by: `whole` wants its joined parts side by side, as they stand in one name;
 * `parts` takes them anywhere in the text. A phrase is a sequence in either case.
 */
export function lookupOf({ parts, isPrefix, isPhrase }: Term, by: 'whole' | 'parts'): Lookup {
  if (isPhrase && !isPrefix) {
    const sequence = parts.map(({ text }) => text);
    const tokens = [...new Set(sequence)];
    return { tokens, prefixes: [], sequence: sequence.length > 1 ? sequence : [] };
  }
  const tokens = new Set<string>();
  const prefixes: string[] = [];
  for (const [index, { text, isJoined }] of parts.entries()) {
    const isLast = index === parts.length - 1;
    const before = isJoined && by === 'whole' ? parts[index - 1] : undefined;
    const isCovered = by === 'whole' && before === undefined && parts[index + 1]?.isJoined;
    if (isCovered) continue;
    const token = (before?.text ?? '') + text;
    if (isLast && isPrefix) prefixes.push(token);
    else tokens.add(token);
  }
  return { tokens: [...tokens], prefixes, sequence: [] };
}

/** Whether some term has joined parts, so that the two ways of looking up differ. */
export function hasJoinedParts({ all }: Query): boolean {
  return all.some((terms) =>
    terms.some(({ parts, isPhrase }) => !isPhrase && parts.some(({ isJoined }) => isJoined)),
  );
}
