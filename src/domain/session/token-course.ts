import { sumOfTokens } from './entry.ts';
import type { SessionEvent } from './events.ts';

/** The size of a context after the event of a version; tokens as the service reckons with them. */
export type CoursePoint = { version: number; tokens: number };

/** What an event does to the size: how it grows, or what it is from then on (`before`: until then). */
type Step =
  | { kind: 'grows'; by: number }
  | { kind: 'is'; tokens: number; before: number | null }
  | null;

/**
 * How large the context was after each of some successive events, oldest first, that end with a known
 * size. Where a provider or a compaction has said how large it is, the course goes through that; `margin`
 * is the factor by which estimates are taken to be larger. What came before a revert whose context is
 * not known is left out.
 */
export function tokenCourse(
  events: readonly SessionEvent[],
  end: CoursePoint,
  margin: number,
): CoursePoint[] {
  const steps = events.map((event) => ({ version: event.version, step: stepOf(event, margin) }));
  const points: CoursePoint[] = [];
  let tokens = beforeFirst(steps, end);
  for (const { version, step } of steps) {
    if (step?.kind === 'is') {
      if (step.before !== null && step.before !== tokens) {
        points.push({ version: version - 1, tokens: step.before });
      }
      tokens = step.tokens;
    } else if (step !== null && tokens !== null) tokens = Math.max(0, tokens + step.by);
    if (tokens !== null && step !== null) points.push({ version, tokens: Math.round(tokens) });
  }
  const last = points.at(-1);
  if (last?.version === end.version) last.tokens = end.tokens;
  else points.push(end);
  return points.filter(({ version }, index) => version >= (points[index - 1]?.version ?? 0));
}

/** The size before the first event: back from the first that says one. */
function beforeFirst(
  steps: readonly { version: number; step: Step }[],
  end: CoursePoint,
): number | null {
  let grown = 0;
  for (const { step } of steps) {
    if (step?.kind === 'is') return step.before === null ? null : Math.max(0, step.before - grown);
    if (step !== null) grown += step.by;
  }
  return Math.max(0, end.tokens - grown);
}

function stepOf(event: SessionEvent, margin: number): Step {
  switch (event.type) {
    case 'session.created':
      return { kind: 'is', tokens: margin * sumOfTokens(event.data.initial_context), before: 0 };
    case 'session.forked':
      return { kind: 'is', tokens: margin * sumOfTokens(event.data.entries), before: null };
    case 'item.appended': {
      const { tokens, usage, excluded } = event.data;
      if (excluded !== undefined) return null;
      if (usage !== undefined) return { kind: 'is', tokens: usage, before: null };
      return { kind: 'grows', by: margin * tokens };
    }
    case 'item.superseded':
      return { kind: 'grows', by: -margin * sumOfTokens(event.data.items) };
    case 'pin.added':
    case 'pin.removed':
      return { kind: 'grows', by: margin * event.data.tokens_change };
    case 'compaction.micro_completed': {
      const { tokens_before, tokens_after } = event.data;
      return { kind: 'is', tokens: tokens_after, before: tokens_before };
    }
    case 'compaction.completed': {
      const { tokens_before, tokens_after } = event.data.report;
      return { kind: 'is', tokens: tokens_after, before: tokens_before };
    }
    case 'compaction.observed': {
      const { tokens_before, tokens_after } = event.data;
      return { kind: 'is', tokens: margin * tokens_after, before: margin * tokens_before };
    }
    case 'compaction.reverted':
      return { kind: 'is', tokens: margin * event.data.tokens, before: null };
    default:
      return null;
  }
}
