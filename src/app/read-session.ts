import { accept } from '../domain/session/errors.ts';
import { findSession } from './find.ts';
import type { SessionRef } from './ports/event-store.ts';
import type { Ports } from './ports/ports.ts';
import { stateOf } from './session-state.ts';

/** Counts, context levels, configuration and what is under way. Rejects: session_not_found. */
export async function readSession(
  { store, world }: Pick<Ports, 'store' | 'world'>,
  ref: SessionRef,
) {
  const found = await findSession(store, ref);
  return found.ok ? accept(stateOf(ref, found.value, world)) : found;
}
