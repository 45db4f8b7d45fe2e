import { accept } from '../domain/session/errors.ts';
import { detailOf } from './compaction-detail.ts';
import { findCompaction, findSession } from './find.ts';
import { ownEvents } from './own-events.ts';
import type { SessionRef } from './ports/event-store.ts';
import type { Ports } from './ports/ports.ts';
import { costContext } from './session-cost.ts';

/** A compaction with everything that its events say. Rejects: session_not_found, compaction_not_found. */
export async function readCompaction(
  ports: Pick<Ports, 'store' | 'prices'>,
  ref: SessionRef,
  id: string,
) {
  const loaded = await loadCompaction(ports, ref, id);
  return loaded.ok ? accept(loaded.value.detail) : loaded;
}

/** The same with what it was made of: its row, its events, its session. */
export async function loadCompaction(
  ports: Pick<Ports, 'store' | 'prices'>,
  ref: SessionRef,
  id: string,
) {
  const { store } = ports;
  const found = await findCompaction(store, ref, id);
  if (!found.ok) return found;
  const session = await findSession(store, ref);
  if (!session.ok) return session;
  const events = await ownEvents(store, ref, found.value);
  if (!events.some(({ type }) => type === 'compaction.requested')) {
    // Erased meanwhile; otherwise the log is damaged.
    const again = await findCompaction(store, ref, id);
    if (!again.ok) return again;
  }
  const detail = detailOf(ref, found.value, events, costContext(ports, session.value));
  return accept({ row: found.value, session: session.value, events, detail });
}
