import {
  type CompactionOutcome,
  type CompactionRow,
  compactionRowSchema,
  type DiscardReason,
  type PendingCompaction,
  type SessionRef,
} from '../app/ports/event-store.ts';
import type { Candidate, SessionEvent } from '../domain/session/events.ts';
import { costAfter, NO_COST, recordedCostSchema } from '../domain/session/recorded-cost.ts';

export const COMPACTION_FIELDS: readonly string[] = Object.keys(compactionRowSchema.shape);
export const COMPACTION_COLUMNS = COMPACTION_FIELDS.map((name) => `"${name}"`).join(', ');
/** For `ON CONFLICT … DO UPDATE SET`. */
export const REPLACED_COLUMNS = COMPACTION_FIELDS.map((name) => `"${name}" = excluded."${name}"`);

type CompactionEvent = Extract<SessionEvent, { data: { compaction_id: string } }>;

/** The compactions that the events change, each once. */
export function compactionIdsOf(events: readonly SessionEvent[]): string[] {
  return [...new Set(events.filter(isOfCompaction).map(({ data }) => data.compaction_id))];
}

export type PendingRow = SessionRef & { id: string; requested_at: string };

export function pendingOf({ id, requested_at, ...ref }: PendingRow): PendingCompaction {
  return { ref, compaction_id: id, requested_at };
}

/** Changes the rows of a session's compactions, by their ids, as its next event does. */
export function project(rows: Map<string, CompactionRow>, event: SessionEvent): void {
  if (!isOfCompaction(event)) return;
  const row = projectCompaction(rows.get(event.data.compaction_id) ?? null, event);
  if (row !== null) rows.set(row.id, row);
}

function isOfCompaction(event: SessionEvent): event is CompactionEvent {
  return 'compaction_id' in event.data;
}

/** The row of a compaction after one more of its events; null before its request (SPEC section 3). */
function projectCompaction(
  row: CompactionRow | null,
  event: CompactionEvent,
): CompactionRow | null {
  if (event.type === 'compaction.requested') return requested(event);
  if (row === null) return null;
  switch (event.type) {
    case 'compaction.started':
      return { ...row, status: 'running', attempts: event.data.attempt };
    case 'compaction.micro_completed': {
      const { tokens_before, tokens_after } = event.data;
      const compacted = { ...row, tokens_before, tokens_after, cost: costOf(row, event) };
      return ended(compacted, event, 'micro_compacted', null);
    }
    case 'compaction.completed': {
      const { tokens_before, tokens_after } = event.data.report;
      const outcome = OUTCOMES[event.data.mode];
      const compacted = { ...row, tokens_before, tokens_after, cost: costOf(row, event) };
      return ended(compacted, event, outcome, null);
    }
    case 'compaction.proposed': {
      const { tokens_before, tokens_after } = figuresOf(event.data.candidate);
      const proposed = { ...row, tokens_before, tokens_after, cost: costOf(row, event) };
      return ended(proposed, event, 'proposed', null);
    }
    case 'compaction.discarded': {
      const why: DiscardReason = event.data.superseded_by === null ? 'requested' : 'superseded';
      return { ...row, outcome: 'discarded', outcome_reason: why };
    }
    case 'compaction.skipped': {
      const { reason } = event.data;
      const isNeeded = reason !== 'below_threshold' && reason !== 'too_few_tokens';
      const outcome = isNeeded ? 'skipped' : 'not_needed';
      return ended({ ...row, cost: costOf(row, event) }, event, outcome, reason);
    }
    case 'compaction.failed': {
      const after = { ...row, cost: costOf(row, event) };
      return event.data.will_retry
        ? { ...after, status: 'queued' }
        : ended(after, event, 'failed', event.data.reason);
    }
    case 'compaction.cancelled':
      return ended(row, event, 'cancelled', null);
    case 'compaction.reverted':
      return { ...row, reverted_at: event.at };
    case 'compaction.threshold_exceeded':
    case 'hook.ran':
      return row;
    default:
      return event satisfies never;
  }
}

function costOf({ cost }: CompactionRow, event: Parameters<typeof costAfter>[1]): string {
  return JSON.stringify(costAfter(recordedCostSchema.parse(JSON.parse(cost)), event));
}

function figuresOf(candidate: Candidate): { tokens_before: number; tokens_after: number } {
  return candidate.type === 'compaction.completed' ? candidate.data.report : candidate.data;
}

const OUTCOMES = { full: 'full_compacted', remote: 'remote_compacted' } as const;

function requested(
  event: Extract<CompactionEvent, { type: 'compaction.requested' }>,
): CompactionRow {
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
    cost: JSON.stringify(NO_COST),
  };
}

function ended(
  row: CompactionRow,
  event: CompactionEvent,
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
