import { sessionNotFound } from '../domain/session/create-session.ts';
import { accept } from '../domain/session/errors.ts';
import { eventAt } from './event-at.ts';
import { findSession } from './find.ts';
import type { SessionRef } from './ports/event-store.ts';
import type { Ports } from './ports/ports.ts';

/**
 * The newest version that a session had at a moment (ms since 1970), the first one for moments before
 * it. Found by halving, so that it takes few reads whatever the length of the log; where clocks ran
 * backwards it is one of those around the moment. Rejects: session_not_found.
 */
export async function versionAt(
  { store }: Pick<Ports, 'store'>,
  ref: SessionRef,
  moment_ms: number,
) {
  const found = await findSession(store, ref);
  if (!found.ok) return found;
  let lowest = 1;
  let highest = found.value.state.version;
  while (lowest < highest) {
    const middle = Math.ceil((lowest + highest) / 2);
    const event = await eventAt(store, ref, middle);
    // Erased meanwhile.
    if (event === undefined) return sessionNotFound();
    if (Date.parse(event.at) <= moment_ms) lowest = middle;
    else highest = middle - 1;
  }
  return accept(lowest);
}
