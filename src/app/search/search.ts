import type { State } from '../../domain/context/standing.ts';
import type { DocumentRole, Kind } from '../../domain/search/documents.ts';
import { indexedName } from '../../domain/search/names.ts';
import { parseQuery, signsIn } from '../../domain/search/query.ts';
import { accept, type Outcome, reject } from '../../domain/session/errors.ts';
import { ElsewhereError } from '../ports/elsewhere-error.ts';
import type { SessionRef } from '../ports/event-store.ts';
import type { Ports } from '../ports/ports.ts';
import type { SearchScope } from '../ports/search-index.ts';
import { isUnwritable } from '../ports/store-trouble-error.ts';
import { readHere } from '../read-here.ts';
import { Standpoint } from './hits.ts';
import { expressionOf, literal, regexHits } from './regex-search.ts';
import { type SearchedSession, scopeOf, searchedSessions } from './scopes.ts';
import type { SearchAnswer, SearchTask } from './search-task.ts';
import { wordHits } from './word-search.ts';

type SearchRequest = {
  /** One of the two. */
  q?: string | undefined;
  regex?: string | undefined;
  role?: DocumentRole | undefined;
  kind?: Kind | undefined;
  tool?: string | undefined;
  /** `seq`s, both exclusive. */
  after?: number | undefined;
  before?: number | undefined;
  /** ISO 8601; from this on, and before that. */
  since?: string | undefined;
  until?: string | undefined;
  state?: State | undefined;
  limit: number;
  cursor?: string | undefined;
};

type SearchPorts = Pick<Ports, 'store' | 'indexer' | 'largestHere' | 'onSearch'>;

/** How long a search waits for the index. */
const PATIENCE_MS = 3_000;
/** Documents beyond which a search is done in another thread, where there is one. */
const DOCUMENTS_HERE = 50_000;
const SESSIONS_AT_A_TIME = 500;

/**
 * Searches everything that was ever said: in one session, with what a fork has from its parents, or
 * (null) in all sessions of the tenant. Waits, for a while, until all that was acknowledged before is
 * indexed, where the store takes writes. Rejects: session_not_found, invalid_request.
 */
export async function search(
  ports: SearchPorts,
  tenant: string,
  session_id: string | null,
  request: SearchRequest,
): Promise<Outcome<SearchAnswer>> {
  const started = performance.now();
  const expression = asExpression(request);
  // To compile one takes long as well.
  if (expression.regex !== undefined && ports.largestHere !== undefined) throw new ElsewhereError();
  const wanted = wantedOf(expression);
  if (!wanted.ok) return wanted;
  const lost = new Set<string>();
  const answer = await found(ports, { tenant, session_id, lost }, request, wanted.value);
  if (answer.ok) {
    ports.onSearch?.({
      scope: session_id === null ? 'all' : 'session',
      way: expression.regex === undefined ? 'words' : 'expression',
      seconds: (performance.now() - started) / 1000,
      lost: [...lost],
    });
  }
  return answer;
}

async function found(
  ports: SearchPorts,
  { tenant, session_id, lost }: { tenant: string; session_id: string | null; lost: Set<string> },
  request: SearchRequest,
  way: Way,
): Promise<Outcome<SearchAnswer>> {
  const { store } = readHere(ports);
  const { indexer } = ports;
  const until = performance.now() + PATIENCE_MS;
  const sessions =
    session_id === null ? accept([]) : await searchedSessions(store, { tenant, session_id }, lost);
  if (!sessions.ok) return sessions;
  const scopes: SearchScope[] =
    session_id === null ? [{ tenant, session: null }] : sessions.value.map(scopeOf);
  const isIndexed =
    session_id === null
      ? await tenantCaughtUp(ports, tenant, until)
      : await caughtUp(indexer, sessions.value, until);
  await stayHere(ports, scopes);
  const { since, until: end, role, kind, tool, after, before, state, limit, cursor } = request;
  const task: SearchTask = {
    scopes,
    filters: {
      ...{ role, kind, after, before },
      tool: tool === undefined ? undefined : indexedName(tool),
      since_ms: since === undefined ? undefined : Date.parse(since),
      until_ms: end === undefined ? undefined : Date.parse(end),
    },
    state,
    standpoint: new Standpoint(store, tenant, sessions.value),
    limit,
    cursor,
    lost,
  };
  const answer = await way(store, task);
  const is_complete = answer.is_complete && isIndexed && lost.size === 0;
  return accept({ ...answer, is_complete });
}

/** Signs are in no index: they are looked for in the items, as an expression is. */
function asExpression({ q, regex }: SearchRequest): Pick<SearchRequest, 'q' | 'regex'> {
  const signs = q === undefined || regex !== undefined ? null : signsIn(q);
  return signs === null ? { q, regex } : { regex: literal(signs) };
}

type Way = (store: Ports['store'], task: SearchTask) => Promise<SearchAnswer>;

/** What is looked for, and how. */
function wantedOf({ q, regex }: Pick<SearchRequest, 'q' | 'regex'>): Outcome<Way> {
  if ((q === undefined) === (regex === undefined)) {
    const message = 'send either q (words) or regex (a regular expression)';
    return reject('invalid_request', message, [{ path: 'q', message }]);
  }
  if (regex !== undefined) {
    const expression = expressionOf(regex);
    if (!expression.ok) return expression;
    return accept((store, task) => regexHits(store, expression.value, task));
  }
  const query = parseQuery(q ?? '');
  if (!query.ok) return query;
  return accept((store, task) => wordHits(store, query.value, task));
}

async function caughtUp(
  indexer: Ports['indexer'],
  sessions: readonly SearchedSession[],
  until: number,
): Promise<boolean> {
  let isIndexed = true;
  for (const { ref } of sessions) isIndexed = (await isCaughtUp(indexer, ref, until)) && isIndexed;
  return isIndexed;
}

/** Whether all sessions of a tenant are indexed by then (`performance.now()`), up to what they hold now. */
export async function tenantCaughtUp(
  { store, indexer }: Pick<Ports, 'store' | 'indexer'>,
  tenant: string,
  until: number,
): Promise<boolean> {
  for (let after: number | null = 0; after !== null; ) {
    const page: Awaited<ReturnType<typeof store.search.behind>> = await store.search.behind(
      tenant,
      after,
      SESSIONS_AT_A_TIME,
    );
    for (const ref of page.data) if (!(await isCaughtUp(indexer, ref, until))) return false;
    after = page.next;
  }
  return true;
}

/** Who searches only reads: an index that cannot be written now is searched as far as it has come. */
async function isCaughtUp(
  indexer: Ports['indexer'],
  ref: SessionRef,
  until: number,
): Promise<boolean> {
  try {
    return await indexer.catchUp(ref, until);
  } catch (error) {
    if (isUnwritable(error)) return false;
    throw error;
  }
}

/** Throws ElsewhereError for a search of so much that it would hold up this thread. */
async function stayHere(
  { store, largestHere }: SearchPorts,
  scopes: readonly SearchScope[],
): Promise<void> {
  if (largestHere === undefined) return;
  for (const scope of scopes) {
    if ((await store.search.size(scope)) > DOCUMENTS_HERE) throw new ElsewhereError();
  }
}
