import type { EventData, EventOf, Trigger } from './events.ts';
import type { Proposal, Running, State } from './head.ts';
import { pinOf } from './pins.ts';
import { type ResultEdit, savedBy } from './result-edits.ts';

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
      propose: data.propose ?? false,
    },
    // What a request rests on is used up by it, or the same boundary would compact for ever.
    signals: attribution.boundaries.length > 0 ? [] : state.signals,
    packet_request: null,
    preflight: null,
  };
}

/** Common to all ends of a compaction. */
const OVER = { running: null, superseded: [] };
/** Common to all ends of a compaction that somebody has looked at. */
const ENDED = { ...OVER, tokens_since_compaction: 0 };

/** An end without a result; for a proposal nothing was looked at that would hold off a compaction. */
export function endOf({ propose }: Running): Partial<State> {
  return propose ? OVER : ENDED;
}

/** The candidate stands beside the context, which is as it was (SPEC section 20). */
export function proposed(state: State, compactionId: string): Partial<State> {
  const { id, trigger } = running(state, compactionId);
  return { ...OVER, proposals: [...state.proposals, { id, trigger }] };
}

export function without(proposals: readonly Proposal[], compactionId: string): Proposal[] {
  return proposals.filter(({ id }) => id !== compactionId);
}

/** Results became smaller; where the context begins stays as it was (SPEC section 7). */
export function microCompleted(
  state: State,
  event: EventOf<'compaction.micro_completed'>,
): Partial<State> {
  const { compaction_id } = event.data;
  const { trigger } = completing(state, compaction_id);
  return {
    ...ENDED,
    proposals: without(state.proposals, compaction_id),
    tokens: state.tokens - savedBy(stillThere(state, event.data.edits)),
    failures: failuresAfter(state, trigger, event.data),
    compactions: counted(state, 'micro'),
  };
}

/** A full or remote compaction is the one in force from here on (SPEC section 8). */
export function completed(state: State, event: EventOf<'compaction.completed'>): Partial<State> {
  const { compaction_id, through, report, mode, edits = [] } = event.data;
  const { trigger } = completing(state, compaction_id);
  return {
    ...ENDED,
    proposals: without(state.proposals, compaction_id),
    tokens:
      state.tokens -
      (report.covered_tokens - supersededTokens(state, through)) +
      report.replacement_tokens -
      savedBy(stillThere(state, edits)),
    base: { compaction_id, version: event.version, through },
    failures: failuresAfter(state, trigger, report),
    messages: 0,
    compactions: counted(state, mode),
  };
}

/** What a compaction has covered that stands in the context no more, in tokens without margin. */
function supersededTokens({ superseded }: State, through: number): number {
  return superseded.reduce((sum, { seq, tokens }) => (seq <= through ? sum + tokens : sum), 0);
}

/** Not those of items that were taken back or pinned meanwhile. */
function stillThere({ superseded, pins }: State, edits: readonly ResultEdit[]): ResultEdit[] {
  return edits.filter(
    (edit) => superseded.every(({ seq }) => seq !== edit.seq) && pinOf(pins, edit.seq) === null,
  );
}

/** The client has compacted its history itself: the context is what it has made of it (SPEC 2, 22). */
export function observedCompaction(event: EventOf<'compaction.observed'>): Partial<State> {
  const { version, data } = event;
  return {
    tokens: data.tokens_after,
    tokens_since_compaction: 0,
    base: { compaction_id: null, version, through: data.through },
    messages: 0,
    told: null,
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
  const current = running(state, data.compaction_id);
  const { trigger, attribution } = current;
  const compactions = counted(state, 'skipped');
  switch (data.reason) {
    // Nobody looked at the context: new tokens are counted on, or asking would hold off the next one.
    case 'no_natural_boundary': {
      const { percent_remaining } = attribution;
      const last_skip = { percent_remaining, signals: state.signals };
      return { ...OVER, compactions, last_skip };
    }
    case 'too_few_tokens':
      return { ...OVER, compactions };
    // No failures: nothing was tried.
    case 'below_threshold':
    case 'compaction_disabled':
    case 'not_worth_it':
      return { ...endOf(current), compactions };
    case 'nothing_to_compact':
    case 'not_effective':
    case 'would_not_shrink':
    case 'irreducible_floor':
      return {
        ...endOf(current),
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
    ...endOf(current),
    failures: current.trigger === 'auto' ? state.failures + 1 : state.failures,
    compactions: counted(state, 'failed'),
  };
}

function counted(state: State, kind: keyof State['compactions']): State['compactions'] {
  return { ...state.compactions, [kind]: state.compactions[kind] + 1 };
}

/** What is completed: the compaction under way, or a proposal that is applied. Throws as `running`. */
function completing(state: State, compactionId: string): Pick<Running, 'trigger'> {
  const proposal = state.proposals.find(({ id }) => id === compactionId);
  return proposal !== undefined && state.running === null ? proposal : running(state, compactionId);
}

/** The compaction under way. Throws when it is another one, which only a damaged log can cause. */
export function running(state: State, compactionId: string): Running {
  if (state.running?.id !== compactionId) {
    throw new Error(`compaction ${compactionId} is not the one under way`);
  }
  return state.running;
}
