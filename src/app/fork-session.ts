import { forkSession } from '../domain/context/fork-session.ts';
import type { Decide } from '../domain/session/decision.ts';
import { accept, type Outcome, reject } from '../domain/session/errors.ts';
import { CONTEXT_CHANGES } from '../domain/session/events.ts';
import type { Head } from '../domain/session/head.ts';
import { loadView } from './load-view.ts';
import type { EventStore, SessionRef } from './ports/event-store.ts';

/**
 * The command that creates a session whose context equals the parent's at `at` (SPEC section 2).
 * Rejects: version_not_found; the command: session_exists.
 */
export async function forkCommand(
  store: EventStore,
  parent: SessionRef,
  head: Head,
  at: number,
): Promise<Outcome<Decide<Head>>> {
  const view = await loadView(store, parent, at);
  if (view === null) {
    return reject(
      'version_not_found',
      `"at" must be a version from 1 to ${head.state.version}, the one that the session is at now`,
    );
  }
  const [changed] = await store.events(parent, {
    types: CONTEXT_CHANGES,
    up_to: at,
    newest_first: true,
    limit: 1,
  });
  return accept(
    forkSession({
      session_id: parent.session_id,
      settings: head.settings,
      view,
      compacted_version: changed?.version ?? 0,
    }),
  );
}
