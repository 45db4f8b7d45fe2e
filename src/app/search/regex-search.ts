import { RE2JS } from 're2js';
import { errorMessage } from '../../domain/error-message.ts';
import { expressionSize } from '../../domain/search/expression-size.ts';
import { cut } from '../../domain/search/snippet.ts';
import { accept, type Outcome, reject } from '../../domain/session/errors.ts';
import type { SearchableStore } from '../ports/search-index.ts';
import { Slices } from '../slices.ts';
import { type Hit, hitOf, readCandidates } from './hits.ts';
import { decodePlace, encodePlace, type SearchPlace } from './search-cursor.ts';
import type { SearchAnswer, SearchTask } from './search-task.ts';

/** How long one request reads; `next_cursor` goes on from there. */
const TIME_MS = 2_000;
const DOCUMENTS_AT_A_TIME = 50;
/** Matches that are shown of one document. */
const MOST_MATCHES = 20;
/** What an expression may come to: each instruction is a step for each character. */
const MOST_INSTRUCTIONS = 500;
/** What one may seem to come to: that is only about, and what is far beyond is not even compiled. */
const MOST_EXPECTED = 5 * MOST_INSTRUCTIONS;
const REPEATS = 'it repeats too much: use smaller numbers in {…}';

/** Compiles a regular expression in the syntax of RE2, which needs no backtracking. Rejects invalid_request. */
export function expressionOf(source: string): Outcome<RE2JS> {
  if (expressionSize(source) > MOST_EXPECTED) return invalid(REPEATS);
  try {
    const expression = RE2JS.compile(source, RE2JS.MULTILINE);
    if (expression.programSize() > MOST_INSTRUCTIONS) {
      return invalid(REPEATS);
    }
    if (expression.matches('')) return invalid('it matches the empty text, which is everywhere');
    return accept(expression);
  } catch (error) {
    return invalid(errorMessage(error));
  }
}

/** The expression that matches this very text. */
export function literal(text: string): string {
  return RE2JS.quote(text);
}

function invalid(why: string): Outcome<never> {
  const message = `the regular expression cannot be used (RE2 syntax): ${why}`;
  return reject('invalid_request', message, [{ path: 'regex', message: why }]);
}

/** The hits of an expression, newest first; as far as the time goes. */
export async function regexHits(
  store: SearchableStore,
  expression: RE2JS,
  task: SearchTask,
): Promise<SearchAnswer> {
  const until = performance.now() + TIME_MS;
  const data: Hit[] = [];
  const start = decodePlace('regex', task.cursor) ?? { scope: 0, at: Number.MAX_SAFE_INTEGER };
  const stop = (place: SearchPlace): SearchAnswer => ({
    data,
    next_cursor: encodePlace('regex', place),
    is_complete: false,
  });
  const slices = new Slices();
  for (const [index, scope] of task.scopes.entries()) {
    if (index < start.scope) continue;
    let before_id = index === start.scope ? start.at : Number.MAX_SAFE_INTEGER;
    for (;;) {
      const { filters } = task;
      const query = { scope, filters, all: [], none: [], before_id, limit: DOCUMENTS_AT_A_TIME };
      const found = await store.search.find(query);
      for (const candidate of await readCandidates(store, found, task.lost)) {
        if (data.length >= task.limit || performance.now() > until) {
          return stop({ scope: index, at: before_id });
        }
        before_id = candidate.found.id;
        const { text } = candidate.document;
        const matches = matchesOf(expression, text, until);
        const [first] = matches;
        if (slices.isOver) await slices.next();
        if (first === undefined) continue;
        const standing = await task.standpoint.of(candidate);
        if (task.state !== undefined && standing.state !== task.state) continue;
        data.push(hitOf(candidate, cut(text, first.start, matches), 1, standing));
      }
      const last = found.at(-1);
      if (last === undefined || found.length < DOCUMENTS_AT_A_TIME) break;
      before_id = last.id;
    }
  }
  return { data, next_cursor: null, is_complete: true };
}

/** The first matches; those that are found by then, as each may take as long as the text is. */
function matchesOf(
  expression: RE2JS,
  text: string,
  until: number,
): { start: number; end: number }[] {
  const matcher = expression.matcher(text);
  const matches: { start: number; end: number }[] = [];
  while (matches.length < MOST_MATCHES && matcher.find()) {
    matches.push({ start: matcher.start(), end: matcher.end() });
    if (performance.now() > until) break;
  }
  return matches;
}
