import { type FactSource, sourcesOf } from '../domain/ledger/sources.ts';
import { accept } from '../domain/session/errors.ts';
import type { Base, EventOf, SessionEvent } from '../domain/session/events.ts';
import { editKey } from '../domain/session/result-edits.ts';
import { diffOf } from './diff.ts';
import { lastEvent } from './last-event.ts';
import type { CompactionRow, SessionRef } from './ports/event-store.ts';
import type { Ports } from './ports/ports.ts';
import { loadCompaction } from './read-compaction.ts';

/** Of a summary so many lines are shown and looked up. */
const LINES = 500;

/** How long something took; null: it goes on. */
type Phase = { name: string; ms: number | null; detail: string | null };

/** A line of a summary, and where what it says was said. */
export type SummaryLine = { text: string; sources: FactSource[] };

/**
 * A compaction as people look at it (SPEC 2, section 27): what it was asked for and what came of it, its
 * phases, the context before and after, its summary with the sources of its lines, its events. `diff` is
 * null as long as it has not ended. Rejects: session_not_found, compaction_not_found.
 */
export async function readCompactionPage(
  ports: Pick<Ports, 'store' | 'prices' | 'largestHere'>,
  ref: SessionRef,
  id: string,
) {
  const loaded = await loadCompaction(ports, ref, id);
  if (!loaded.ok) return loaded;
  const { row, session, events, detail } = loaded.value;
  const { base } = session.state;
  const compared = row.status === 'ended' ? await diffOf(ports, ref, row) : null;
  if (compared !== null && !compared.ok) return compared;
  return accept({
    detail,
    format: session.settings.format,
    version: session.state.version,
    /** What the context is built on since, so that this one cannot be undone alone; null: nothing else. */
    built_over: base !== null && isBuiltOver(row, base) ? base : null,
    phases: phasesOf(events),
    diff: compared?.value ?? null,
    stand_ins: standInsOf(events),
    summary: summaryOf(detail.summary, events),
    events,
  });
}

/** Whether the base of the context is a later one than this compaction has left. */
function isBuiltOver({ id, ended_version }: CompactionRow, base: Base): boolean {
  return base.compaction_id !== id && ended_version !== null && base.version > ended_version;
}

function summaryOf(summary: string | null, events: readonly SessionEvent[]) {
  if (summary === null || summary === '') return null;
  const all = summary.split('\n');
  const lines = all.slice(0, LINES);
  const proposed = lastEvent(events, 'compaction.proposed')?.data.candidate;
  const ledger =
    lastEvent(events, 'compaction.completed')?.data.ledger ??
    (proposed?.type === 'compaction.completed' ? proposed.data.ledger : undefined);
  const sources = ledger === undefined ? [] : sourcesOf(lines, ledger);
  return {
    lines: lines.map((text, index): SummaryLine => ({ text, sources: sources[index] ?? [] })),
    left_out: all.length - lines.length,
  };
}

/** What stands in place of each result that was cleared or shortened, by its `editKey`. */
function standInsOf(events: readonly SessionEvent[]): ReadonlyMap<string, string> {
  const edits = events.flatMap((event) => {
    const made = event.type === 'compaction.proposed' ? event.data.candidate : event;
    const isOne =
      made.type === 'compaction.micro_completed' || made.type === 'compaction.completed';
    return isOne ? (made.data.edits ?? []) : [];
  });
  return new Map(
    edits.map(({ seq, tool_use_id, content }) => [editKey(seq, tool_use_id), content]),
  );
}

/** What happened in between, oldest first. */
function phasesOf(events: readonly SessionEvent[]): Phase[] {
  const phases: Phase[] = [];
  const requested = lastEvent(events, 'compaction.requested');
  const starts = events.filter((event) => event.type === 'compaction.started');
  const [first] = starts;
  if (requested !== null) {
    phases.push({ name: 'waited for a worker', ms: between(requested, first), detail: null });
  }
  for (const event of events) {
    if (event.type === 'compaction.failed') {
      const begun = starts.findLast(({ version }) => version < event.version);
      const { attempt, reason, message } = event.data;
      const ms = begun === undefined ? null : between(begun, event);
      phases.push({ name: `attempt ${attempt} failed: ${reason}`, ms, detail: message });
    }
  }
  for (const event of events) {
    if (event.type !== 'hook.ran') continue;
    const { hook, event: when, ok, duration_ms, error } = event.data;
    phases.push({ name: `hook ${hook}, ${when}`, ms: duration_ms, detail: ok ? null : error });
  }
  const micro = lastEvent(events, 'compaction.micro_completed')?.data;
  if (micro !== undefined) {
    phases.push({ name: 'chose and cleared results', ms: micro.duration_ms, detail: null });
  }
  return [...phases, ...reported(events)];
}

function reported(events: readonly SessionEvent[]): Phase[] {
  const proposed = lastEvent(events, 'compaction.proposed')?.data.candidate;
  const data =
    lastEvent(events, 'compaction.completed')?.data ??
    (proposed?.type === 'compaction.completed' ? proposed.data : undefined);
  if (data === undefined) return [];
  const { duration_ms, summarizer_ms, summarizer } = data.report;
  return [
    { name: 'wrote the summary', ms: summarizer_ms, detail: summarizer },
    {
      name: 'planned, checked, put in place',
      ms: Math.max(0, duration_ms - summarizer_ms),
      detail: null,
    },
  ];
}

function between(
  from: Pick<SessionEvent, 'at'>,
  to: EventOf<'compaction.started' | 'compaction.failed'> | undefined,
): number | null {
  return to === undefined ? null : Math.max(0, Date.parse(to.at) - Date.parse(from.at));
}
