import { sessionNotFound } from '../domain/session/create-session.ts';
import type { Decide } from '../domain/session/decision.ts';
import { accept, type Outcome } from '../domain/session/errors.ts';
import type { Head } from '../domain/session/head.ts';
import { applyProposal } from '../domain/session/proposal-commands.ts';
import type { ThresholdState } from '../domain/tokens/thresholds.ts';
import { attemptTerms } from './attempt-terms.ts';
import { type Compaction, compactionOf } from './compaction-detail.ts';
import { findCompaction } from './find.ts';
import type { Idempotency, SessionRef } from './ports/event-store.ts';
import type { Ports } from './ports/ports.ts';
import { findProposal, type OpenProposal } from './proposal.ts';
import { readHere } from './read-here.ts';
import { levelsOf } from './session-state.ts';

/** Where the session stands after it. */
type After = { version: number; context: ThresholdState };

type AppliedProposal = { applied: { compaction: Compaction } & After; replayed: boolean };

/**
 * Puts a proposal in place, byte for byte, with what was appended since behind it (SPEC section 20).
 * Rejects: session_not_found, compaction_not_found, compaction_disabled, proposal_not_open,
 * compaction_not_applicable, idempotency_mismatch.
 */
export async function apply(
  ports: Pick<Ports, 'store' | 'largestHere' | 'world' | 'clock' | 'newId' | 'dispatch'>,
  ref: SessionRef,
  id: string,
  idempotency: Idempotency | null,
): Promise<Outcome<AppliedProposal>> {
  const { store } = ports;
  const found = await findProposal(readHere(ports).store, ref, id);
  const now = ports.clock.now();
  const at = now.toISOString();
  const clock = { now_ms: now.getTime(), at };
  // Also when it is not open: a request that is repeated is answered as the first one was.
  const command = found.ok ? await applyCommand(ports, ref, found.value, clock) : () => found;
  const options = idempotency === null ? { at } : { at, idempotency };
  const committed = await store.commit(ref, command, options);
  if (!committed.ok) return committed;
  const { value, replayed } = committed.value;
  // The hooks after it are called where compactions run. Not under its own id: the job that has made the
  // proposal may not be gone yet, and would be taken for this one.
  if (!replayed) ports.dispatch({ ref, compaction_id: ports.newId() });
  const row = await findCompaction(store, ref, id);
  if (!row.ok) return row;
  return accept({ applied: { compaction: compactionOf(ref, row.value), ...value }, replayed });
}

async function applyCommand(
  { store, world }: Pick<Ports, 'store' | 'world'>,
  ref: SessionRef,
  { row, proposed, started }: OpenProposal,
  clock: { now_ms: number; at: string },
): Promise<Decide<After>> {
  const terms = await attemptTerms(store, ref, started, world);
  return (head) => {
    if (terms === null) return sessionNotFound();
    const proposal = { compaction_id: row.id, candidate: proposed.data.candidate };
    const decided = applyProposal(world, terms, proposal, clock)(head);
    if (!decided.ok) return decided;
    const value = (after: Head): After => ({
      version: after.state.version,
      context: levelsOf(after, world),
    });
    return accept({ events: decided.value.events, value });
  };
}
