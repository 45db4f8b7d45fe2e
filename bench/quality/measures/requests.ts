import type { Candidate } from '../candidate.ts';
import type { UserMessage } from '../user-messages.ts';
import { opening, placesOf, type Readable, type Score, standsByWords } from '../words.ts';

const OPENING = 40;

type Requests = {
  /** Messages whose first 40 normalised characters stand in the text. */
  by_opening: Score;
  /** Messages of whose content words four fifths stand in the text. */
  by_words: Score;
  /** Of those that stand by their opening, how many stand in the order in which they were said. */
  in_order: Score;
};

/** Which messages of the user can be recognised; what was said twice counts once. */
export function measureRequests(said: readonly UserMessage[], { read }: Candidate): Requests {
  const distinct = [
    ...new Map(said.map((one) => [opening(one.text, OPENING), one])).entries(),
  ].filter(([start]) => start !== '');
  const places = distinct.map(([start]) => placesOfMessage(start, read));
  const found = places.filter((own) => own.length > 0);
  const isThere = (index: number) => (places[index]?.length ?? 0) > 0;
  const words = distinct.filter(
    ([, { text }], index) =>
      standsByWords(read, text) || (!/\p{L}{4}/u.test(text) && isThere(index)),
  );
  return {
    by_opening: { found: found.length, of: distinct.length },
    by_words: { found: words.length, of: distinct.length },
    in_order: { found: longestAscent(found), of: found.length },
  };
}

/** A message shorter than its opening would be stands only where nothing else belongs to the same words. */
export function placesOfMessage(start: string, read: Readable): number[] {
  const places = placesOf(start, read);
  return start.length >= OPENING - 4 ? places : places.filter((at) => standsAlone(start, at, read));
}

function standsAlone(start: string, at: number, { normal, lineStarts }: Readable): boolean {
  const end = at + start.length;
  const before = normal.slice(0, at).trimEnd().at(-1) ?? '';
  const after = normal.at(end) ?? '';
  const begins = lineStarts.has(at) || "':->".includes(before);
  const ends = end >= normal.length || lineStarts.has(end + 1) || "'.,;(…".includes(after);
  return begins && ends;
}

/** The most lists, in their order, of each of which one place can be taken so that the places ascend. */
function longestAscent(places: readonly (readonly number[])[]): number {
  const ends: number[] = [];
  for (const own of places) {
    for (const place of own.toReversed()) {
      const at = ends.findIndex((end) => end >= place);
      ends[at === -1 ? ends.length : at] = place;
    }
  }
  return ends.length;
}
