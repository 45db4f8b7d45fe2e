import type { EventData, EventOf, Trigger } from './events.ts';
import type { Running, State } from './head.ts';
import { savedBy } from './result-edits.ts';

/** A compaction is under way from its request on; nothing else is waited for then (SPEC section 12). */
export function requested(state: State, event: EventOf<'compaction.requested'>): Partial<State> {
  const { data, version } = event;
  const { mode, trigger, reason, attribution } = data;
  return {
    running: {
      id: data.compaction_id,
      status: 'queued',
      mode,
      trigger,
      reason,
      attempt: 0,
      requested_version: version,
      attribution,
      before: data.before ?? null,
      packet: data.packet ?? null,
    },
    // What a request rests on is used up by it, or the same boundary would compact for ever.
    signals: attribution.boundaries.length > 0 ? [] : state.signals,
    packet_request: null,
    preflight: null,
  };
}

/** Common to all ends of a compaction that somebody has looked at. */
export const ENDED = { running: null, tokens_since_compaction: 0 } as const;

/** Results became smaller; where the context begins stays as it was (SPEC section 7). */
export function microCompleted(
  state: State,
  event: EventOf<'compaction.micro_completed'>,
): Partial<State> {
  const { trigger } = running(state, event.data.compaction_id);
  return {
    ...ENDED,
    tokens: state.tokens - savedBy(event.data.edits),
    failures: failuresAfter(state, trigger, event.data),
    compactions: counted(state, 'micro'),
  };
}

/** A full or remote compaction is the one in force from here on (SPEC section 8). */
export function completed(state: State, event: EventOf<'compaction.completed'>): Partial<State> {
  const { compaction_id, through, report, mode, edits = [] } = event.data;
  const { trigger } = running(state, compaction_id);
  return {
    ...ENDED,
    tokens: state.tokens - report.covered_tokens + report.replacement_tokens - savedBy(edits),
    base: { compaction_id, version: event.version, through },
    failures: failuresAfter(state, trigger, report),
    messages: 0,
    compactions: counted(state, mode),
  };
}

/** A compaction that leaves the context where another is due has not helped (SPEC section 10). */
function failuresAfter(
  state: State,
  trigger: Trigger,
  after: { is_above_threshold: boolean; is_still_due: boolean },
): number {
  if (!after.is_above_threshold && !after.is_still_due) return 0;
  return trigger === 'auto' ? state.failures + 1 : state.failures;
}

/** Nothing was changed; what was tried in vain counts as a failure (SPEC section 10). */
export function skipped(state: State, data: EventData['compaction.skipped']): Partial<State> {
  const { trigger, attribution } = running(state, data.compaction_id);
  const compactions = counted(state, 'skipped');
  switch (data.reason) {
    // Nobody looked at the context: new tokens are counted on, or asking would hold off the next one.
    case 'no_natural_boundary': {
      const { percent_remaining } = attribution;
      const last_skip = { percent_remaining, signals: state.signals };
      return { running: null, compactions, last_skip };
    }
    case 'too_few_tokens':
      return { running: null, compactions };
    // No failures: nothing was tried.
    case 'below_threshold':
    case 'compaction_disabled':
      return { ...ENDED, compactions };
    case 'nothing_to_compact':
    case 'not_effective':
    case 'would_not_shrink':
    case 'irreducible_floor':
      return {
        ...ENDED,
        failures: trigger === 'auto' ? state.failures + 1 : state.failures,
        compactions,
      };
    default:
      return data.reason satisfies never;
  }
}

/** An attempt failed; the compaction ends with it unless another follows (SPEC section 10). */
export function failed(state: State, data: EventData['compaction.failed']): Partial<State> {
  const current = running(state, data.compaction_id);
  if (data.will_retry) return { running: { ...current, status: 'queued' } };
  return {
    ...ENDED,
    failures: current.trigger === 'auto' ? state.failures + 1 : state.failures,
    compactions: counted(state, 'failed'),
  };
}

function counted(state: State, kind: keyof State['compactions']): State['compactions'] {
  return { ...state.compactions, [kind]: state.compactions[kind] + 1 };
}

/** The compaction under way. Throws when it is another one, which only a damaged log can cause. */
export function running(state: State, compactionId: string): Running {
  if (state.running?.id !== compactionId) {
    throw new Error(`compaction ${compactionId} is not the one under way`);
  }
  return state.running;
}
