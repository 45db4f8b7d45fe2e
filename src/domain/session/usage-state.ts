import { type CompletedReport, changesContext, type SessionEvent } from './events.ts';

/** What is known of the provider's own token count; a part of the head, and of a view. */
export type UsageState = {
  /** Context tokens that the newest usable message reported, null when there is none. */
  usage: number | null;
  /** Estimate without margin of everything after that message. */
  tokens_since_usage: number;
  /**
   * After a compaction: the first usage of at least this many tokens belongs to a model call that was
   * under way when the context was compacted, and says nothing about the present one.
   */
  stale_usage_from: number | null;
};

export const NO_USAGE: UsageState = { usage: null, tokens_since_usage: 0, stale_usage_from: null };

/** What the provider counts and what we estimate differ by some percent. */
const STALE_SHARE = 0.9;

/**
 * The usage after one more event. A figure from before a compaction must never be used after it: it
 * would trigger compactions for ever (SPEC section 5).
 */
export function usageAfter(state: UsageState, event: SessionEvent): UsageState {
  if (event.type === 'item.appended') return usageAfterItem(state, event.data);
  if (!changesContext(event)) return state;
  switch (event.type) {
    case 'compaction.micro_completed':
      return compacted(state, event.data);
    case 'compaction.completed':
      return compacted(state, event.data.report);
    case 'pin.added':
    case 'pin.removed':
      return usageAfterPin(state, event.data.tokens_change);
    case 'item.superseded':
    case 'compaction.observed':
    case 'compaction.reverted':
    case 'session.forked':
      return NO_USAGE;
    default:
      return event satisfies never;
  }
}

/** What is added to the context is counted on top; what goes was a part of the figure. */
function usageAfterPin(state: UsageState, tokens: number): UsageState {
  if (tokens < 0) return NO_USAGE;
  return { ...state, tokens_since_usage: state.tokens_since_usage + tokens };
}

function usageAfterItem(state: UsageState, item: { tokens: number; usage?: number }): UsageState {
  if (item.usage === undefined) {
    // Field by field: a spread takes several times as long, for each of thousands of items.
    const { usage, tokens_since_usage, stale_usage_from } = state;
    return { usage, tokens_since_usage: tokens_since_usage + item.tokens, stale_usage_from };
  }
  if (state.stale_usage_from !== null && item.usage >= state.stale_usage_from) {
    return { ...state, stale_usage_from: null };
  }
  return { usage: item.usage, tokens_since_usage: 0, stale_usage_from: null };
}

function compacted(
  { usage }: UsageState,
  report: Pick<CompletedReport, 'tokens_before' | 'tokens_after' | 'is_before_reported'>,
): UsageState {
  // A view that begins with this event knows nothing of what was reported before: the event says it.
  const {
    tokens_before: before,
    tokens_after: after,
    is_before_reported = usage !== null,
  } = report;
  const reported = before * STALE_SHARE;
  // An estimate has a margin, and providers may count much less: what is nearer to it than to what is left.
  const from = is_before_reported ? reported : Math.min(reported, (before + after) / 2);
  return { ...NO_USAGE, stale_usage_from: Math.floor(from) };
}
