import {
  carriedKey,
  type Standing,
  type State,
  standingOf,
  summaryStanding,
} from '../../domain/context/standing.ts';
import { isOwnTool } from '../../domain/policy/own-tools.ts';
import type { SearchDocument } from '../../domain/search/documents.ts';
import { documentsOf } from '../../domain/search/documents.ts';
import type { Snippet } from '../../domain/search/snippet.ts';
import { lostSession } from '../ports/archive.ts';
import type { StoredEvent } from '../ports/event-store.ts';
import type { FoundDocument, SearchableStore } from '../ports/search-index.ts';
import { saidAtMs } from './said-at.ts';
import { type SearchedSession, StandingBook } from './scopes.ts';

/** A document that was found, with what it says. */
export type Candidate = { found: FoundDocument; event: StoredEvent; document: SearchDocument };

/** One hit of a search, as it is answered. */
export type Hit = {
  session_id: string;
  seq: number;
  at: string;
  role: SearchDocument['role'];
  kind: SearchDocument['kind'];
  tool: string | null;
  tool_use_id: string | null;
  snippet: string;
  matches: Snippet['matches'];
  score: number;
  state: State | null;
  compaction_id: string | null;
};

/** Bytes of events that are read at a time. */
const READ_BYTES = 2_000_000;

/**
 * What the documents say, in their order; what was erased meanwhile is left out, and what our own tools
 * were asked and have answered. Sessions whose files the archive has lost are left out and noted in `lost`.
 */
export async function readCandidates(
  store: SearchableStore,
  found: readonly FoundDocument[],
  lost: Set<string>,
): Promise<Candidate[]> {
  const documents = found.filter(({ tool }) => !isOwnTool(tool ?? ''));
  const events: Awaited<ReturnType<SearchableStore['search']['events']>> = new Map();
  const firsts = [...new Map(documents.map((found) => [eventKey(found), found])).values()];
  let left = firsts.filter(({ session_id }) => !lost.has(session_id));
  while (left.length > 0) {
    try {
      const read = await store.search.events(left, READ_BYTES);
      for (const [id, event] of read) events.set(id, event);
      left = left.slice(Math.max(1, read.size));
    } catch (error) {
      const session_id = lostSession(error);
      if (session_id === null) throw error;
      lost.add(session_id);
      left = left.filter((one) => one.session_id !== session_id);
    }
  }
  const said = new Map<string, { event: StoredEvent; documents: SearchDocument[] }>();
  for (const found of firsts) {
    const read = events.get(found.id);
    if (read === undefined) continue;
    const { event, format } = read;
    said.set(eventKey(found), { event, documents: documentsOf(event, format) });
  }
  return documents.flatMap((found) => {
    const { event, documents } = said.get(eventKey(found)) ?? {};
    const document = documents?.[found.part];
    return event === undefined || document === undefined ? [] : [{ found, event, document }];
  });
}

function eventKey({ session_id, seq }: FoundDocument): string {
  return `${session_id}/${seq}`;
}

/** Tells where the documents of a search stand, seen from the session that is searched. */
export class Standpoint {
  readonly #book: StandingBook;
  readonly #tenant: string;
  readonly #sessions: readonly SearchedSession[];

  /** Without sessions each document is seen from its own session, as it is now. */
  constructor(store: SearchableStore, tenant: string, sessions: readonly SearchedSession[]) {
    this.#book = new StandingBook(store);
    this.#tenant = tenant;
    this.#sessions = sessions;
  }

  async of({ found, event, document }: Candidate): Promise<Standing> {
    const ref = { tenant: this.#tenant, session_id: found.session_id };
    const index = this.#sessions.findIndex(({ ref }) => ref.session_id === found.session_id);
    const at = this.#sessions[index]?.at ?? Number.MAX_SAFE_INTEGER;
    const standings = await this.#book.of(ref, at);
    const own =
      event.type === 'item.appended'
        ? standingOf(standings, event, document.tool_use_id)
        : event.type === 'compaction.completed' ||
            event.type === 'compaction.observed' ||
            event.type === 'session.forked'
          ? summaryStanding(standings, event)
          : { state: null, compaction_id: null };
    if (own.state !== 'in_context' || index <= 0) return own;
    const [asked] = this.#sessions;
    const { carried } = await this.#book.of(asked?.ref ?? ref, asked?.at ?? at);
    // What is pinned came into the fork with its pin.
    if (carried.has(carriedKey(found.session_id, found.seq))) return own;
    return this.#inForks(own, index);
  }

  /** What its own session still had in its context came into the fork, up to the fork's next compaction. */
  async #inForks(own: Standing, index: number): Promise<Standing> {
    for (const { ref, at } of this.#sessions.slice(0, index).reverse()) {
      const { chain } = await this.#book.of(ref, at);
      // The first is the fork itself.
      const next = chain[1];
      if (next !== undefined) return { state: 'summarised', compaction_id: next.id };
    }
    return own;
  }
}

export function hitOf(
  { found, event, document }: Candidate,
  { text, matches }: Snippet,
  score: number,
  { state, compaction_id }: Standing,
): Hit {
  return {
    session_id: found.session_id,
    seq: found.seq,
    at: new Date(saidAtMs(event)).toISOString(),
    role: found.role,
    kind: found.kind,
    tool: found.tool,
    tool_use_id: document.tool_use_id,
    snippet: text,
    matches,
    score,
    state,
    compaction_id,
  };
}
