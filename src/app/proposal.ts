import { accept, type Outcome, reject } from '../domain/session/errors.ts';
import type { EventOf, SessionEvent } from '../domain/session/events.ts';
import { findCompaction } from './find.ts';
import { lastEvent } from './last-event.ts';
import { ownEvents } from './own-events.ts';
import type { CompactionRow, EventStore, SessionRef } from './ports/event-store.ts';

/** Where a proposal stands; null: none was asked for, or none has come of it. */
export function proposalOf({ outcome }: CompactionRow, events: readonly SessionEvent[]) {
  const proposed = lastEvent(events, 'compaction.proposed');
  if (proposed === null) return null;
  return {
    state: stateOf(outcome),
    proposed_at: proposed.at,
    proposed_version: proposed.version,
    superseded_by: lastEvent(events, 'compaction.discarded')?.data.superseded_by ?? null,
  };
}

function stateOf(outcome: CompactionRow['outcome']): 'open' | 'applied' | 'discarded' {
  if (outcome === 'proposed') return 'open';
  return outcome === 'discarded' ? 'discarded' : 'applied';
}

/** A proposal that waits to be applied or discarded. */
export type OpenProposal = {
  row: CompactionRow;
  /** Of the attempt that made it, with its terms. */
  started: EventOf<'compaction.started'>;
  proposed: EventOf<'compaction.proposed'>;
};

/**
 * The open proposal of this id. Rejects: session_not_found, compaction_not_found, proposal_not_open,
 * whose detail says why.
 */
export async function findProposal(
  store: EventStore,
  ref: SessionRef,
  id: string,
): Promise<Outcome<OpenProposal>> {
  const found = await findCompaction(store, ref, id);
  if (!found.ok) return found;
  const row = found.value;
  const events = await ownEvents(store, ref, row);
  const proposed = lastEvent(events, 'compaction.proposed');
  const started = lastEvent(events, 'compaction.started');
  if (row.outcome === 'proposed' && proposed !== null && started !== null) {
    return accept({ row, started, proposed });
  }
  return reject('proposal_not_open', whyNotOpen(row, events));
}

function whyNotOpen(row: CompactionRow, events: readonly SessionEvent[]): string {
  const isAsked = lastEvent(events, 'compaction.requested')?.data.propose === true;
  if (!isAsked) {
    return 'this compaction is no proposal: POST …/compact with {"propose": true} makes one';
  }
  const discarded = lastEvent(events, 'compaction.discarded');
  if (discarded !== null) {
    const by = discarded.data.superseded_by;
    return by === null
      ? 'this proposal was discarded: propose again'
      : `this proposal was made for another context: compaction ${by} was applied or reverted since, just ` +
          `before version ${discarded.version}; propose again`;
  }
  if (row.status !== 'ended') return `this proposal is ${row.status}: wait for its end`;
  if (lastEvent(events, 'compaction.proposed') !== null) return 'this proposal was applied already';
  return `no proposal has come of this compaction: it ended as "${row.outcome}"`;
}
