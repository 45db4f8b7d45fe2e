import { accept, type Outcome, reject } from '../../domain/session/errors.ts';
import type { EventStore, SessionRef } from '../ports/event-store.ts';
import { type SearchedSession, searchedSessions } from '../search/scopes.ts';

/** Who asks, and whether the operator lets it see other sessions of its tenant. */
export type Asker = { ref: SessionRef; mayLeave: boolean };

/**
 * The sessions whose items somebody may recall: the own one and then those that it was forked from, or
 * the one of them that is named. Rejects: session_not_found, not_found.
 */
export async function reachable(
  store: EventStore,
  { ref, mayLeave }: Asker,
  session_id?: string,
): Promise<Outcome<SearchedSession[]>> {
  const own = await searchedSessions(store, ref);
  if (!own.ok || session_id === undefined) return own;
  const named = own.value.filter((session) => session.ref.session_id === session_id);
  if (named.length > 0) return accept(named);
  const other = { tenant: ref.tenant, session_id };
  const head = mayLeave ? await store.head(other) : null;
  if (head === null) {
    return reject(
      'not_found',
      'no session of that id can be read from here: leave session_id out, or take it from a hit of ' +
        'search_history',
    );
  }
  return accept([{ ref: other, up_to: Number.MAX_SAFE_INTEGER, at: head.state.version }]);
}
