import type { Item } from '../items/item.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { EventData, EventOf, SessionEvent } from './events.ts';

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

/**
 * The records of one event, in order; none for events that the audit trail has no line for (requests,
 * attempts, retries, settings): `GET …/events` has them all.
 */
export function rolloutRecords(sessionId: string, event: SessionEvent): RolloutRecord[] {
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
      return [meta, record('compacted', replacement('', event.version, entries))];
    }
    case 'item.appended':
      return [record('response_item', event.data.item)];
    case 'compaction.micro_completed': {
      const { edits, tokens_saved, duration_ms } = event.data;
      return [
        message('MicroCompactCompleted', {
          tools_compacted: edits.length,
          tokens_saved,
          duration_ms,
        }),
      ];
    }
    case 'compaction.completed': {
      const { summary_text, through, entries } = event.data;
      return [
        record('compacted', replacement(summary_text, through, entries)),
        message('ContextCompacted'),
        message('CompactCompleted', completedFields(event.data)),
      ];
    }
    case 'compaction.failed': {
      const { reason, message: error_message, will_retry } = event.data;
      return will_retry ? [] : [message('CompactFailed', { reason, error_message })];
    }
    case 'compaction.threshold_exceeded': {
      const { post_compact_tokens, threshold } = event.data;
      return [message('CompactThresholdExceeded', { post_compact_tokens, threshold })];
    }
    case 'compaction.reverted':
      return [message('CompactReverted', { compaction_id: event.data.compaction_id })];
    case 'session.configured':
    case 'compaction.requested':
    case 'compaction.started':
    case 'compaction.skipped':
    case 'compaction.cancelled':
    case 'breaker.opened':
    case 'breaker.closed':
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
 * What stands in place of everything up to the record with ordinal `through`; records behind that one
 * stay, also those that were written before this record.
 */
function replacement(
  summary: string,
  through: number,
  entries: EventData['compaction.completed']['entries'],
): JsonObject {
  const items = entries.map(({ item }) => item);
  return { message: summary, trigger: triggerOf(items), through, replacement_history: items };
}

/** The boundary says what the compaction was triggered by; a fork of an untouched context has none. */
function triggerOf(items: readonly Item[]): Json {
  for (const { compact_metadata } of items) {
    if (isJsonObject(compact_metadata) && compact_metadata.trigger !== undefined) {
      return compact_metadata.trigger;
    }
  }
  return null;
}

function completedFields({ report }: EventData['compaction.completed']): JsonObject {
  return {
    pre_compact_tokens: report.tokens_before,
    post_compact_tokens: report.tokens_after,
    compaction_input_tokens: report.usage.input,
    compaction_output_tokens: report.usage.output,
    files_restored: report.files_restored,
    duration_ms: report.duration_ms,
    strategy: 'full',
  };
}
