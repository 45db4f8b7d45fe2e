import { changesContext, type EventOf, type SessionEvent } from '../session/events.ts';
import { isTakenAway, type ResultEdit } from '../session/result-edits.ts';
import {
  type EditInForce,
  editsOf,
  type Standings,
  type State,
  standingOf,
  takerOf,
} from './standing.ts';

/** Beside the states that a search knows: the client has taken it back, or it is a command to us. */
export const TRACED_STATES = [
  'in_context',
  'cleared',
  'summarised',
  'superseded',
  'excluded',
] as const;
export type TracedState = State | 'superseded' | 'excluded';

/** Where an item of a log stands at a version of it. */
export type TracedItem = {
  state: TracedState;
  /** The compaction that took it away; null where that was the client's own, or none. */
  compaction_id: string | null;
  /** It stands in the context word for word, as it was appended. */
  is_verbatim: boolean;
  /** Its results that were cleared, digested or shortened while it stood in the context. */
  edits: EditInForce[];
};

/** The same rule as that of a search, for an item as a whole: one cleared result makes it cleared. */
export function tracedItem(standings: Standings, event: EventOf<'item.appended'>): TracedItem {
  const edits = [...editsOf(standings, event).values()];
  const { state, compaction_id } = standingOf(standings, event, null);
  if (state === null) {
    const why = event.data.excluded === undefined ? 'superseded' : 'excluded';
    return { state: why, compaction_id: null, is_verbatim: false, edits };
  }
  if (state !== 'in_context') return { state, compaction_id, is_verbatim: false, edits };
  const taken = edits.findLast(isTakenAway);
  if (taken === undefined) {
    return { state, compaction_id: null, is_verbatim: edits.length === 0, edits };
  }
  return { state: 'cleared', compaction_id: taken.by, is_verbatim: false, edits };
}

export const STEPS = [
  'appended',
  'forked',
  'cleared',
  'digested',
  'truncated',
  'summarised',
  'summarised_again',
  'reverted',
  'superseded',
] as const;

/** One thing that has happened to an item: at which version, and by which compaction. */
export type Step = {
  what: (typeof STEPS)[number];
  version: number;
  at: string;
  /** Null where it was no compaction of ours. */
  compaction_id: string | null;
  /** The result that it happened to, and its tokens without margin. */
  result: Pick<ResultEdit, 'tool_use_id' | 'tokens_before' | 'tokens_after'> | null;
};

/**
 * What has happened to an item of a log since it was appended, oldest first: told from the events that
 * change the context.
 */
export function stepsOf(
  events: readonly SessionEvent[],
  { version: seq, at }: EventOf<'item.appended'>,
): Step[] {
  const steps: Step[] = [{ what: 'appended', version: seq, at, compaction_id: null, result: null }];
  /** Compactions in force that it is covered by, oldest first, and those that changed a result of it. */
  let takers: (string | null)[] = [];
  const editors = new Set<string>();
  const step = (
    event: SessionEvent,
    what: Step['what'],
    compaction_id: string | null,
    result: Step['result'] = null,
  ) => steps.push({ what, version: event.version, at: event.at, compaction_id, result });
  const edited = (event: SessionEvent, edits: readonly ResultEdit[], id: string) => {
    for (const { kind, tool_use_id, tokens_before, tokens_after } of edits.filter(isOf(seq))) {
      editors.add(id);
      step(event, kind, id, { tool_use_id, tokens_before, tokens_after });
    }
  };
  const covered = (
    event: EventOf<'compaction.completed' | 'compaction.observed'>,
    id: string | null,
  ) => {
    const { through, entries } = event.data;
    const isKept = entries.some((entry) => entry.seq === seq);
    if (through < seq || (isKept && takers.length === 0)) return;
    step(event, takers.length === 0 ? 'summarised' : 'summarised_again', id);
    takers.push(id);
  };
  for (const event of events) {
    if (event.version < seq || !changesContext(event)) continue;
    switch (event.type) {
      case 'compaction.completed':
        covered(event, event.data.compaction_id);
        edited(event, event.data.edits ?? [], event.data.compaction_id);
        break;
      case 'compaction.observed':
        covered(event, null);
        break;
      case 'compaction.micro_completed':
        edited(event, event.data.edits, event.data.compaction_id);
        break;
      case 'compaction.reverted': {
        const { compaction_id: id } = event.data;
        if (takers.includes(id) || editors.has(id)) step(event, 'reverted', id);
        takers = takers.filter((taker) => taker !== id);
        break;
      }
      case 'item.superseded':
        if (!event.data.items.some(isOf(seq))) break;
        step(event, 'superseded', null);
        return steps;
      case 'session.forked':
        break;
      default:
        event satisfies never;
    }
  }
  return steps;
}

function isOf(seq: number): (one: { seq: number | null }) => boolean {
  return (one) => one.seq === seq;
}

/** What happened in a fork to an item that its parent had summarised: the summary came along. */
export function stepsOfInherited(events: readonly SessionEvent[]): Step[] {
  return events.filter(changesContext).flatMap((event): Step[] => {
    const { version, at } = event;
    const step = (what: Step['what'], compaction_id: string | null): Step[] => [
      { what, version, at, compaction_id, result: null },
    ];
    switch (event.type) {
      case 'session.forked':
        return step('forked', null);
      case 'compaction.observed':
        return step('summarised_again', null);
      case 'compaction.completed':
        return step('summarised_again', event.data.compaction_id);
      case 'compaction.reverted':
        return event.data.kind === 'full' ? step('reverted', event.data.compaction_id) : [];
      case 'compaction.micro_completed':
      case 'item.superseded':
        return [];
      default:
        return event satisfies never;
    }
  });
}

/** Whether a full compaction is the one that took an item away, as the context was at its version. */
export function isTakenBy(
  standings: Standings,
  event: EventOf<'item.appended'>,
  compactionId: string,
): boolean {
  if (event.data.excluded !== undefined || standings.superseded.has(event.version)) return false;
  return takerOf(standings.chain, event.version)?.id === compactionId;
}
