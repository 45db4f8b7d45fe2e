import type { Query, Term } from './query.ts';
import { type Part, partsOf, unspacedCharacters } from './tokens.ts';

/** A place of a text where a term stands: its first and last part; whether as a word of its own. */
export type Place = { from: number; to: number; isWhole: boolean };

/** A text with the places of each clause of a query in it. */
export type Matched = {
  text: string;
  parts: readonly Part[];
  /** One list for each of `query.all`. */
  places: readonly (readonly Place[])[];
  /**
   * Clauses of which only parts stand there, apart from each other, or only inside of what another clause
   * asks for.
   */
  loose: ReadonlySet<number>;
  /** Whether all that the query has written as one stands there as one. */
  isAsWritten: boolean;
};

/** Enough to rank and to show: a text of one word ten thousand times has more. */
const MOST_PLACES = 200;

/**
 * Looks a query up in a text. Null when it holds what is excluded, or lacks a phrase that is asked for;
 * words that it lacks have no places. `expected`: the clauses that an index has found in it.
 */
export function matchesIn(
  text: string,
  query: Query,
  expected: ReadonlySet<number>,
): Matched | null {
  const near = matchesAmong(text, partsNear(text, query), query);
  // `username` is found by `user_name`, which no line with `user_name` in it tells.
  const isMissed = [...expected].some((index) => near.places[index]?.length === 0);
  const matched = isMissed ? matchesAmong(text, partsOf(text), query) : near;
  if (query.none.some((term) => placesOf(matched, term).length > 0)) return null;
  const lacksPhrase = query.all.some(
    (terms, index) => isPhrase(terms) && matched.places[index]?.length === 0,
  );
  return lacksPhrase ? null : matched;
}

/** Whether a clause is nothing but phrases, which have to stand there. */
export function isPhrase(terms: readonly Term[]): boolean {
  return terms.every((term) => term.isPhrase);
}

function matchesAmong(text: string, parts: readonly Part[], { all, pieces }: Query): Matched {
  const loose = new Set<number>();
  const places = all.map((terms, index) => {
    const found = terms.flatMap((term) => placesOf({ text, parts }, term));
    if (found.length > 0) return found;
    const words = terms.filter(({ isPhrase }) => !isPhrase);
    const apart = words.flatMap((term) => apartIn({ text, parts }, term));
    if (apart.length > 0) loose.add(index);
    return apart;
  });
  const isAsWritten = pieces.every((piece) => placesOf({ text, parts }, piece).length > 0);
  return { text, parts, isAsWritten, ...withoutInner(places, loose) };
}

/**
 * A place inside of a longer one of another clause says nothing more: of `run TestRunExplain` the `Run` of
 * the name is no `run`. A clause that stands nowhere else keeps its places, and counts as loose.
 */
function withoutInner(
  places: readonly (readonly Place[])[],
  loose: Set<number>,
): Pick<Matched, 'places' | 'loose'> {
  /** For each part the last part of the places that it stands in, and of those that begin before it. */
  const ends = new Map<number, number>();
  const endsOfEarlier = new Map<number, number>();
  for (const { from, to } of places.flat()) {
    for (let part = from; part <= to && to > from; part++) {
      ends.set(part, Math.max(ends.get(part) ?? 0, to));
      if (part > from) endsOfEarlier.set(part, Math.max(endsOfEarlier.get(part) ?? 0, to));
    }
  }
  const isInner = ({ from, to }: Place) =>
    (ends.get(from) ?? -1) > to || (endsOfEarlier.get(from) ?? -1) >= to;
  const outer = places.map((found, index) => {
    const own = found.filter((place) => !isInner(place));
    if (own.length > 0 || found.length === 0) return own;
    loose.add(index);
    return found;
  });
  return { places: outer, loose };
}

/** Characters whose plain form differs from them: a line with one is looked at in any case. */
const FOLDED =
  /[\u00aa-\u058f\u1e00-\u1fff\u2070-\u218f\u2460-\u24ff\u3200-\u33ff\uf900-\uffef]|\ud835/g;
const LETTER = /[\p{L}\p{N}\p{M}]/u;
/** Stands for words between two lines that are not looked at: no sequence goes across. */
const GAP: Part = { text: '', start: 0, end: 0, isJoined: false };

/** The parts of the lines that hold something of the query: to look at all of a long text takes long. */
function partsNear(text: string, { all, none }: Query): Part[] {
  const lower = text.toLowerCase();
  if (lower.length !== text.length) return partsOf(text);
  const starts = new Set<number>();
  const words = new Set([...all.flat(), ...none].flatMap(({ parts }) => parts.map((p) => p.text)));
  for (const word of words) {
    for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, endOfLine(text, at))) {
      starts.add(text.lastIndexOf('\n', at) + 1);
    }
  }
  FOLDED.lastIndex = 0;
  for (let match = FOLDED.exec(text); match !== null; match = FOLDED.exec(text)) {
    starts.add(text.lastIndexOf('\n', match.index) + 1);
    FOLDED.lastIndex = endOfLine(text, match.index);
  }
  const parts: Part[] = [];
  let lastEnd = 0;
  for (const start of [...starts].sort((a, b) => a - b)) {
    if (LETTER.test(text.slice(lastEnd, start))) parts.push(GAP);
    const end = endOfLine(text, start);
    for (const part of partsOf(text.slice(start, end))) {
      parts.push({ ...part, start: part.start + start, end: part.end + start });
    }
    lastEnd = end;
  }
  return parts;
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

type Text = Pick<Matched, 'text' | 'parts'>;

function placesOf({ text, parts }: Text, term: Term): Place[] {
  const places: Place[] = [];
  const whole = term.parts.map(({ text }) => text).join('');
  for (let from = 0; from < parts.length && places.length < MOST_PLACES; from++) {
    const to = lastOf(parts, from, term, whole);
    if (to !== null) places.push({ from, to, isWhole: isWhole(text, parts[from], parts[to]) });
  }
  return places;
}

const WORD = /[\p{L}\p{N}_]/u;

/** Whether nothing goes on before or after it: `head` is whole in `head.tree`, not in `headTree`. */
function isWhole(text: string, first: Part | undefined, last: Part | undefined): boolean {
  if (first === undefined || last === undefined) return false;
  const goesOn = WORD.test(text[first.start - 1] ?? '') || WORD.test(text[last.end] ?? '');
  // Where no spaces are written nothing is by itself.
  return !goesOn || unspacedCharacters(first.text) !== null;
}

/** The last part of the term where it begins at `from`. */
function lastOf(parts: readonly Part[], from: number, term: Term, whole: string): number | null {
  if (standsAt(parts, from, term)) return from + term.parts.length - 1;
  return term.isPhrase ? null : lastOfName(parts, from, whole, term.isPrefix);
}

/** The same where it is written in other parts: `user_name` finds `username`, and the other way round. */
function lastOfName(
  parts: readonly Part[],
  from: number,
  whole: string,
  isPrefix: boolean,
): number | null {
  let name = '';
  for (let at = from; at === from || parts[at]?.isJoined; at++) {
    name += parts[at]?.text ?? '';
    if (name === whole || (isPrefix && name.startsWith(whole))) return at;
    if (name === '' || !whole.startsWith(name)) return null;
  }
  return null;
}

function standsAt(parts: readonly Part[], from: number, term: Term): boolean {
  for (const [index, { text: wanted }] of term.parts.entries()) {
    const text = parts[from + index]?.text;
    const isBeginning = term.isPrefix && index === term.parts.length - 1;
    if (isBeginning ? !text?.startsWith(wanted) : text !== wanted) return false;
  }
  return true;
}

/** Where the parts of a term stand by themselves, when all of them do. */
function apartIn(text: Text, term: Term): Place[] {
  if (term.parts.length === 1) return [];
  const single = term.parts.map((part, index) =>
    placesOf(text, {
      parts: [part],
      isPrefix: term.isPrefix && index === term.parts.length - 1,
      isPhrase: false,
    }),
  );
  return single.every(({ length }) => length > 0) ? single.flat() : [];
}
