import type { Kind } from './documents.ts';
import type { Matched } from './matches.ts';

/** How rare a clause is: in so many of so many texts it stands. */
export type Rarity = { found: number; of: number };

/** What a clause is worth; rare ones are worth more. */
export function weightOf({ found, of }: Rarity): number {
  return Math.log(1 + (of + 1) / (found + 0.5));
}

/** Characters of a text in which one mention counts as it is; in longer ones it says less. */
const USUAL_LENGTH = 1_500;
/** Longer ones are no worse: of a large result a line may be all that is wanted. */
const MOST_LENGTH = 4_500;
/** Of a clause of which only parts stand there, apart from each other. */
const LOOSE = 0.4;
/** What it is worth at most, beside the words themselves, that they stand close to each other. */
const CLOSENESS = 2;

/** What a summary tells was said before, and that is wanted rather. */
const SUMMARY = 0.5;

/** What stands between two words that follow each other in a sentence, in characters, with one of them. */
const USUAL_WORD = 8;

/** The clauses that stand closest together: their places in the text. */
export type Cluster = { start: number; end: number; clauses: number };

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
    const weight = (weights[index] ?? 0) * (loose.has(index) ? LOOSE : 1);
    said += (weight * 2 * found.length) / (found.length + length);
    present += weight;
  }
  const { start, end, clauses } = clusterOf(matched);
  const gap = Math.max(0, (end - start) / USUAL_WORD - clauses);
  const closeness = clauses > 1 ? (CLOSENESS * present) / (1 + gap / (2 * clauses)) : 0;
  const worth = kind === 'summary' ? SUMMARY : 1;
  return Math.round(worth * (said + closeness) * 1_000) / 1_000;
}

/** The shortest stretch of the text with all the clauses that stand in it. */
export function clusterOf({ parts, places }: Pick<Matched, 'parts' | 'places'>): Cluster {
  const all = places
    .flatMap((found, clause) =>
      found.map(({ from, to }) => ({
        start: parts[from]?.start ?? 0,
        end: parts[to]?.end ?? 0,
        clause,
      })),
    )
    .sort((a, b) => a.start - b.start);
  const clauses = places.filter(({ length }) => length > 0).length;
  const inside = new Map<number, number>();
  let best: Cluster = { start: 0, end: Number.MAX_SAFE_INTEGER, clauses };
  let first = 0;
  for (const place of all) {
    inside.set(place.clause, (inside.get(place.clause) ?? 0) + 1);
    for (let oldest = all[first]; oldest !== undefined && inside.size === clauses; ) {
      if (place.end - oldest.start < best.end - best.start) {
        best = { start: oldest.start, end: place.end, clauses };
      }
      const left = (inside.get(oldest.clause) ?? 0) - 1;
      if (left === 0) inside.delete(oldest.clause);
      else inside.set(oldest.clause, left);
      first += 1;
      oldest = all[first];
    }
  }
  return best;
}
