import type { Kind } from './documents.ts';
import type { Matched, Place } from './matches.ts';

/** How rare a clause is: in so many of so many texts it stands. */
type Rarity = { found: number; of: number };

/** What a clause is worth; rare ones are worth more. */
export function weightOf({ found, of }: Rarity): number {
  return Math.log(1 + (of + 1) / (found + 0.5));
}

/** Characters of a text in which one mention counts as it is; in longer ones it says less. */
const USUAL_LENGTH = 1_500;
/** Longer ones are no worse: of a large result a line may be all that is wanted. */
const MOST_LENGTH = 4_500;
/** Of a clause of which only parts stand there, apart from each other, or inside of another clause. */
const LOOSE = 0.4;
/** Of a clause, and of a mention, that is only a part of a longer word. */
const INSIDE = 0.7;
/** What it is worth at most, beside the words themselves, that they stand close to each other. */
const CLOSENESS = 2;

/** So much more where the line holds nothing else: who types words of a line means it, not a longer one. */
const FILLED = 1;

/** What a summary tells was said before, and that is wanted rather. */
const SUMMARY = 0.5;

/** What stands between two words that follow each other in a sentence, in characters, with one of them. */
const USUAL_WORD = 8;

/** The end of a line between two words counts as so many characters. */
const END_OF_LINE = 40;
/** Of a line that is shown, so much on either side of what was found. */
const BESIDE = 100;

/** The clauses that stand closest together: their places in the text. */
type Cluster = { start: number; end: number; lines: number; clauses: number };

/**
 * How well a text answers a query: the sum over its clauses of weight and how much it speaks of them
 * (as BM25), more when they stand close together. `weights` has one for each clause. Rounded, so
 * that equal texts are equal on every machine.
 */
export function scoreOf(matched: Matched, weights: readonly number[], kind: Kind): number {
  const { text, places, loose } = matched;
  const length = 0.3 + (0.7 * Math.min(text.length, MOST_LENGTH)) / USUAL_LENGTH;
  let said = 0;
  let present = 0;
  for (const [index, found] of places.entries()) {
    if (found.length === 0) continue;
    const best = found.some(({ isWhole }) => isWhole) ? 1 : INSIDE;
    const weight = (weights[index] ?? 0) * (loose.has(index) ? LOOSE : best);
    const mentions = found.reduce((sum, { isWhole }) => sum + (isWhole ? 1 : INSIDE), 0);
    said += (weight * 2 * mentions) / (mentions + length);
    present += weight;
  }
  const cluster = clusterOf(matched);
  const { clauses } = cluster;
  const gap = Math.max(0, widthOf(cluster) / USUAL_WORD - clauses);
  const near = CLOSENESS * present * (1 + FILLED * shareOfLine(text, cluster));
  const closeness = clauses > 1 ? near / (1 + gap / (2 * clauses)) : 0;
  const worth = kind === 'summary' ? SUMMARY : 1;
  return Math.round(worth * (said + closeness) * 1_000) / 1_000;
}

/** The shortest stretch of the text with all the clauses that stand in it, as whole words where there are some. */
export function clusterOf({
  text,
  parts,
  places,
}: Pick<Matched, 'text' | 'parts' | 'places'>): Cluster {
  const all = places
    .flatMap((found, clause) =>
      preferred(found).map(({ from, to }) => ({
        start: parts[from]?.start ?? 0,
        end: parts[to]?.end ?? 0,
        line: 0,
        clause,
      })),
    )
    .sort((a, b) => a.start - b.start);
  numberLines(text, all);
  const clauses = places.filter(({ length }) => length > 0).length;
  const inside = new Map<number, number>();
  let best: Cluster = { start: 0, end: Number.MAX_SAFE_INTEGER, lines: 0, clauses };
  let first = 0;
  for (const place of all) {
    inside.set(place.clause, (inside.get(place.clause) ?? 0) + 1);
    for (let oldest = all[first]; oldest !== undefined && inside.size === clauses; ) {
      const { start, line } = oldest;
      const own = { start, end: place.end, lines: place.line - line, clauses };
      if (widthOf(own) < widthOf(best)) best = own;
      const left = (inside.get(oldest.clause) ?? 0) - 1;
      if (left === 0) inside.delete(oldest.clause);
      else inside.set(oldest.clause, left);
      first += 1;
      oldest = all[first];
    }
  }
  return best;
}

/** How much of the line, or lines, that it stands in it takes up: 0 to 1. */
function shareOfLine(text: string, { start, end }: Cluster): number {
  const [from, to] = linesAround(text, start, end);
  const line = text.slice(from, to).trim();
  return line === '' ? 0 : Math.min(1, (end - start) / line.length);
}

/** Where the line of `start` begins and that of `end` ends. */
function linesAround(text: string, start: number, end: number): [from: number, to: number] {
  const after = text.indexOf('\n', end);
  return [text.lastIndexOf('\n', start - 1) + 1, after < 0 ? text.length : after];
}

function preferred(places: readonly Place[]): readonly Place[] {
  const whole = places.filter(({ isWhole }) => isWhole);
  return whole.length > 0 ? whole : places;
}

/** In characters. */
function widthOf({ start, end, lines }: Cluster): number {
  return end - start + END_OF_LINE * lines;
}

/** Numbers the lines in which places, which are in their order, begin. */
function numberLines(text: string, places: { start: number; line: number }[]): void {
  let line = 0;
  let end = text.indexOf('\n');
  for (const place of places) {
    for (; end >= 0 && end < place.start; end = text.indexOf('\n', end + 1)) line += 1;
    place.line = line;
  }
}

/** The line that answers best: of several hits with the same one the first tells enough. */
export function lineOf(matched: Matched): string {
  const { text } = matched;
  const { start, end } = clusterOf(matched);
  const [from, to] = linesAround(text, start, end);
  return text.slice(Math.max(from, start - BESIDE), Math.min(to, end + BESIDE)).trim();
}
