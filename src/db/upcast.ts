import { isJsonObject, type JsonObject } from '../domain/json.ts';
import { LEDGER_VERSION } from '../domain/ledger/ledger.ts';
import { plainAttribution } from '../domain/policy/attribution.ts';
import { BASE_CONFIG } from '../domain/policy/profiles.ts';
import type { EventType } from '../domain/session/events.ts';

/**
 * Event data of schema version 2, or of the first days of version 3, in today's shape: what the
 * configuration did not have yet was as in BASE_CONFIG, no summary was checked for what it keeps, and a
 * ledger of an older version is not used.
 */
export function completed(type: EventType, data: JsonObject): JsonObject {
  switch (type) {
    case 'compaction.started':
      return isJsonObject(data.config)
        ? { ...data, config: { ...BASE_CONFIG, retention_check: 'off', ...data.config } }
        : data;
    case 'compaction.completed':
    case 'session.forked':
      return withKnownLedger(data);
    case 'compaction.proposed': {
      const { candidate } = data;
      if (!isJsonObject(candidate) || !isJsonObject(candidate.data)) return data;
      return { ...data, candidate: { ...candidate, data: withKnownLedger(candidate.data) } };
    }
    default:
      return data;
  }
}

/** Without a ledger of other rules or another shape: the next compaction folds it anew from the log. */
function withKnownLedger(data: JsonObject): JsonObject {
  const { ledger, ...rest } = data;
  if (ledger === undefined) return data;
  return isJsonObject(ledger) && ledger.version === LEDGER_VERSION ? data : rest;
}

/**
 * Event data of schema version 1 in the shape of version 3: compactions were asked for by the
 * threshold or by hand only.
 */
export function fromVersion1(type: EventType, data: JsonObject): JsonObject {
  switch (type) {
    case 'compaction.requested': {
      const path = data.trigger === 'auto' ? 'append' : 'request';
      return { ...data, attribution: plainAttribution(path) };
    }
    case 'compaction.micro_completed':
      // Totals were not recorded; what was saved is known.
      return {
        ...data,
        result_tokens_before: data.tokens_saved ?? 0,
        result_tokens_after: 0,
        is_still_due: false,
      };
    case 'compaction.completed':
      return isJsonObject(data.report) ? { ...data, report: reportOf(data.report) } : data;
    default:
      return completed(type, data);
  }
}

function reportOf(report: JsonObject): JsonObject {
  const usage = isJsonObject(report.usage)
    ? { ...report.usage, cache_creation: 0 }
    : (report.usage ?? null);
  return { ...report, is_still_due: false, truncated_turns: 0, usage };
}
