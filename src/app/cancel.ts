import { cancelCompaction } from '../domain/session/compaction-commands.ts';
import { accept, type Outcome } from '../domain/session/errors.ts';
import { type Compaction, compactionOf } from './compaction-detail.ts';
import { findCompaction } from './find.ts';
import type { SessionRef } from './ports/event-store.ts';
import type { Ports } from './ports/ports.ts';

/**
 * Cancels a compaction that is queued or running; the context stays as it is. Rejects:
 * session_not_found, compaction_not_found, compaction_not_cancellable.
 */
export async function cancel(
  { store, clock, cancelJob }: Pick<Ports, 'store' | 'clock' | 'cancelJob'>,
  ref: SessionRef,
  id: string,
): Promise<Outcome<Compaction>> {
  const found = await findCompaction(store, ref, id);
  if (!found.ok) return found;
  const at = clock.now().toISOString();
  const committed = await store.commit(ref, cancelCompaction(id), { at });
  if (!committed.ok) return committed;
  cancelJob(id);
  const after = await findCompaction(store, ref, id);
  return after.ok ? accept(compactionOf(ref, after.value)) : after;
}
