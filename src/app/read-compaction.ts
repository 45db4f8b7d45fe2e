import { accept } from '../domain/session/errors.ts';
import { detailOf, ownEvents } from './compaction-detail.ts';
import { findCompaction } from './find.ts';
import type { SessionRef } from './ports/event-store.ts';
import type { Ports } from './ports/ports.ts';

/** A compaction with everything that its events say. Rejects: session_not_found, compaction_not_found. */
export async function readCompaction({ store }: Pick<Ports, 'store'>, ref: SessionRef, id: string) {
  const found = await findCompaction(store, ref, id);
  if (!found.ok) return found;
  return accept(detailOf(ref, found.value, await ownEvents(store, ref, found.value)));
}
