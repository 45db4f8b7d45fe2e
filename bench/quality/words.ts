/** How texts are compared: letters, words and their places, never their layout. */

/** Lower case, one kind of quote, every run of white space as one space. */
export function normalised(text: string): string {
  return text
    .toLowerCase()
    .replace(/["'`“”‘’„]/g, "'")
    .replace(/\s+/g, ' ')
    .trim();
}

/** A tag in front of a text says nothing that a summary has to keep. */
const OPENING_TAG = /^\s*<[a-z][\w-]*>/i;

/** The beginning of a text by which a reader recognises it, normalised. */
export function opening(text: string, characters: number): string {
  return normalised(text.replace(OPENING_TAG, '').slice(0, characters * 4 + 200))
    .slice(0, characters)
    .trim();
}

const CONTENT_WORD = /\p{L}{4,}/gu;

/** Distinct words of four letters and more, in lower case. */
export function contentWords(text: string): string[] {
  return [...new Set(text.toLowerCase().match(CONTENT_WORD) ?? [])];
}

/** A text that is asked again and again what stands in it. */
export type Readable = {
  text: string;
  /** The text normalised, its lines joined by spaces. */
  normal: string;
  /** The places in `normal` at which a line begins. */
  lineStarts: ReadonlySet<number>;
  /** Where each content word begins in `normal`. */
  words: ReadonlyMap<string, readonly number[]>;
};

/** Prepares a text for questions. */
export function readable(text: string): Readable {
  const lineStarts = new Set<number>();
  const lines: string[] = [];
  let length = 0;
  for (const line of text.split('\n').map(normalised)) {
    if (line === '') continue;
    lineStarts.add(length);
    lines.push(line);
    length += line.length + 1;
  }
  const normal = lines.join(' ');
  const words = new Map<string, number[]>();
  for (const match of normal.matchAll(CONTENT_WORD)) {
    const places = words.get(match[0]);
    if (places === undefined) words.set(match[0], [match.index]);
    else places.push(match.index);
  }
  return { text, normal, lineStarts, words };
}

/** The share of words that has to stand for the whole to be recognised. */
const SHARE_OF_WORDS = 0.8;

/** Whether four fifths of the content words of `wanted` stand anywhere in the text; false without words. */
export function standsByWords({ words }: Readable, wanted: string): boolean {
  const asked = contentWords(wanted);
  const found = asked.filter((word) => words.has(word)).length;
  return asked.length > 0 && found >= SHARE_OF_WORDS * asked.length;
}

/** Whether four fifths of the content words of `wanted` stand within `span` characters somewhere. */
export function standsWithin(text: Readable, wanted: string, span: number): boolean {
  return placeWithin(text, wanted, span) !== null;
}

/** Where such a stretch begins in `normal`; null when there is none. */
export function placeWithin({ words }: Readable, wanted: string, span: number): number | null {
  const asked = contentWords(wanted);
  const needed = Math.ceil(SHARE_OF_WORDS * asked.length);
  if (needed === 0) return null;
  const places = asked
    .flatMap((word, index) =>
      (words.get(word) ?? []).map((at) => ({ at, end: at + word.length, index })),
    )
    .sort((a, b) => a.at - b.at);
  const inside = new Array<number>(asked.length).fill(0);
  let distinct = 0;
  let from = 0;
  for (const place of places) {
    if (inside[place.index] === 0) distinct += 1;
    inside[place.index] = (inside[place.index] ?? 0) + 1;
    for (let first = places[from]; first && place.end - first.at > span; first = places[++from]) {
      inside[first.index] = (inside[first.index] ?? 0) - 1;
      if (inside[first.index] === 0) distinct -= 1;
    }
    if (distinct >= needed) return places[from]?.at ?? null;
  }
  return null;
}

/** All places at which a normalised text stands in another. */
export function placesOf(wanted: string, { normal }: Readable): number[] {
  const places: number[] = [];
  if (wanted === '') return places;
  for (let at = normal.indexOf(wanted); at >= 0; at = normal.indexOf(wanted, at + 1))
    places.push(at);
  return places;
}

/** How many of how many; nothing to count is no share at all. */
export type Score = { found: number; of: number };

/** The score of a list by a question. */
export function scoreOf<T>(list: readonly T[], isFound: (one: T) => boolean): Score {
  return { found: list.filter(isFound).length, of: list.length };
}
