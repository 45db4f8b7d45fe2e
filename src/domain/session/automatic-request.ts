import type { Attribution } from '../policy/attribution.ts';
import type { EventData, NewEvent } from './events.ts';

/** The request of a compaction that nobody asked for by hand; its reason is the way that led to it. */
export function automaticRequest(
  compaction_id: string,
  attribution: Attribution,
  more: Pick<EventData['compaction.requested'], 'before' | 'packet'> = {},
): NewEvent {
  return {
    type: 'compaction.requested',
    data: {
      compaction_id,
      mode: 'auto',
      trigger: 'auto',
      reason: attribution.path,
      attribution,
      ...more,
    },
  };
}
