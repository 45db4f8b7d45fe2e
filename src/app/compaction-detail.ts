import type { Usage } from '../domain/items/item.ts';
import { isJsonObject, stringField } from '../domain/json.ts';
import type { Skip } from '../domain/session/compaction-commands.ts';
import type { CostContext } from '../domain/session/compaction-cost.ts';
import type { Entry } from '../domain/session/entry.ts';
import type { EventData, EventType, SessionEvent } from '../domain/session/events.ts';
import { isPaid, usageOfFailures } from '../domain/session/summarizer-usage.ts';
import { hostMessage, waitingNote } from './host-message.ts';
import { lastEvent } from './last-event.ts';
import type { CompactionRow, SessionRef } from './ports/event-store.ts';
import { proposalOf } from './proposal.ts';
import { costOf } from './session-cost.ts';
import { type Ending, toolMessage } from './tool-message.ts';

/** A compaction as lists and answers show it. */
export type Compaction = { session_id: string } & Omit<CompactionRow, 'cost'>;

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

export function compactionOf({ session_id }: SessionRef, row: CompactionRow): Compaction {
  const { cost: _cost, ...shown } = row;
  return { session_id, ...shown };
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
export function detailOf(
  ref: SessionRef,
  row: CompactionRow,
  events: readonly SessionEvent[],
  context: CostContext,
) {
  const requested = requestOf(row, events);
  const { micro, completed, skipped } = endingOf(events);
  const exceeded = dataOf(events, 'compaction.threshold_exceeded');
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
    proposal: proposalOf(row, events),
    note: waitingNote(row, requested),
    metadata: { codex_compaction: codexCompaction(row, requested, completed) },
    message: messageOf(row, requested, { micro, completed, skipped }),
    attempt_history: attemptHistory(events),
    hook_runs: hookRuns(events),
    user_display_message: completed?.report.user_display_message ?? null,
    config: lastEvent(events, 'compaction.started')?.data.config ?? null,
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
    cost: costOf(row, context),
    threshold_exceeded: exceeded && {
      post_compact_tokens: exceeded.post_compact_tokens,
      threshold: exceeded.threshold,
    },
  };
}

function dataOf<T extends EventType>(
  events: readonly SessionEvent[],
  type: T,
): EventData[T] | null {
  // What `T` stands for is lost in `EventOf`.
  return (lastEvent(events, type)?.data ?? null) as EventData[T] | null;
}

/** How it has ended; a proposal that was not applied as it would. */
function endingOf(events: readonly SessionEvent[]): Ending {
  const candidate = lastEvent(events, 'compaction.proposed')?.data.candidate;
  const micro = candidate?.type === 'compaction.micro_completed' ? candidate.data : null;
  const full = candidate?.type === 'compaction.completed' ? candidate.data : null;
  return {
    micro: dataOf(events, 'compaction.micro_completed') ?? micro,
    completed: dataOf(events, 'compaction.completed') ?? full,
    skipped: dataOf(events, 'compaction.skipped'),
  };
}

/** What codex clients look for (SPEC section 13): by a command, or by their token limit. */
function codexCompaction(
  { status }: CompactionRow,
  { attribution, before }: EventData['compaction.requested'],
  completed: Ending['completed'],
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
  const requested = dataOf(events, 'compaction.requested');
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
  completed: Ending['completed'],
  skipped: Ending['skipped'],
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

function fullFields(completed: Ending['completed']) {
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
    retention: report?.retention ?? null,
    durations: report && { total_ms: report.duration_ms, summarizer_ms: report.summarizer_ms },
  };
}

function restoredEntry({ origin, item, tokens }: Entry) {
  if (origin !== 'file' && origin !== 'todo' && origin !== 'plan') return [];
  const { attachment } = item;
  const path = isJsonObject(attachment) ? stringField(attachment, 'path') : undefined;
  return [{ kind: origin, path: path ?? null, tokens }];
}
