import type { Usage } from '../domain/items/item.ts';
import type { Skip } from '../domain/session/compaction-commands.ts';
import type { Entry } from '../domain/session/entry.ts';
import {
  COMPACTION_EVENTS,
  type EventData,
  type EventType,
  type SessionEvent,
} from '../domain/session/events.ts';
import { isPaid, usageOfFailures } from '../domain/session/summarizer-usage.ts';
import { hostMessage, waitingNote } from './host-message.ts';
import type { CompactionRow, EventStore, SessionRef } from './ports/event-store.ts';
import { type Ending, toolMessage } from './tool-message.ts';

/** A compaction as lists and answers show it. */
export type Compaction = { session_id: string } & CompactionRow;

/** What a request for a compaction is answered with. */
export type RequestedCompaction = Compaction & { message: string | null };

type CodexCompaction = {
  mode: 'command' | 'auto';
  command: 'codex-compact';
  auto: boolean;
  active: boolean;
  reason?: 'token_limit';
  truncated_turns: number;
};

type Attempt = {
  attempt: number;
  started_at: string;
  failure:
    | (Pick<EventData['compaction.failed'], 'reason' | 'message' | 'will_retry'> & {
        at: string;
        usage: Usage | null;
      })
    | null;
};

/** Its hooks are looked for apart from them. */
const OWN_EVENTS = COMPACTION_EVENTS.filter((type) => type !== 'hook.ran');

/** How far after its last event a compaction's own report may stand: it is written with it. */
const REPORT_EVENTS = 2;
/**
 * More than the hooks of a compaction and of the next one can run: its own, which may come after its
 * end, are among so many.
 */
const MOST_HOOK_RUNS = 500;

export function compactionOf({ session_id }: SessionRef, row: CompactionRow): Compaction {
  return { session_id, ...row };
}

/** The events that a compaction wrote itself, oldest first, and then its hooks; not its revert. */
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
  const calls = await store.events(ref, {
    types: ['hook.ran'],
    after: row.requested_version,
    limit: MOST_HOOK_RUNS,
  });
  return [...events, ...calls].filter(
    (event) => 'compaction_id' in event.data && event.data.compaction_id === row.id,
  );
}

/**
 * The answer to a request; `events` of the compaction for the message to a tool that it answers, `note`
 * what its caller has to know besides.
 */
export function requestedCompaction(
  ref: SessionRef,
  row: CompactionRow,
  events: readonly SessionEvent[] | null,
  note: string | null,
): RequestedCompaction {
  const told = events && toolMessage(row, endingOf(events));
  const message = note === null || told === null ? (note ?? told) : `${note}\n\n${told}`;
  return { ...compactionOf(ref, row), message };
}

/** One compaction in full, from its row and its own events (SPEC section 2). */
export function detailOf(ref: SessionRef, row: CompactionRow, events: readonly SessionEvent[]) {
  const requested = requestOf(row, events);
  const { micro, completed, skipped } = endingOf(events);
  const exceeded = lastOf(events, 'compaction.threshold_exceeded');
  return {
    ...compactionOf(ref, row),
    request: {
      mode: row.mode,
      trigger: row.trigger,
      reason: row.reason,
      instructions: requested.instructions ?? null,
      focus: requested.focus ?? null,
    },
    attribution: requested.attribution,
    note: waitingNote(row, requested),
    metadata: { codex_compaction: codexCompaction(row, requested, completed) },
    message: messageOf(row, requested, { micro, completed, skipped }),
    attempt_history: attemptHistory(events),
    hook_runs: hookRuns(events),
    user_display_message: completed?.report.user_display_message ?? null,
    config: lastOf(events, 'compaction.started')?.config ?? null,
    skip: skipped && shownSkip(skipped),
    micro: micro && {
      strategy: micro.strategy,
      tokens_saved: micro.tokens_saved,
      tokens_before: micro.tokens_before,
      tokens_after: micro.tokens_after,
      result_tokens_before: micro.result_tokens_before,
      result_tokens_after: micro.result_tokens_after,
      duration_ms: micro.duration_ms,
    },
    cleared_tool_results: (micro?.edits ?? completed?.edits ?? []).map(withoutContent),
    ...fullFields(completed),
    usage: paidUsage(events, completed, skipped),
    threshold_exceeded: exceeded && {
      post_compact_tokens: exceeded.post_compact_tokens,
      threshold: exceeded.threshold,
    },
  };
}

function lastOf<T extends EventType>(
  events: readonly SessionEvent[],
  type: T,
): EventData[T] | null {
  const event = events.findLast((candidate) => candidate.type === type);
  // The type is what narrows the event; TypeScript cannot see that through the generic.
  return event === undefined ? null : (event.data as EventData[T]);
}

function endingOf(events: readonly SessionEvent[]): Ending {
  return {
    micro: lastOf(events, 'compaction.micro_completed'),
    completed: lastOf(events, 'compaction.completed'),
    skipped: lastOf(events, 'compaction.skipped'),
  };
}

/** What codex clients look for (SPEC section 13): by a command, or by their token limit. */
function codexCompaction(
  { status }: CompactionRow,
  { attribution, before }: EventData['compaction.requested'],
  completed: EventData['compaction.completed'] | null,
): CodexCompaction | null {
  const common = {
    command: 'codex-compact' as const,
    active: status !== 'ended',
    truncated_turns: completed?.report.truncated_turns ?? 0,
  };
  if (attribution.path === 'command') return { mode: 'command', auto: false, ...common };
  // Of the appends only those under a token limit hold their message back.
  const isByLimit = attribution.path === 'append' && before !== undefined;
  return isByLimit ? { mode: 'auto', reason: 'token_limit', auto: true, ...common } : null;
}

/** What the agent is told that has called for the compaction, or the user who waits for it. */
function messageOf(
  row: CompactionRow,
  requested: EventData['compaction.requested'],
  ending: Ending,
): string | null {
  return row.trigger === 'tool' ? toolMessage(row, ending) : hostMessage(row, requested, ending);
}

/** What a client is answered whose append has waited for its compaction. */
export function awaitedCompaction(row: CompactionRow, events: readonly SessionEvent[]) {
  const requested = requestOf(row, events);
  return {
    compaction: {
      id: row.id,
      status: row.status,
      mode: row.mode,
      trigger: row.trigger,
      reason: row.reason,
    },
    note: waitingNote(row, requested),
    message: messageOf(row, requested, endingOf(events)),
  };
}

function requestOf(
  { id }: CompactionRow,
  events: readonly SessionEvent[],
): EventData['compaction.requested'] {
  const requested = lastOf(events, 'compaction.requested');
  if (requested === null) throw new Error(`the log holds no request for the compaction ${id}`);
  return requested;
}

/** An edit of a tool result without the text that it put there. */
export function withoutContent(edit: EventData['compaction.micro_completed']['edits'][number]) {
  const { content: _content, ...rest } = edit;
  return rest;
}

/** Why nothing was done, or would be. */
export function shownSkip({ reason, detail, contributors = [] }: Skip) {
  return { reason, detail, contributors };
}

function attemptHistory(events: readonly SessionEvent[]): Attempt[] {
  const attempts: Attempt[] = [];
  for (const event of events) {
    if (event.type === 'compaction.started') {
      attempts.push({ attempt: event.data.attempt, started_at: event.at, failure: null });
    } else if (event.type === 'compaction.failed') {
      const { reason, message, usage = null, will_retry } = event.data;
      const last = attempts.at(-1);
      if (last !== undefined) last.failure = { at: event.at, reason, message, usage, will_retry };
    }
  }
  return attempts;
}

/** What all answers have cost, whatever came of them; null when none was paid for. */
function paidUsage(
  events: readonly SessionEvent[],
  completed: EventData['compaction.completed'] | null,
  skipped: EventData['compaction.skipped'] | null,
): Usage | null {
  const ended = completed?.report.usage ?? skipped?.usage;
  if (ended !== undefined) return ended;
  const failures = usageOfFailures(events);
  return isPaid(failures) ? failures : null;
}

function hookRuns(events: readonly SessionEvent[]) {
  return events.flatMap((event) => {
    if (event.type !== 'hook.ran') return [];
    const { compaction_id: _compaction, result, ...run } = event.data;
    return [{ at: event.at, ...run, result: { ...result } }];
  });
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
    template: report?.template || null,
    left_out: report?.left_out ?? null,
    durations: report && { total_ms: report.duration_ms, summarizer_ms: report.summarizer_ms },
  };
}

function restoredEntry({ origin, item, tokens }: Entry) {
  if (origin !== 'file' && origin !== 'todo' && origin !== 'plan') return [];
  const { attachment } = item;
  const path =
    typeof attachment === 'object' && attachment !== null && !Array.isArray(attachment)
      ? attachment.path
      : null;
  return [{ kind: origin, path: typeof path === 'string' ? path : null, tokens }];
}
