import { accept, type Outcome } from '../domain/session/errors.ts';
import { discardProposal } from '../domain/session/proposal-commands.ts';
import { type Compaction, compactionOf } from './compaction-detail.ts';
import { findCompaction } from './find.ts';
import type { Idempotency, SessionRef } from './ports/event-store.ts';
import type { Ports } from './ports/ports.ts';
import { findProposal } from './proposal.ts';
import { readHere } from './read-here.ts';

/**
 * Drops a proposal; the context stays as it is (SPEC section 20). Rejects: session_not_found,
 * compaction_not_found, proposal_not_open, idempotency_mismatch.
 */
export async function discard(
  ports: Pick<Ports, 'store' | 'largestHere' | 'clock'>,
  ref: SessionRef,
  id: string,
  idempotency: Idempotency | null,
): Promise<Outcome<{ compaction: Compaction; replayed: boolean }>> {
  const { store, clock } = ports;
  const found = await findProposal(readHere(ports).store, ref, id);
  const at = clock.now().toISOString();
  const options = idempotency === null ? { at } : { at, idempotency };
  // Also when it is not open: a request that is repeated is answered as the first one was.
  const command = found.ok ? discardProposal(id) : () => found;
  const committed = await store.commit(ref, command, options);
  if (!committed.ok) return committed;
  const row = await findCompaction(store, ref, id);
  if (!row.ok) return row;
  const { replayed } = committed.value;
  return accept({ compaction: compactionOf(ref, row.value), replayed });
}
