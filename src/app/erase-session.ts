import { sessionNotFound } from '../domain/session/create-session.ts';
import { accept, type Outcome } from '../domain/session/errors.ts';
import { ElsewhereError } from './ports/elsewhere-error.ts';
import type { SessionRef } from './ports/event-store.ts';
import type { Ports } from './ports/ports.ts';

/**
 * Erases a session with everything in it; its id can be used again. Rejects: session_not_found. Throws
 * ElsewhereError for a log that would hold up this thread.
 */
export async function eraseSession(
  { store, largestHere, cancelJob }: Pick<Ports, 'store' | 'largestHere' | 'cancelJob'>,
  ref: SessionRef,
): Promise<Outcome<null>> {
  const head = await store.head(ref);
  if (head !== null && largestHere !== undefined && head.state.version > largestHere.events) {
    throw new ElsewhereError();
  }
  if (!(await store.erase(ref))) return sessionNotFound();
  const running = head?.state.running;
  if (running) cancelJob(running.id);
  return accept(null);
}
