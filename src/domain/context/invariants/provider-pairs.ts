import type { Normalised, Part } from '../../items/item.ts';
import { providerTools } from '../../items/provider-tools.ts';
import { isJsonObject, type Json, stringField } from '../../json.ts';
import { cutsOutside, type Group, type Invariant } from './invariant.ts';

/**
 * The call of a tool that the provider runs stays with its result and with the calls that its program
 * makes meanwhile.
 *
 * A program that calls tools of the client (`caller`) has its result messages later, and a provider
 * refuses a `caller` or a result whose call is gone. So is a call kept that waits at the end, as after
 * `pause_turn`. What a user says ends the wait, and so does a turn of the model that says nothing of it:
 * from then on nobody will answer it.
 */
export const providerPairs: Invariant = (items) => {
  const groups: Group[] = [];
  let waiting: ReadonlyMap<string, Group> = new Map();
  for (const turn of turnsOf(items)) {
    const spoken = new Map<string, Group>();
    for (const index of turn) {
      const item = items[index];
      if (item?.kind !== 'message') continue;
      if (item.role === 'user' && hasOwnWords(item.parts)) waiting = new Map();
      for (const part of item.parts) noted(part, index, { groups, waiting, spoken });
    }
    if (isOfModel(items[turn[0] ?? 0])) waiting = spoken;
  }
  for (const group of waiting.values()) group.last = items.length;
  return cutsOutside(groups, items.length);
};

/** The places of items, with what the model says in a row together: clients keep it in pieces. */
function turnsOf(items: readonly Normalised[]): number[][] {
  const turns: number[][] = [];
  for (const [index, item] of items.entries()) {
    const before = turns.at(-1);
    if (before !== undefined && isOfModel(item) && isOfModel(items[index - 1])) before.push(index);
    else turns.push([index]);
  }
  return turns;
}

function isOfModel(item: Normalised | undefined): boolean {
  return item?.kind === 'message' && item.role === 'assistant';
}

/** `spoken`: calls that wait behind this turn, because it has made them or says something of them. */
type Open = {
  groups: Group[];
  waiting: ReadonlyMap<string, Group>;
  spoken: Map<string, Group>;
};

function noted(part: Part, index: number, { groups, waiting, spoken }: Open): void {
  const open = (id: string) => spoken.get(id) ?? waiting.get(id);
  if (part.kind === 'tool_call') {
    const program = callerOf(part.source);
    const group = open(program);
    if (group === undefined) return;
    group.last = index;
    spoken.set(program, group);
  }
  if (part.kind !== 'opaque') return;
  for (const tool of providerTools(part.json)) {
    if (tool.kind === 'result') {
      const group = open(tool.of);
      if (group !== undefined) group.last = index;
      spoken.delete(tool.of);
    } else if (tool.is_open) {
      const group = { first: index, last: index };
      groups.push(group);
      spoken.set(tool.id, group);
    }
  }
}

function hasOwnWords(parts: Extract<Normalised, { kind: 'message' }>['parts']): boolean {
  return parts.some(({ kind }) => kind !== 'tool_result');
}

/** The id of the program that a call comes from; empty where the model has made it itself. */
function callerOf(source: Json): string {
  const caller = isJsonObject(source) ? source.caller : undefined;
  if (!isJsonObject(caller)) return '';
  return stringField(caller, 'tool_id') ?? stringField(caller, 'caller_id') ?? '';
}
