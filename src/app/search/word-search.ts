import { isPhrase, type Matched, matchesIn } from '../../domain/search/matches.ts';
import { hasJoinedParts, lookupOf, type Query } from '../../domain/search/query.ts';
import { lineOf, scoreOf, weightOf } from '../../domain/search/rank.ts';
import { snippetOf } from '../../domain/search/snippet.ts';
import type { FoundDocument, IndexQuery, SearchableStore } from '../ports/search-index.ts';
import { Slices } from '../slices.ts';
import { type Candidate, hitOf, readCandidates } from './hits.ts';
import { decodePlace, encodePlace } from './search-cursor.ts';
import type { SearchAnswer, SearchTask } from './search-task.ts';

/** Documents that are ranked: the newest that have what is asked for. */
const MOST_RANKED = 100;
/** Where too few have all the words, so many that have some of them do. */
const ENOUGH = 40;
const DOCUMENTS_AT_A_TIME = 25;
/** Documents that are read to find a phrase, or a state; and for how long, in milliseconds. */
const MOST_READ = 2_000;
const TIME_MS = 1_500;

type Ranked = {
  candidate: Candidate;
  matched: Matched;
  tier: (typeof TIERS)[number];
};

/**
 * Hits with all the words as they are written come first, then those with some word only in parts, inside
 * of another one, or with other words between its names. A summary of a long session has most words, and
 * all of a query by chance: of several words it comes among those that have some, by its score.
 */
const TIERS = ['all', 'all_in_parts', 'some'] as const;

/** A session that was compacted often has as many summaries with the words of a query as there is room for. */
const MOST_SUMMARIES = 5;

/** How words are looked up: their parts side by side, or anywhere in the text. */
type By = 'whole' | 'parts';

/**
 * The hits of a query, each line once before any comes again. Those with all words come first, and where they are fewer than asked for, those
 * with some of them, the rarest words first. Of many that have all words the newest are ranked.
 */
export async function wordHits(
  store: SearchableStore,
  query: Query,
  task: SearchTask,
): Promise<SearchAnswer> {
  const from = decodePlace('words', task.cursor)?.at ?? 0;
  const pool = new Pool(store, query, task);
  const clauses = query.all.map((_, index) => index);
  await pool.take(clauses, 'whole', true);
  if (pool.originals < task.limit && hasJoinedParts(query)) await pool.take(clauses, 'parts', true);
  const isAlone = query.all.length === 1;
  const rarities = isAlone ? [] : await pool.rarities();
  if (pool.originals < task.limit && !isAlone) {
    for (const some of fewerOf(clauses, query, rarities)) {
      if (pool.isFull || pool.originals >= ENOUGH) break;
      await pool.take(some, 'parts', false);
    }
  }
  const weights = isAlone ? [1] : rarities.map(weightOf);
  const ranked = pool.ranked
    .map((one) => ({ ...one, score: scoreOf(one.matched, weights, one.candidate.found.kind) }))
    .sort(
      (a, b) =>
        TIERS.indexOf(a.tier) - TIERS.indexOf(b.tier) ||
        b.score - a.score ||
        b.candidate.found.at_ms - a.candidate.found.at_ms ||
        b.candidate.found.id - a.candidate.found.id,
    );
  const inOrder = repeatsLast(ranked);
  const shown = inOrder.slice(from, from + task.limit);
  const isMore = from + shown.length < inOrder.length;
  return {
    data: await Promise.all(
      shown.map(async ({ candidate, matched, score }) =>
        hitOf(candidate, snippetOf(matched), score, await task.standpoint.of(candidate)),
      ),
    ),
    next_cursor: isMore ? encodePlace('words', { scope: 0, at: from + shown.length }) : null,
    is_complete: pool.isComplete,
  };
}

/**
 * Which words to look for where too few documents have all of them: without the most frequent one,
 * without the two, and so on to the rarest alone; then each of the others, the rarest first. Phrases
 * always have to stand there.
 */
function fewerOf(
  clauses: readonly number[],
  { all }: Query,
  rarities: readonly { found: number }[],
): number[][] {
  const found = (index: number) => rarities[index]?.found ?? 0;
  const needed = clauses.filter((index) => isPhrase(all[index] ?? []));
  const words = clauses
    .filter((index) => !needed.includes(index) && found(index) > 0)
    .sort((a, b) => found(a) - found(b) || a - b);
  const rarest = words.map((_, dropped) => words.slice(0, words.length - dropped));
  // All of them were looked for already, unless one stands nowhere.
  const fewer = words.length + needed.length === clauses.length ? rarest.slice(1) : rarest;
  const others = words.slice(1).map((word) => [word]);
  return [...fewer, ...others].map((some) => [...needed, ...some]);
}

/**
 * Of hits with all words, and of the others, those that show a line once more come after the rest, and so
 * do all summaries of a session but the best: each tells what the ones before it told.
 */
function repeatsLast<T extends Ranked>(ranked: readonly T[]): T[] {
  const seen = new Set<string>();
  const isRepeat = new Map<T, boolean>();
  for (const one of ranked) {
    const { kind, session_id } = one.candidate.found;
    const told = [lineOf(one.matched), ...(kind === 'summary' ? [`\n${session_id}`] : [])];
    isRepeat.set(
      one,
      told.some((line) => seen.has(line)),
    );
    for (const line of told) seen.add(line);
  }
  return TIERS.flatMap((tier) => {
    const own = ranked.filter((one) => one.tier === tier);
    return [
      ...own.filter((one) => !isRepeat.get(one)),
      ...own.filter((one) => isRepeat.get(one) === true),
    ];
  });
}

/** Whether it has no alternative of a clause with phrases: an index may find their words apart. */
function lacksAlternative({ places }: Matched, { all }: Query): boolean {
  return all.some(
    (terms, index) => terms.some(({ isPhrase }) => isPhrase) && places[index]?.length === 0,
  );
}

/** Collects the documents that are ranked. */
class Pool {
  isComplete = true;
  readonly ranked: Ranked[] = [];
  readonly #store: SearchableStore;
  readonly #query: Query;
  readonly #task: SearchTask;
  readonly #seen = new Set<number>();
  /** How many of each session were met. */
  readonly #summaries = new Map<string, number>();
  readonly #until = performance.now() + TIME_MS;
  #read = 0;

  constructor(store: SearchableStore, query: Query, task: SearchTask) {
    this.#store = store;
    this.#query = query;
    this.#task = task;
  }

  /** Hits in what was said and done: a summary only tells of it. */
  get originals(): number {
    return this.ranked.filter(({ candidate }) => candidate.found.kind !== 'summary').length;
  }

  get isFull(): boolean {
    return this.ranked.length >= MOST_RANKED || this.#isSpent;
  }

  get #isSpent(): boolean {
    return this.#read >= MOST_READ || performance.now() > this.#until;
  }

  /** In how many documents each clause stands. */
  async rarities(): Promise<{ found: number; of: number }[]> {
    const { scopes } = this.#task;
    const { search } = this.#store;
    let of = 0;
    for (const scope of scopes) of += await search.size(scope);
    const rarities: { found: number; of: number }[] = [];
    for (const terms of this.#query.all) {
      const lookups = terms.map((term) => lookupOf(term, 'whole'));
      let found = 0;
      for (const scope of scopes) found += await search.frequency(scope, lookups);
      rarities.push({ found, of });
    }
    return rarities;
  }

  /** Takes the newest documents that have these clauses, until the pool is full. */
  async take(clauses: readonly number[], by: By, hasAll: boolean): Promise<void> {
    const expected = new Set(by === 'whole' ? clauses : []);
    for (const scope of this.#task.scopes) {
      for (let before_id: number | undefined; ; ) {
        if (this.isFull) {
          this.isComplete = false;
          return;
        }
        const query = { ...this.#indexQuery(clauses, by), scope, before_id };
        const found = await this.#store.search.find(query);
        await this.#add(found, expected, hasAll);
        const last = found.at(-1);
        if (last === undefined || found.length < query.limit) break;
        before_id = last.id;
      }
    }
  }

  #indexQuery(clauses: readonly number[], by: By): Omit<IndexQuery, 'scope' | 'before_id'> {
    const { all, none } = this.#query;
    return {
      filters: this.#task.filters,
      all: clauses.map((index) => (all[index] ?? []).map((term) => lookupOf(term, by))),
      // A phrase is looked for in the text: its words alone exclude nothing.
      none: none
        .filter(({ isPhrase, parts }) => !isPhrase && parts.length === 1)
        .map((term) => lookupOf(term, 'whole')),
      limit: MOST_RANKED,
    };
  }

  async #add(
    found: readonly FoundDocument[],
    expected: ReadonlySet<number>,
    hasAll: boolean,
  ): Promise<void> {
    const unseen = this.#withoutOlderSummaries(found.filter(({ id }) => !this.#seen.has(id)));
    const slices = new Slices();
    for (let from = 0; from < unseen.length; from += DOCUMENTS_AT_A_TIME) {
      if (this.isFull) {
        this.isComplete = false;
        return;
      }
      const some = unseen.slice(from, from + DOCUMENTS_AT_A_TIME);
      for (const { id } of some) this.#seen.add(id);
      this.#read += some.length;
      for (const candidate of await readCandidates(this.#store, some, this.#task.lost)) {
        const matched = matchesIn(candidate.document.text, this.#query, expected);
        if (matched !== null && hasAll && lacksAlternative(matched, this.#query)) {
          // It has some of the words, and may be asked for by these.
          this.#seen.delete(candidate.found.id);
        } else if (matched !== null && (await this.#isOfState(candidate))) {
          const isWhole = matched.loose.size === 0 && matched.isAsWritten;
          const whole = isWhole ? 'all' : 'all_in_parts';
          const isByChance = candidate.found.kind === 'summary' && this.#query.all.length > 1;
          this.ranked.push({ candidate, matched, tier: hasAll && !isByChance ? whole : 'some' });
        }
        if (slices.isOver) await slices.next();
      }
    }
  }

  /** Of the summaries of a session only the newest are looked at, unless nothing else is asked for. */
  #withoutOlderSummaries(found: readonly FoundDocument[]): readonly FoundDocument[] {
    if (this.#task.filters.kind === 'summary') return found;
    return found.filter(({ kind, session_id }) => {
      if (kind !== 'summary') return true;
      const looked = this.#summaries.get(session_id) ?? 0;
      this.#summaries.set(session_id, looked + 1);
      return looked < MOST_SUMMARIES;
    });
  }

  async #isOfState(candidate: Candidate): Promise<boolean> {
    const { state, standpoint } = this.#task;
    return state === undefined || (await standpoint.of(candidate)).state === state;
  }
}
