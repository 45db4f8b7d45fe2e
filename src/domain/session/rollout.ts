import type { Usage } from '../items/item.ts';
import type { JsonObject } from '../json.ts';
import type { Candidate, EventData, EventOf, EventType, SessionEvent } from './events.ts';
import { isPaid, usageOfFailures } from './summarizer-usage.ts';

/**
 * One line of the audit trail (SPEC section 14). `ordinal` is the version of the event that it comes
 * from.
 */
export type RolloutRecord = {
  timestamp: string;
  ordinal: number;
  type: 'session_meta' | 'response_item' | 'event_msg' | 'compacted';
  payload: JsonObject;
};

type Request = EventData['compaction.requested'];

/** What has led to an end. */
type Course = { request: Request | null; failures: SessionEvent[] };

const ENDS_PROPOSAL: ReadonlySet<EventType> = new Set([
  'compaction.completed',
  'compaction.micro_completed',
  'compaction.discarded',
]);

/**
 * Makes the function that writes the audit trail of a session: given all its events in order, it
 * answers the records of each; none for events that the trail has no line for (requests, attempts,
 * retries, settings, signals, packets, hooks): `GET …/events` has them all.
 */
export function rolloutWriter(sessionId: string): (event: SessionEvent) => RolloutRecord[] {
  // One compaction is under way at a time, so what ends is what was requested last, or a proposal.
  let last: Course = { request: null, failures: [] };
  const proposals = new Map<string, Course>();
  return (event) => {
    if (event.type === 'compaction.requested') last = { request: event.data, failures: [] };
    if (event.type === 'compaction.failed') last.failures.push(event);
    const id = 'compaction_id' in event.data ? event.data.compaction_id : '';
    const { request, failures } = proposals.get(id) ?? last;
    if (event.type === 'compaction.proposed') proposals.set(id, last);
    else if (ENDS_PROPOSAL.has(event.type)) proposals.delete(id);
    return recordsOf(sessionId, event, request, usageOfFailures(failures));
  };
}

function recordsOf(
  sessionId: string,
  event: SessionEvent,
  request: Request | null,
  paid: Usage,
): RolloutRecord[] {
  const record = (type: RolloutRecord['type'], payload: JsonObject): RolloutRecord => ({
    timestamp: event.at,
    ordinal: event.version,
    type,
    payload,
  });
  const message = (type: string, fields: JsonObject = {}) =>
    record('event_msg', { type, ...fields });
  switch (event.type) {
    case 'session.created':
      return [
        record('session_meta', sessionMeta(sessionId, event)),
        ...event.data.initial_context.map(({ item }) => record('response_item', item)),
      ];
    case 'session.forked': {
      const { parent_session_id, parent_version, entries } = event.data;
      const meta = record('session_meta', {
        id: sessionId,
        forked_from: { id: parent_session_id, version: parent_version },
      });
      if (entries.length === 0) return [meta];
      // Nothing was compacted here: the boundary among the items says how they came about.
      return [meta, record('compacted', replacement('', null, event.version, entries))];
    }
    case 'item.appended':
      // Whoever rebuilds the context from the items must not find a command among them.
      return event.data.excluded === undefined
        ? [record('response_item', event.data.item)]
        : [message('CompactCommand', { item: event.data.item })];
    case 'compaction.micro_completed': {
      const { edits, ...micro } = event.data;
      return [
        message('MicroCompactCompleted', {
          tools_compacted: edits.length,
          tokens_saved: micro.tokens_saved,
          result_tokens_before: micro.result_tokens_before,
          result_tokens_after: micro.result_tokens_after,
          duration_ms: micro.duration_ms,
          ...(isPaid(paid) && usageFields(paid)),
        }),
      ];
    }
    case 'compaction.completed': {
      const { summary_text, through, entries } = event.data;
      return [
        record('compacted', replacement(summary_text, request, through, entries)),
        message('ContextCompacted'),
        message('CompactCompleted', completedFields(event.data)),
      ];
    }
    case 'compaction.proposed': {
      const { compaction_id, candidate } = event.data;
      return [message('CompactProposed', { compaction_id, ...proposedFields(candidate, paid) })];
    }
    case 'compaction.discarded': {
      const { compaction_id, superseded_by } = event.data;
      return [message('CompactDiscarded', { compaction_id, superseded_by })];
    }
    case 'compaction.observed': {
      const { summary_text, through, entries } = event.data;
      const made = replacement(summary_text, null, through, entries);
      return [record('compacted', { ...made, trigger: { type: 'client' } })];
    }
    case 'item.superseded':
      return [message('ItemsSuperseded', { ordinals: event.data.items.map(({ seq }) => seq) })];
    case 'pin.added':
      return [message('PinAdded', { pin_id: event.data.pin_id, seq: event.data.seq })];
    case 'pin.removed':
      return [message('PinRemoved', { pin_id: event.data.pin_id })];
    case 'compaction.failed': {
      const { reason, message: error_message, will_retry } = event.data;
      if (will_retry) return [];
      const fields = { reason, error_message, ...(isPaid(paid) && usageFields(paid)) };
      return [message('CompactFailed', fields)];
    }
    case 'compaction.cancelled': {
      const cost = isPaid(paid) && usageFields(paid);
      const error_message = 'the compaction was cancelled';
      return [message('CompactFailed', { reason: 'interrupted', error_message, ...cost })];
    }
    case 'compaction.threshold_exceeded': {
      const { post_compact_tokens, threshold } = event.data;
      return [message('CompactThresholdExceeded', { post_compact_tokens, threshold })];
    }
    case 'compaction.reverted':
      return [message('CompactReverted', { compaction_id: event.data.compaction_id })];
    case 'session.configured':
    case 'signal.observed':
    case 'packet.requested':
    case 'packet.received':
    case 'preflight.armed':
    case 'hook.ran':
    case 'compaction.requested':
    case 'compaction.started':
    case 'compaction.skipped':
    case 'breaker.opened':
    case 'breaker.closed':
    case 'turn.bypassed':
      return [];
    default:
      return event satisfies never;
  }
}

function sessionMeta(sessionId: string, event: EventOf<'session.created'>): JsonObject {
  const { format, profile, model, context_window, metadata } = event.data;
  return { id: sessionId, timestamp: event.at, format, profile, model, context_window, metadata };
}

/**
 * What stands in place of everything up to the record with ordinal `through`; records after that one
 * stay, also those that were written before this record.
 */
function replacement(
  summary: string,
  request: Request | null,
  through: number,
  entries: EventData['compaction.completed']['entries'],
): JsonObject {
  const replacement_history = entries.map(({ item }) => item);
  const trigger = request && { type: triggerType(request), ...request.attribution };
  return { message: summary, trigger, through, replacement_history };
}

/** The tiers of section 11 have a name of their own, whichever of their ways led to the request. */
function triggerType({ trigger, attribution }: Request): Request['trigger'] | 'auto_watcher' {
  switch (attribution.path) {
    case 'mid_turn':
    case 'turn_complete':
    case 'preflight':
      return 'auto_watcher';
    case 'append':
    case 'command':
    case 'request':
      return trigger;
    default:
      return attribution.path satisfies never;
  }
}

function proposedFields(candidate: Candidate, paid: Usage): JsonObject {
  switch (candidate.type) {
    case 'compaction.micro_completed': {
      const { tokens_before: pre_compact_tokens, tokens_after, duration_ms } = candidate.data;
      const figures = { pre_compact_tokens, post_compact_tokens: tokens_after, duration_ms };
      return { strategy: 'micro', ...figures, ...(isPaid(paid) && usageFields(paid)) };
    }
    case 'compaction.completed':
      return completedFields(candidate.data);
    default:
      return candidate satisfies never;
  }
}

function completedFields({
  report,
  mode,
}: Pick<EventData['compaction.completed'], 'report' | 'mode'>): JsonObject {
  return {
    pre_compact_tokens: report.tokens_before,
    post_compact_tokens: report.tokens_after,
    ...usageFields(report.usage),
    files_restored: report.files_restored,
    duration_ms: report.duration_ms,
    strategy: mode,
  };
}

function usageFields({ input, output, cache_read, cache_creation }: Usage): JsonObject {
  return {
    compaction_input_tokens: input,
    compaction_output_tokens: output,
    compaction_cache_read_tokens: cache_read,
    compaction_cache_creation_tokens: cache_creation,
    compaction_total_tokens: input + output + cache_read + cache_creation,
  };
}
