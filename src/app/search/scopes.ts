import type { Standings } from '../../domain/context/standing.ts';
import { standingsOf } from '../../domain/context/standing.ts';
import { sessionNotFound } from '../../domain/session/create-session.ts';
import { accept, type Outcome } from '../../domain/session/errors.ts';
import { contextChanges } from '../context-changes.ts';
import { forkedFrom } from '../forked-from.ts';
import { baseAt } from '../load-view.ts';
import { lostSession } from '../ports/archive.ts';
import type { EventStore, SessionRef } from '../ports/event-store.ts';
import type { SearchScope } from '../ports/search-index.ts';

/** A session whose items are searched: itself, or what a fork has from one before it. */
export type SearchedSession = {
  ref: SessionRef;
  /** Its items up to this one belong to the search. */
  up_to: number;
  /** The version that the search sees of it. */
  at: number;
};

/** Forks of forks are followed so far. */
const MOST_ANCESTORS = 20;

/**
 * The session, and then those that it was forked from, each up to what was not copied into the fork.
 * With `lost` they end before one whose file the archive has lost, which is noted there. Rejects:
 * session_not_found.
 */
export async function searchedSessions(
  store: EventStore,
  ref: SessionRef,
  lost: Set<string> | null = null,
): Promise<Outcome<SearchedSession[]>> {
  const head = await store.head(ref);
  if (head === null) return sessionNotFound();
  const sessions = [{ ref, up_to: Number.MAX_SAFE_INTEGER, at: head.state.version }];
  for (let own = ref; sessions.length <= MOST_ANCESTORS; ) {
    const parent = await parentOf(store, own).catch((error: unknown) => {
      const session_id = lostSession(error);
      // Its own items are what was asked for.
      if (lost === null || session_id === null || session_id === ref.session_id) throw error;
      lost.add(session_id);
      return null;
    });
    if (parent === null) break;
    own = parent.ref;
    sessions.push(parent);
  }
  return accept(sessions);
}

/** The session that one was forked from, as the fork has it; null: none. */
async function parentOf(store: EventStore, own: SessionRef): Promise<SearchedSession | null> {
  const [forked] = await store.events(own, { types: ['session.forked'], limit: 1 });
  if (forked?.type !== 'session.forked') return null;
  const { parent_version } = forked.data;
  const ref = await forkedFrom(store, own, forked);
  if (ref === null) return null;
  const base = await baseAt(store, ref, parent_version);
  // What came after the base was copied: it is found in the fork.
  return { ref, up_to: base?.through ?? 0, at: parent_version };
}

export function scopeOf({ ref, up_to }: SearchedSession): SearchScope {
  return { tenant: ref.tenant, session: { id: ref.session_id, up_to } };
}

/** What has become of the items of each session, read when it is asked for. */
export class StandingBook {
  readonly #store: EventStore;
  readonly #read = new Map<string, Promise<Standings>>();

  constructor(store: EventStore) {
    this.#store = store;
  }

  of(ref: SessionRef, at: number): Promise<Standings> {
    const known = this.#read.get(ref.session_id);
    if (known !== undefined) return known;
    const reading = contextChanges(this.#store, ref, at).then((events) => standingsOf(events));
    this.#read.set(ref.session_id, reading);
    return reading;
  }
}
