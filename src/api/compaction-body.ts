import type { z } from '@hono/zod-openapi';
import type { CompactionRow, EventStore, SessionRef } from '../db/event-store.ts';
import type { Entry } from '../domain/context/entry.ts';
import type { EventData, EventType, SessionEvent } from '../domain/session/events.ts';
import { ProblemError } from './problem.ts';
import type { compaction, compactionDetail } from './schemas/compaction.ts';

type Body = z.infer<typeof compaction>;
type Detail = z.infer<typeof compactionDetail>;

const OWN_EVENTS = [
  'compaction.requested',
  'compaction.started',
  'compaction.micro_completed',
  'compaction.completed',
  'compaction.skipped',
  'compaction.failed',
  'compaction.threshold_exceeded',
] as const satisfies readonly EventType[];

/** How far behind its last event a compaction's own report may stand: it is written with it. */
const REPORT_EVENTS = 2;

/** Throws ProblemError (404) when the session has no such compaction. */
export async function existingCompaction(
  store: EventStore,
  ref: SessionRef,
  id: string,
): Promise<CompactionRow> {
  const row = await store.compaction(ref, id);
  if (row !== null) return row;
  throw new ProblemError(
    'compaction_not_found',
    'the session has no compaction with this id: GET …/compactions lists those it has',
  );
}

export function compactionBody(ref: SessionRef, row: CompactionRow): Body {
  return { session_id: ref.session_id, ...row };
}

/** The events that a compaction wrote itself, oldest first; not its revert. */
export async function ownEvents(
  store: EventStore,
  ref: SessionRef,
  row: CompactionRow,
): Promise<SessionEvent[]> {
  const events = await store.events(ref, {
    types: OWN_EVENTS,
    after: row.requested_version - 1,
    ...(row.ended_version === null ? {} : { up_to: row.ended_version + REPORT_EVENTS }),
  });
  return events.filter(
    (event) => 'compaction_id' in event.data && event.data.compaction_id === row.id,
  );
}

/** One compaction in full, from its row and its own events (SPEC section 2). */
export function detailBody(
  ref: SessionRef,
  row: CompactionRow,
  events: readonly SessionEvent[],
): Detail {
  const of = <T extends EventType>(type: T): EventData[T] | null => {
    const event = events.findLast((candidate) => candidate.type === type);
    // The type is what narrows the event; TypeScript cannot see that through the generic.
    return event === undefined ? null : (event.data as EventData[T]);
  };
  const requested = of('compaction.requested');
  const micro = of('compaction.micro_completed');
  const completed = of('compaction.completed');
  const skipped = of('compaction.skipped');
  const exceeded = of('compaction.threshold_exceeded');
  return {
    ...compactionBody(ref, row),
    request: {
      mode: row.mode,
      trigger: row.trigger,
      reason: row.reason,
      instructions: requested?.instructions ?? null,
      focus: requested?.focus ?? null,
    },
    attempt_history: attemptHistory(events),
    config: of('compaction.started')?.config ?? null,
    skip: skipped && {
      reason: skipped.reason,
      detail: skipped.detail,
      contributors: skipped.contributors ?? [],
    },
    micro: micro && {
      strategy: micro.strategy,
      tokens_saved: micro.tokens_saved,
      tokens_before: micro.tokens_before,
      tokens_after: micro.tokens_after,
      duration_ms: micro.duration_ms,
    },
    cleared_tool_results: (micro?.edits ?? []).map(editBody),
    ...fullFields(completed),
    threshold_exceeded: exceeded && {
      post_compact_tokens: exceeded.post_compact_tokens,
      threshold: exceeded.threshold,
    },
  };
}

/** An edit of a tool result without the text that it put there. */
export function editBody(edit: EventData['compaction.micro_completed']['edits'][number]) {
  const { content: _content, ...rest } = edit;
  return rest;
}

function attemptHistory(events: readonly SessionEvent[]): Detail['attempt_history'] {
  const attempts: Detail['attempt_history'] = [];
  for (const event of events) {
    if (event.type === 'compaction.started') {
      attempts.push({ attempt: event.data.attempt, started_at: event.at, failure: null });
    } else if (event.type === 'compaction.failed') {
      const { reason, message, will_retry } = event.data;
      const last = attempts.at(-1);
      if (last !== undefined) last.failure = { at: event.at, reason, message, will_retry };
    }
  }
  return attempts;
}

function fullFields(completed: EventData['compaction.completed'] | null) {
  const entries = completed?.entries ?? [];
  const report = completed?.report ?? null;
  return {
    through: completed?.through ?? null,
    boundary: entries.find(({ origin }) => origin === 'boundary')?.item ?? null,
    summary: completed?.summary_text ?? null,
    preserved: entries.filter(({ origin }) => origin === 'preserved').map(({ item }) => item),
    restored: entries.flatMap(restoredEntry),
    tokens: report && { covered: report.covered_tokens, replacement: report.replacement_tokens },
    summarizer: report?.summarizer ?? null,
    model: report?.model ?? null,
    template: report?.template ?? null,
    usage: report?.usage ?? null,
    left_out: report?.left_out ?? null,
    durations: report && { total_ms: report.duration_ms, summarizer_ms: report.summarizer_ms },
  };
}

function restoredEntry({ origin, item, tokens }: Entry): Detail['restored'] {
  if (origin !== 'file' && origin !== 'todo' && origin !== 'plan') return [];
  const { attachment } = item;
  const path =
    typeof attachment === 'object' && attachment !== null && !Array.isArray(attachment)
      ? attachment.path
      : null;
  return [{ kind: origin, path: typeof path === 'string' ? path : null, tokens }];
}
