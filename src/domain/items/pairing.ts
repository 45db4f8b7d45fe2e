import { addTo } from '../group-by.ts';
import { remembering } from '../remember.ts';
import type { Message, Normalised, ToolCall, ToolResult } from './item.ts';

/** What a tool call gets as its result when none was recorded and it is no longer open. */
export const MISSING_RESULT_NOTE = '[No result was recorded for this tool call.]';

/**
 * One event of a conversation in the order of the log, as far as pairing needs it: a tool call and a
 * tool result with the id that joins the two, other words of the model, and what was said to it.
 */
export type ToolEvent = { kind: 'call' | 'result'; id: string } | { kind: 'model' | 'said' };

/**
 * The index of the partner of each event, or null. It is the one rule by which calls and results are
 * joined, whatever their order; linear.
 *
 * Events of one id are joined in four steps, the nearest first, so that neither a stray result nor a
 * cut changes what the others belong to where a client uses ids again:
 * 1. a result with the call that it follows, with no words between: several in their order, and the
 *    first result of a call is its result;
 * 2. a result that came early with the call that it precedes, with no words between;
 * 3. a result that came late with the newest call before it that still has none;
 * 4. a result that came early with the next call that still has none, however far.
 * So a call is never left without result while a result of its id is left over. Only a second result
 * of an answered call does not go to a later call as long as the result of that may be on its way.
 */
export function pairTools(events: readonly ToolEvent[]): (number | null)[] {
  const partners = new Array<number | null>(events.length).fill(null);
  const { byId, isOpen } = placed(events);
  const join: Join = (one, other) => {
    partners[one.index] = other.index;
    partners[other.index] = one.index;
  };
  for (const own of byId.values()) {
    const isLeft = ({ index }: Placed) => partners[index] === null;
    joinFollowing(own, join);
    joinPreceding(own.filter(isLeft), isOpen, join);
    joinLate(own.filter(isLeft), join);
    joinEarly(own.filter(isLeft), isOpen, join);
  }
  return partners;
}

/** Where a call or result stands: `words` counts what else was said before it, by whomever. */
type Placed = {
  index: number;
  isCall: boolean;
  words: number;
  /** The turn of the model, counted anew whenever it speaks after a result or other words. */
  turn: number;
  /** A result of a call that was answered before, with no words between. */
  isSecond: boolean;
};
type Join = (one: Placed, other: Placed) => void;

function placed(events: readonly ToolEvent[]) {
  const byId = new Map<string, Placed[]>();
  let words = 0;
  let turn = 0;
  let isAnswered = false;
  let isOver = false;
  for (const [index, event] of events.entries()) {
    const isOfModel = event.kind === 'call' || event.kind === 'model';
    if (isOfModel && isAnswered) turn++;
    isAnswered = !isOfModel;
    isOver = event.kind === 'said' || (isOver && !isOfModel);
    if (event.kind !== 'call' && event.kind !== 'result') {
      words++;
      continue;
    }
    const isCall = event.kind === 'call';
    addTo(byId, event.id, { index, isCall, words, turn, isSecond: false });
  }
  /** Whether its result may still be on its way: nothing but results follows the turn of the call. */
  const isOpen = (call: Placed) => !isOver && call.turn === turn;
  return { byId, isOpen };
}

function joinFollowing(own: readonly Placed[], join: Join): void {
  let calls: Placed[] = [];
  let results: Placed[] = [];
  const joinThem = () => {
    // Of more calls than results the newest have been answered: the others were made again.
    const first = Math.max(0, calls.length - results.length);
    for (const [index, result] of results.entries()) {
      const call = calls[first + index];
      if (call === undefined) result.isSecond = true;
      else join(call, result);
    }
    calls = [];
    results = [];
  };
  for (const place of own) {
    const isNear = calls[0]?.words === place.words;
    if (!isNear || (place.isCall && results.length > 0)) joinThem();
    if (place.isCall) calls.push(place);
    else if (isNear) results.push(place);
  }
  joinThem();
}

function joinPreceding(
  own: readonly Placed[],
  isOpen: (call: Placed) => boolean,
  join: Join,
): void {
  let results: Placed[] = [];
  let next = 0;
  for (const place of own) {
    if (!place.isCall) {
      results.push(place);
      continue;
    }
    let result = results[next];
    while (result !== undefined && result.words < place.words) result = results[++next];
    if (result === undefined) {
      results = [];
      next = 0;
    } else if (!isOpen(place)) {
      join(place, result);
      next++;
    }
  }
}

function joinLate(own: readonly Placed[], join: Join): void {
  const calls: Placed[] = [];
  for (const place of own) {
    if (place.isCall) {
      calls.push(place);
      continue;
    }
    const newest = calls.pop();
    if (newest !== undefined) join(newest, place);
  }
}

function joinEarly(own: readonly Placed[], isOpen: (call: Placed) => boolean, join: Join): void {
  const results: Placed[] = [];
  for (const place of own) {
    if (!place.isCall) {
      results.push(place);
      continue;
    }
    const nearest = results.at(-1);
    if (nearest === undefined || (nearest.isSecond && isOpen(place))) continue;
    join(place, nearest);
    results.pop();
  }
}

/** A tool call or result, the index of its item, and the place of its partner in the list, if any. */
export type PairedPart = { part: ToolCall | ToolResult; at: number; partner: number | null };

/** All tool calls and results of a conversation in their order, joined by `pairTools`. */
export const pairedParts = remembering(pair);

function pair(items: readonly Normalised[]): readonly Readonly<PairedPart>[] {
  const callIdOf = callIdReader(items);
  const events: ToolEvent[] = [];
  const paired: PairedPart[] = [];
  /** The place in `paired` of each event of a tool. */
  const placeOf = new Map<number, number>();
  const add = (part: PairedPart['part'], at: number, event: ToolEvent) => {
    placeOf.set(events.length, paired.length);
    events.push(event);
    paired.push({ part, at, partner: null });
  };
  for (const [at, item] of items.entries()) {
    if (item.kind !== 'message') continue;
    for (const part of item.parts) {
      if (part.kind === 'tool_call') add(part, at, { kind: 'call', id: part.id });
      else if (part.kind === 'tool_result') add(part, at, { kind: 'result', id: callIdOf(part) });
      else events.push({ kind: item.role === 'assistant' ? 'model' : 'said' });
    }
  }
  const partners = pairTools(events);
  for (const [index, place] of placeOf) {
    const found = paired[place];
    const partner = partners[index] ?? null;
    if (found !== undefined && partner !== null) found.partner = placeOf.get(partner) ?? null;
  }
  return paired;
}

/** The ids that a result of the call may name. */
export function callIds({ id, other_id }: ToolCall): string[] {
  return other_id === undefined || other_id === id ? [id] : [id, other_id];
}

/** The id of the call that a result is of, also where it names the other id of that call. */
function callIdReader(items: readonly Normalised[]): (result: ToolResult) => string {
  const ids = new Set<string>();
  const others = new Map<string, string>();
  for (const item of items) {
    for (const part of item.kind === 'message' ? item.parts : []) {
      if (part.kind !== 'tool_call') continue;
      ids.add(part.id);
      if (part.other_id !== undefined) others.set(part.other_id, part.id);
    }
  }
  return ({ call_id }) => (ids.has(call_id) ? call_id : (others.get(call_id) ?? call_id));
}

/** The items with each result naming the `id` of its call, as formats want it where calls have but one. */
export function withOneIdPerCall(items: readonly Normalised[]): Normalised[] {
  const callIdOf = callIdReader(items);
  const renamed = (part: Message['parts'][number]) =>
    part.kind === 'tool_result' ? { ...part, call_id: callIdOf(part) } : part;
  return items.map((item) =>
    item.kind === 'message' ? { ...item, parts: item.parts.map(renamed) } : item,
  );
}

/** The call that each result answers; results that answer none are not in it. */
export function callsByResult(paired: readonly Readonly<PairedPart>[]): Map<ToolResult, ToolCall> {
  const calls = new Map<ToolResult, ToolCall>();
  for (const { part, partner } of paired) {
    const call = partner === null ? undefined : paired[partner]?.part;
    if (part.kind === 'tool_result' && call?.kind === 'tool_call') calls.set(part, call);
  }
  return calls;
}

/**
 * The result of each call and the call of each result, with the index of its item, as far as both are
 * among the items.
 */
export type Partners = {
  results: ReadonlyMap<ToolCall, { result: ToolResult; at: number }>;
  calls: ReadonlyMap<ToolResult, { call: ToolCall; at: number }>;
};

export const partnersIn = remembering(partnersOf);

function partnersOf(items: readonly Normalised[]): Partners {
  const paired = pairedParts(items);
  const results = new Map<ToolCall, { result: ToolResult; at: number }>();
  const calls = new Map<ToolResult, { call: ToolCall; at: number }>();
  for (const { part, at, partner } of paired) {
    const other = partner === null ? undefined : paired[partner];
    if (part.kind !== 'tool_call' || other?.part.kind !== 'tool_result') continue;
    results.set(part, { result: other.part, at: other.at });
    calls.set(other.part, { call: part, at });
  }
  return { results, calls };
}
