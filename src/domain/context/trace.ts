import { changesContext, type EventOf, type SessionEvent } from '../session/events.ts';
import { isTakenAway, type ResultEdit } from '../session/result-edits.ts';
import { keepsWindow } from '../session/told.ts';
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
  /** What keeps it there. */
  pin_id: string | null;
};

/** The same rule as that of a search, for an item as a whole: one cleared result makes it cleared. */
export function tracedItem(standings: Standings, event: EventOf<'item.appended'>): TracedItem {
  const edits = [...editsOf(standings, event).values()];
  const { state, compaction_id } = standingOf(standings, event, null);
  const gone = { compaction_id: null, is_verbatim: false, edits, pin_id: null };
  if (state === null) {
    return { ...gone, state: event.data.excluded === undefined ? 'superseded' : 'excluded' };
  }
  if (state !== 'in_context') return { ...gone, state, compaction_id };
  const taken = edits.findLast(isTakenAway);
  if (taken !== undefined) return { ...gone, state: 'cleared', compaction_id: taken.by };
  const pin_id = standings.pinned.get(event.version) ?? null;
  return { ...gone, state, is_verbatim: edits.length === 0, pin_id };
}

export const STEPS = [
  'appended',
  'forked',
  'cleared',
  'digested',
  'truncated',
  'input_truncated',
  'summarised',
  'summarised_again',
  'reverted',
  'superseded',
  'pinned',
  'unpinned',
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
  pin_id: string | null;
};

type Plain = Omit<Step, 'what' | 'version' | 'at'>;
const PLAIN: Plain = { compaction_id: null, result: null, pin_id: null };

function stepOf(
  { version, at }: Pick<SessionEvent, 'version' | 'at'>,
  what: Step['what'],
  more: Partial<Plain> = {},
): Step {
  return { what, version, at, ...PLAIN, ...more };
}

/**
 * What has happened to an item of a log since it was appended, oldest first: told from the events that
 * change the context.
 */
export function stepsOf(events: readonly SessionEvent[], item: EventOf<'item.appended'>): Step[] {
  const { version: seq } = item;
  const steps: Step[] = [stepOf(item, 'appended')];
  /** Compactions in force that it is covered by, oldest first, and those that changed a result of it. */
  let takers: (string | null)[] = [];
  const editors = new Set<string>();
  const pins = new Set<string>();
  const step = (event: SessionEvent, what: Step['what'], more: Partial<Plain> = {}) =>
    steps.push(stepOf(event, what, more));
  const edited = (event: SessionEvent, edits: readonly ResultEdit[], id: string) => {
    for (const { kind, tool_use_id, tokens_before, tokens_after } of edits.filter(isOf(seq))) {
      editors.add(id);
      const result = { tool_use_id, tokens_before, tokens_after };
      step(event, kind, { compaction_id: id, result });
    }
  };
  const covered = (
    event: EventOf<'compaction.completed' | 'compaction.observed'>,
    id: string | null,
  ) => {
    const { through, entries } = event.data;
    const isKept = entries.some((entry) => entry.seq === seq);
    if (through < seq || (isKept && takers.length === 0)) return;
    const what = takers.length === 0 ? 'summarised' : 'summarised_again';
    if (pins.size === 0) step(event, what, { compaction_id: id });
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
        if (keepsWindow(event) && takers.length === 0 && pins.size === 0) {
          if (event.data.through < seq || event.data.entries.some(isOf(seq))) break;
          step(event, 'superseded');
          return steps;
        }
        covered(event, null);
        break;
      case 'compaction.micro_completed':
        edited(event, event.data.edits, event.data.compaction_id);
        break;
      case 'compaction.reverted': {
        const { compaction_id: id } = event.data;
        if (takers.includes(id) || editors.has(id)) step(event, 'reverted', { compaction_id: id });
        takers = takers.filter((taker) => taker !== id);
        break;
      }
      case 'item.superseded':
        if (!event.data.items.some(isOf(seq))) break;
        step(event, 'superseded');
        return steps;
      case 'pin.added':
        if (!event.data.entries.some(isOf(seq))) break;
        pins.add(event.data.pin_id);
        step(event, 'pinned', { pin_id: event.data.pin_id });
        break;
      case 'pin.removed':
        if (!pins.delete(event.data.pin_id)) break;
        step(event, 'unpinned', { pin_id: event.data.pin_id });
        // What was compacted meanwhile takes it away now.
        if (takers.length > 0) step(event, 'summarised', { compaction_id: takers[0] ?? null });
        break;
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
    switch (event.type) {
      case 'session.forked':
        return [stepOf(event, 'forked')];
      case 'compaction.observed':
        return [stepOf(event, 'summarised_again')];
      case 'compaction.completed': {
        const { compaction_id } = event.data;
        return [stepOf(event, 'summarised_again', { compaction_id })];
      }
      case 'compaction.reverted': {
        const { compaction_id, kind } = event.data;
        return kind === 'full' ? [stepOf(event, 'reverted', { compaction_id })] : [];
      }
      case 'compaction.micro_completed':
      case 'item.superseded':
      case 'pin.added':
      case 'pin.removed':
        return [];
      default:
        return event satisfies never;
    }
  });
}

/** What happened in a fork to an item that came along as a pin, with no copy of its own. */
export function stepsOfCarried(
  events: readonly SessionEvent[],
  session_id: string,
  seq: number,
): Step[] {
  const pins = new Set<string>();
  return events.flatMap((event): Step[] => {
    if (event.type === 'pin.added') {
      const { pin_id, of } = event.data;
      if (of?.session_id !== session_id || !of.seqs.includes(seq)) return [];
      pins.add(pin_id);
      return [stepOf(event, 'forked', { pin_id })];
    }
    if (event.type !== 'pin.removed' || !pins.has(event.data.pin_id)) return [];
    return [stepOf(event, 'unpinned', { pin_id: event.data.pin_id })];
  });
}

/** Whether a full compaction is the one that took an item away, as the context was at its version. */
export function isTakenBy(
  standings: Standings,
  event: EventOf<'item.appended'>,
  compactionId: string,
): boolean {
  const { excluded } = event.data;
  const { superseded, pinned } = standings;
  if (excluded !== undefined || superseded.has(event.version) || pinned.has(event.version)) {
    return false;
  }
  return takerOf(standings.chain, event.version)?.id === compactionId;
}
