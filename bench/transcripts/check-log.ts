import type { SessionEvent } from '../../src/domain/session/events.ts';
import type { CompactionEvent } from './session-log.ts';

/** The ids of compactions that did not end exactly once (SPEC section 18, rule 5), in sentences. */
export function terminalProblems(events: readonly CompactionEvent[]): string[] {
  const ended = new Map<string, number>();
  for (const event of events) {
    if (event.type === 'compaction.requested') {
      ended.set(event.data.compaction_id, ended.get(event.data.compaction_id) ?? 0);
    }
    const id = endedCompaction(event);
    if (id !== null) ended.set(id, (ended.get(id) ?? 0) + 1);
  }
  return [...ended]
    .filter(([, count]) => count !== 1)
    .map(([id, count]) => `compaction ${id} has ${count} terminal events`);
}

/** The id of the compaction that an event ends, else null. */
export function endedCompaction(event: SessionEvent): string | null {
  switch (event.type) {
    case 'compaction.failed':
      return event.data.will_retry ? null : event.data.compaction_id;
    case 'compaction.micro_completed':
    case 'compaction.completed':
    case 'compaction.skipped':
    case 'compaction.cancelled':
      return event.data.compaction_id;
    default:
      return null;
  }
}

/** Compactions that made their context larger (rule 7), and attempts that failed. */
export function effectProblems(events: readonly CompactionEvent[]): string[] {
  return events.flatMap((event) => {
    switch (event.type) {
      case 'compaction.micro_completed': {
        const { tokens_before, tokens_after } = event.data;
        return tokens_after < tokens_before ? [] : [grown(event.version)];
      }
      case 'compaction.completed': {
        const { tokens_before, tokens_after } = event.data.report;
        return tokens_after < tokens_before ? [] : [grown(event.version)];
      }
      case 'compaction.failed':
        return [`an attempt failed: ${event.data.reason}: ${event.data.message}`];
      default:
        return [];
    }
  });
}

function grown(version: number): string {
  return `the compaction at version ${version} did not make the context smaller`;
}

/**
 * Whether the last compaction left the context at or above its threshold (tokens) without a word
 * about it in the log. Null: nothing was compacted, it is below, or the log says why.
 */
export function unexplainedExcess(
  events: readonly CompactionEvent[],
  threshold: number,
): string | null {
  const last = events.findLast((event) => endedCompaction(event) !== null);
  const after = last === undefined ? null : tokensAfter(last);
  if (last === undefined || after === null || after < threshold) return null;
  const id = endedCompaction(last);
  const isExplained = events.some(
    (event) => event.type === 'compaction.threshold_exceeded' && event.data.compaction_id === id,
  );
  if (isExplained) return null;
  return `${after} tokens after the compaction at version ${last.version}, threshold ${threshold}`;
}

/** Null for an end that changed nothing: its own event says why. */
function tokensAfter(event: SessionEvent): number | null {
  switch (event.type) {
    case 'compaction.micro_completed':
      return event.data.tokens_after;
    case 'compaction.completed':
      return event.data.report.tokens_after;
    default:
      return null;
  }
}
