import type { CompactionOutcome, CompactionRow } from '../app/ports/event-store.ts';
import type { SessionEvent } from '../domain/session/events.ts';

/** The compaction that an event belongs to, or null. */
export function compactionIdOf(event: SessionEvent): string | null {
  return 'compaction_id' in event.data ? event.data.compaction_id : null;
}

/**
 * The row of a compaction after one more of its events; null before its request. Used when events
 * are written and when projections are rebuilt (SPEC section 3).
 */
export function projectCompaction(
  row: CompactionRow | null,
  event: SessionEvent,
): CompactionRow | null {
  if (event.type === 'compaction.requested') return requested(event);
  if (row === null) return null;
  switch (event.type) {
    case 'compaction.started':
      return { ...row, status: 'running', attempts: event.data.attempt };
    case 'compaction.micro_completed': {
      const { tokens_before, tokens_after } = event.data;
      return ended({ ...row, tokens_before, tokens_after }, event, 'micro_compacted', null);
    }
    case 'compaction.completed': {
      const { tokens_before, tokens_after } = event.data.report;
      const outcome = OUTCOMES[event.data.mode];
      return ended({ ...row, tokens_before, tokens_after }, event, outcome, null);
    }
    case 'compaction.skipped': {
      const { reason } = event.data;
      const isNeeded = reason !== 'below_threshold' && reason !== 'too_few_tokens';
      const outcome = isNeeded ? 'skipped' : 'not_needed';
      return ended(row, event, outcome, reason);
    }
    case 'compaction.failed':
      return event.data.will_retry
        ? { ...row, status: 'queued' }
        : ended(row, event, 'failed', event.data.reason);
    case 'compaction.cancelled':
      return ended(row, event, 'cancelled', null);
    case 'compaction.reverted':
      return { ...row, reverted_at: event.at };
    case 'compaction.threshold_exceeded':
    case 'session.created':
    case 'session.configured':
    case 'session.forked':
    case 'item.appended':
    case 'signal.observed':
    case 'packet.requested':
    case 'packet.received':
    case 'preflight.armed':
    case 'hook.ran':
    case 'breaker.opened':
    case 'breaker.closed':
      return row;
    default:
      return event satisfies never;
  }
}

const OUTCOMES = { full: 'full_compacted', remote: 'remote_compacted' } as const;

function requested(event: Extract<SessionEvent, { type: 'compaction.requested' }>): CompactionRow {
  return {
    id: event.data.compaction_id,
    status: 'queued',
    outcome: null,
    mode: event.data.mode,
    trigger: event.data.trigger,
    reason: event.data.reason,
    outcome_reason: null,
    attempts: 0,
    tokens_before: null,
    tokens_after: null,
    requested_at: event.at,
    ended_at: null,
    reverted_at: null,
    requested_version: event.version,
    ended_version: null,
  };
}

function ended(
  row: CompactionRow,
  event: SessionEvent,
  outcome: CompactionOutcome,
  outcomeReason: string | null,
): CompactionRow {
  return {
    ...row,
    status: 'ended',
    outcome,
    outcome_reason: outcomeReason,
    ended_at: event.at,
    ended_version: event.version,
  };
}
