import { isJsonObject, type JsonObject } from '../domain/json.ts';
import { plainAttribution } from '../domain/policy/attribution.ts';
import { BASE_CONFIG } from '../domain/policy/profiles.ts';
import type { EventType } from '../domain/session/events.ts';

/**
 * Event data of schema version 2, or of the first days of version 3, in today's shape: what the
 * configuration did not have yet was as in BASE_CONFIG, and no summary was checked for what it keeps.
 */
export function withWholeConfig(type: EventType, data: JsonObject): JsonObject {
  return type === 'compaction.started' && isJsonObject(data.config)
    ? { ...data, config: { ...BASE_CONFIG, retention_check: 'off', ...data.config } }
    : data;
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
      return withWholeConfig(type, data);
  }
}

function reportOf(report: JsonObject): JsonObject {
  const usage = isJsonObject(report.usage)
    ? { ...report.usage, cache_creation: 0 }
    : (report.usage ?? null);
  return { ...report, is_still_due: false, truncated_turns: 0, usage };
}
