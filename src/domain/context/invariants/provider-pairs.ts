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
 * `pause_turn`. What a user says ends the wait: from then on nobody will answer it.
 */
export const providerPairs: Invariant = (items) => {
  const groups: Group[] = [];
  const waiting = new Map<string, Group>();
  for (const [index, item] of items.entries()) {
    if (item.kind !== 'message') continue;
    if (item.role === 'user' && hasOwnWords(item.parts)) waiting.clear();
    for (const part of item.parts) noted(part, index, { groups, waiting });
  }
  for (const group of waiting.values()) group.last = items.length;
  return cutsOutside(groups, items.length);
};

type Open = { groups: Group[]; waiting: Map<string, Group> };

function noted(part: Part, index: number, { groups, waiting }: Open): void {
  if (part.kind === 'tool_call') {
    const group = waiting.get(callerOf(part.source));
    if (group !== undefined) group.last = index;
  }
  if (part.kind !== 'opaque') return;
  for (const tool of providerTools(part.json)) {
    if (tool.kind === 'result') {
      const group = waiting.get(tool.of);
      if (group !== undefined) group.last = index;
      waiting.delete(tool.of);
    } else if (tool.is_open) {
      const group = { first: index, last: index };
      groups.push(group);
      waiting.set(tool.id, group);
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
