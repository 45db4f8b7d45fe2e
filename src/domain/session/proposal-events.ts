import type { NewEvent } from './events.ts';
import type { Head } from './head.ts';

/**
 * The end of every proposal that still stands after the context was changed by this compaction, or by
 * taking it back, or (null) by the client: each was made for the context before (SPEC section 20).
 */
export function supersededBy(compactionId: string | null, { state }: Head): NewEvent[] {
  return state.proposals.map(({ id }) => ({
    type: 'compaction.discarded',
    data: { compaction_id: id, superseded_by: compactionId },
  }));
}
