import { isAsyncCall } from '../items/async-calls.ts';
import type { ToolCall } from '../items/item.ts';
import { partnersIn } from '../items/pairing.ts';
import { isProviderCompaction } from '../items/provider-compaction.ts';
import type { Entry } from '../session/entry.ts';
import { itemsOf, type Material } from './material.ts';

/** So many calls wait for a result at most; whoever makes more of them does not read the results. */
const MOST_WAITING = 20;

/**
 * What is covered and goes on in front of the summary, as none can stand for it: what the provider has
 * compacted, which only the provider can read and has to get back as it is; calls that the model does not
 * wait for, as long as their result is still to come or stands behind the cut. A result without its call
 * would be no part of the conversation any more.
 */
export function carriedEntries(
  material: readonly Material[],
  initial: number,
  cut: number,
): Entry[] {
  const calls = carriedCalls(material, cut);
  return material.slice(initial, cut).flatMap(({ entry, item }): Entry[] => {
    if (entry.pinned) return [];
    if (isProviderCompaction(entry.item)) return [{ ...entry, seq: null, origin: 'remote' }];
    const isCarried = item.kind === 'message' && item.parts.some((part) => calls.has(part));
    return isCarried ? [{ ...entry, seq: null, item: withoutId(entry), origin: 'preserved' }] : [];
  });
}

function carriedCalls(material: readonly Material[], cut: number): ReadonlySet<unknown> {
  const items = itemsOf(material);
  const { results } = partnersIn(items);
  const answered: ToolCall[] = [];
  const waiting: ToolCall[] = [];
  for (const item of items.slice(0, cut)) {
    for (const part of item.kind === 'message' ? item.parts : []) {
      if (part.kind !== 'tool_call' || !isAsyncCall(part)) continue;
      const result = results.get(part);
      if (result === undefined) waiting.push(part);
      else if (result.at >= cut) answered.push(part);
    }
  }
  return new Set([...answered, ...waiting.slice(-MOST_WAITING)]);
}

/** By the id of a call the provider knows which reasoning has led to it, and that is covered. */
function withoutId({ item }: Entry): Entry['item'] {
  const { id: _, ...call } = item;
  return call;
}
