import { tokensWithout } from '../domain/context/pinned.ts';
import { sessionNotFound } from '../domain/session/create-session.ts';
import { accept } from '../domain/session/errors.ts';
import { changedMeanwhile, pinNotFound, removePin } from '../domain/session/pin-commands.ts';
import { findSession } from './find.ts';
import { loadViewHere } from './load-view.ts';
import type { SessionRef } from './ports/event-store.ts';
import type { Ports } from './ports/ports.ts';

/** What others write at the same moment makes it look again, so often. */
const ATTEMPTS = 10;

/**
 * Ends a pin: what was pinned stands in the context as far as compactions have left it there (SPEC
 * section 20). Rejects: session_not_found, pin_not_found, version_mismatch. Throws ElsewhereError, with
 * nothing written.
 */
export async function unpin(
  deps: Pick<Ports, 'store' | 'largestHere' | 'clock'>,
  ref: SessionRef,
  pin_id: string,
) {
  const { store } = deps;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const found = await findSession(store, ref);
    if (!found.ok) return found;
    const { pins, version, compacted_version } = found.value.state;
    if (!pins.all.some(({ id }) => id === pin_id)) return pinNotFound();
    const view = await loadViewHere(deps, ref, version);
    if (view === null) return sessionNotFound();
    const own = view.pins.added.find(({ data }) => data.pin_id === pin_id);
    if (own === undefined) return pinNotFound();
    const tokens_change = tokensWithout(own.data.entries, view);
    const at = deps.clock.now().toISOString();
    const command = removePin({ pin_id, tokens_change, compacted_version });
    const committed = await store.commit(ref, command, { at });
    if (committed.ok) return accept(null);
    if (committed.rejection.code !== 'version_mismatch') return committed;
  }
  return changedMeanwhile();
}
