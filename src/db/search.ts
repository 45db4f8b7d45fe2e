import type {
  IndexPosition,
  NewDocument,
  Reached,
  SearchFilters,
  SearchScope,
} from '../app/ports/search-index.ts';
import type { Tokens } from '../domain/search/tokens.ts';

/** Documents of one session at most; the id of the first is the session's place times this. */
const PER_SESSION = 2 ** 26;
/** Ids are exact in JavaScript as long as there are no more sessions than this. */
const MOST_SESSIONS = 2 ** 27;

/** The version of the tokens: another tokenizer, or other documents, and the index is built anew. */
export const SEARCH_VERSION = 3;

/** The ids that the documents of a session can have, both inclusive. Throws when there are too many sessions. */
export function idsOf(sessionOrder: number): { first: number; last: number } {
  if (sessionOrder >= MOST_SESSIONS) throw new Error('there are too many sessions to be searched');
  const first = sessionOrder * PER_SESSION;
  return { first, last: first + PER_SESSION - 1 };
}

export function sessionOrderOf(id: number): number {
  return Math.floor(id / PER_SESSION);
}

/** Stands in every document of a tenant, so that others are never looked at. No text has such a token. */
export function tenantToken(tenant: string): string {
  return `tenant\u00a7${Buffer.from(tenant).toString('hex')}`;
}

export const DOCUMENT_FIELDS = ['id', 'seq', 'part', 'at_ms', 'kind', 'role', 'tool', 'call_id'];
/** As a document is found. */
export const FOUND_COLUMNS = 'd.id, d.seq, d.part, d.at_ms, d.kind, d.role, d.tool';

export type DocumentRow = Omit<NewDocument, 'tokens'> & { id: number };

export function rowsOf(documents: readonly NewDocument[], firstId: number): DocumentRow[] {
  return documents.map(({ tokens: _tokens, ...row }, index) => ({ id: firstId + index, ...row }));
}

const CONDITIONS: Record<keyof SearchFilters, string> = {
  role: 'd.role = ?',
  kind: 'd.kind = ?',
  tool: 'd.tool = ?',
  after: 'd.seq > ?',
  before: 'd.seq < ?',
  since_ms: 'd.at_ms >= ?',
  until_ms: 'd.at_ms < ?',
};

/** Conditions on the row of a document and its session, each with one placeholder, and what belongs there. */
export function conditionsOf(
  { tenant, session }: SearchScope,
  filters: SearchFilters,
): { sql: string; value: string | number }[] {
  // `Object.keys` forgets what the keys are.
  const names = Object.keys(CONDITIONS) as (keyof SearchFilters)[];
  return [
    { sql: 's.tenant = ?', value: tenant },
    ...(session === null ? [] : [{ sql: 'd.seq <= ?', value: session.up_to }]),
    ...names.flatMap((name) => {
      const value = filters[name];
      return value === undefined ? [] : [{ sql: CONDITIONS[name], value }];
    }),
  ];
}

/** How far a session is indexed, with its place among all. */
export type Place = IndexPosition & { session_order: number };

export const WITH_PLACE =
  'FROM sessions AS s LEFT JOIN search_sessions AS p ON p.session_order = s.created_order';
/** A place but for its format, which each store reads out of JSON in its own way. */
export const PLACE_COLUMNS = `s.created_order AS session_order, s.version,
  coalesce(p.version, 0) AS indexed, coalesce(p.documents, 0) AS documents,
  coalesce(p.begun, 0) AS begun`;

export function positionOf(position: IndexPosition): IndexPosition {
  const { format, version, indexed, documents, begun } = position;
  return { format, version, indexed, documents, begun };
}

/** Whether a session stands where the writer of its next documents believes it to. */
export function isAt(place: IndexPosition, from: Reached, to: number | null): boolean {
  return place.indexed === from.indexed && place.begun === from.begun && place.version >= (to ?? 0);
}

/** Where a session stands after so many more documents. */
export function movedBy(
  { indexed, begun }: Reached,
  to: number | null,
  documents: number,
): Reached {
  return to === null ? { indexed, begun: begun + documents } : { indexed: to, begun: 0 };
}

/** Tokens by which it is seen whether a document is in the index: to look for all takes as long as to write them. */
const SAMPLE = 8;

export function sampleOf({ words, names }: Tokens): string[] {
  const tokens = [...words, ...names];
  const step = Math.max(1, Math.floor(tokens.length / SAMPLE));
  const sample = tokens.filter((_, index) => index % step === 0).slice(0, SAMPLE);
  return [...new Set(sample)];
}
