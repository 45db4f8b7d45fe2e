import { callsInCode } from '../items/code-mode/with-code-calls.ts';
import type { Normalised, ToolCall } from '../items/item.ts';
import { messageText } from '../items/message-text.ts';
import { callIds } from '../items/pairing.ts';
import { isOfAssistant, isUserMessage } from '../items/speaker.ts';
import type { Boundary } from '../policy/boundaries.ts';
import type { Config } from '../policy/config.ts';
import type { OpenCommand } from '../policy/shell-commands.ts';
import { completedSteps, hasSucceeded, textBoundaries } from '../policy/signals.ts';
import { callKey } from './call-key.ts';
import type { EventData, NewEvent } from './events.ts';
import type { Head, State } from './head.ts';
import { keysOfCalls } from './open-calls.ts';

/** An item with the boundaries that its results have reached. */
type Placed = { seq: number; item: Normalised; reached: readonly Reached[] };
type Reached = OpenCommand['boundary'];

/** What an item does to the shell calls that become boundaries when they succeed. */
export type ItemCommands = { opened: OpenCommand[]; closed: string[]; reached: Reached[] };

/**
 * The shell calls that an item opens, and those whose results it brings (SPEC section 11).
 * `boundariesOf` reads the calls of one request.
 */
export function commandsOf(
  { state }: Head,
  config: Config,
  item: Normalised,
  boundariesOf: (call: ToolCall) => Reached[],
): ItemCommands {
  if (!isHeard(state, config)) return { opened: [], closed: closed(state, item), reached: [] };
  const commands = called(item, boundariesOf);
  const isOver = ({ ids }: Called) => ids.some((id) => state.open_calls.succeeded.includes(id));
  return {
    opened: commands
      .filter((command) => !isOver(command))
      .flatMap(({ ids, boundary }) => ids.map((id) => ({ id, boundary }))),
    closed: closed(state, item),
    // Clients log a result before its call, too.
    reached: [
      ...succeeded(state, item),
      ...commands.filter(isOver).map(({ boundary }) => boundary),
    ],
  };
}

/** A shell call by the keys that its result may name. */
type Called = { ids: string[]; boundary: Reached };

function called(item: Normalised, boundariesOf: (call: ToolCall) => Reached[]): Called[] {
  if (!isOfAssistant(item)) return [];
  return item.parts.filter(isCall).flatMap((part) => {
    const ids = callIds(part).map(callKey);
    return callsInCode(part)
      .flatMap(boundariesOf)
      .map((boundary) => ({ ids, boundary }));
  });
}

/** There are clients that use the ids of calls again: what has ended must not end once more. */
function closed({ open_commands, open_calls }: State, item: Normalised): string[] {
  if (open_commands.length === 0 || item.kind !== 'message') return [];
  const named = keysOfCalls(
    open_calls,
    item.parts.flatMap((part) => {
      if (part.kind === 'tool_call') return callIds(part).map(callKey);
      return part.kind === 'tool_result' ? [callKey(part.call_id)] : [];
    }),
  );
  return [...new Set(open_commands.map(({ id }) => id))].filter((id) => named.has(id));
}

/**
 * The signals that follow from appended items; `head` stands after them. A user message begins a
 * turn: what was seen before it no longer counts, but for the steps of the plan (SPEC section 11).
 */
export function derivedSignals(
  { state }: Head,
  config: Config,
  items: readonly Placed[],
): NewEvent[] {
  if (!isHeard(state, config)) return [];
  const start = items.findLastIndex(({ item }) => isUserMessage(item));
  const user = items[start];
  if (user === undefined) {
    return turnSignals(config, items, state.completed_steps, state.signals);
  }
  const earlier = items.slice(0, start);
  const progress = planProgress(state, config, earlier);
  const isNewTurn = state.signals.length > 0 || progress.length > 0;
  return [
    ...progress,
    ...(isNewTurn ? [derived(user.seq, { signal: 'turn_started' })] : []),
    ...turnSignals(config, items.slice(start + 1), stepsAfter(state, config, earlier), []),
  ];
}

/** What the items of one turn show; boundaries already seen in it are not told again. */
function turnSignals(
  config: Config,
  turn: readonly Placed[],
  stepsBefore: number,
  seenBefore: readonly Boundary[],
): NewEvent[] {
  const events: NewEvent[] = [];
  const seen = new Set(seenBefore);
  const observe = (seq: number, signal: Boundary, completed_steps?: number) => {
    if (seen.has(signal) && completed_steps === undefined) return;
    seen.add(signal);
    events.push(
      derived(seq, { signal, ...(completed_steps !== undefined && { completed_steps }) }),
    );
  };
  const speech = turn.findLast(
    ({ item }) => isOfAssistant(item) && messageText(item).trim() !== '',
  );
  let completed = stepsBefore;
  for (const { seq, item, reached } of turn) {
    for (const boundary of reached) observe(seq, boundary);
    for (const steps of stepsOf(item, config)) {
      // A plan with fewer completed steps than before is a new one: it counts from there.
      observe(seq, 'plan_update', steps < completed ? steps : undefined);
      if (steps > completed) observe(seq, 'plan_checkpoint', steps);
      completed = steps;
    }
    if (seq !== speech?.seq || !isOfAssistant(item)) continue;
    for (const boundary of textBoundaries(messageText(item).trim(), config)) observe(seq, boundary);
  }
  return events;
}

/** Only tiers listen; and not while a packet is written, whose text would speak of boundaries. */
function isHeard({ packet_request, running }: State, config: Config): boolean {
  if (config.auto_compact_trigger !== 'tiers' || packet_request !== null) return false;
  return running?.packet?.author !== 'agent';
}

function succeeded({ open_commands }: State, item: Normalised): Reached[] {
  if (item.kind !== 'message' || item.is_meta) return [];
  return item.parts.flatMap((part) =>
    part.kind === 'tool_result' && hasSucceeded(part)
      ? open_commands
          .filter(({ id }) => id === callKey(part.call_id))
          .map(({ boundary }) => boundary)
      : [],
  );
}

/** The completed steps after each plan that an item holds. */
function stepsOf(item: Normalised, config: Config): number[] {
  const calls = isOfAssistant(item) ? item.parts.filter(isCall).flatMap(callsInCode) : [];
  const sources = item.kind === 'attachment' ? [item] : calls;
  return sources.map((source) => completedSteps(source, config)).filter((steps) => steps !== null);
}

function isCall<P extends { kind: string }>(part: P): part is Extract<P, { kind: 'tool_call' }> {
  return part.kind === 'tool_call';
}

function stepsAfter(state: State, config: Config, items: readonly Placed[]): number {
  return items.flatMap(({ item }) => stepsOf(item, config)).at(-1) ?? state.completed_steps;
}

/** How far the plan has come in turns that are over: no boundary of the present one. */
function planProgress(state: State, config: Config, items: readonly Placed[]): NewEvent[] {
  const last = items.findLast(({ item }) => stepsOf(item, config).length > 0);
  const steps = stepsAfter(state, config, items);
  if (last === undefined || steps === state.completed_steps) return [];
  const signal = steps > state.completed_steps ? 'plan_checkpoint' : 'plan_update';
  return [derived(last.seq, { signal, completed_steps: steps })];
}

function derived(
  seq: number,
  data: Pick<EventData['signal.observed'], 'signal' | 'completed_steps'>,
): NewEvent {
  return { type: 'signal.observed', data: { ...data, source: 'derived', seq } };
}
