import type { Outcome } from '../domain/session/errors.ts';
import { type RoomReserved, reserveRoom } from '../domain/session/reserve-room.ts';
import type { SessionRef } from './ports/event-store.ts';
import type { Ports } from './ports/ports.ts';

/**
 * Keeps `overhead` tokens of the session's window free beside the context (decision 0049), and has a
 * compaction begin where there is no such room any more. Rejects: session_not_found.
 */
export async function keepRoom(
  deps: Pick<Ports, 'store' | 'world' | 'clock' | 'newId' | 'dispatch'>,
  ref: SessionRef,
  overhead: number,
): Promise<Outcome<RoomReserved>> {
  const now = deps.clock.now();
  const compaction_id = deps.newId();
  const command = reserveRoom(deps.world, { overhead, compaction_id, now_ms: now.getTime() });
  const committed = await deps.store.commit(ref, command, { at: now.toISOString() });
  if (!committed.ok) return committed;
  const { value } = committed.value;
  if (value.requested) deps.dispatch({ ref, compaction_id });
  return { ok: true, value };
}
