import { pairedParts } from '../items/pairing.ts';
import { callKey } from '../session/call-key.ts';
import { itemsOf } from './material.ts';
import type { PlanInput } from './plan-input.ts';

/**
 * Whether the original of the result of a call can be promised by the id of that: the session has a way
 * to recall it, and the id is that of no other call, whose result would come in its place.
 */
export function recallable({ config, material }: PlanInput): (id: string) => boolean {
  if (!config.recall) return () => false;
  let calls: Map<string, number> | null = null;
  return (id) => {
    calls ??= callsById(material);
    return (calls.get(callKey(id)) ?? 0) <= 1;
  };
}

function callsById(material: PlanInput['material']): Map<string, number> {
  const calls = new Map<string, number>();
  for (const { part } of pairedParts(itemsOf(material))) {
    if (part.kind !== 'tool_call') continue;
    const key = callKey(part.id);
    calls.set(key, (calls.get(key) ?? 0) + 1);
  }
  return calls;
}
