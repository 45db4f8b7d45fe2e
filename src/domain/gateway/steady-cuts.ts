import type { Codec } from '../items/codec.ts';
import type { Item } from '../items/item.ts';
import { pairedParts } from '../items/pairing.ts';

/**
 * Places at which a history can be cut in two: the first one behind each `step` tokens at which nothing
 * of the model waits for an answer. Ascending; `tokens` are those of each item. They are the same for
 * every history that goes on from this one: what is kept behind a cut then only grows.
 */
export function steadyCuts(
  codec: Codec,
  items: readonly Item[],
  tokens: readonly number[],
  step: number,
): number[] {
  const seen = items.map((item) => codec.normalise(item));
  const paired = pairedParts(seen);
  /** Per item, the last one that answers a call in it. */
  const answeredAt = new Map<number, number>();
  for (const { part, at, partner } of paired) {
    const answer = partner === null ? undefined : paired[partner]?.at;
    if (part.kind !== 'tool_call' || answer === undefined) continue;
    answeredAt.set(at, Math.max(answeredAt.get(at) ?? 0, answer));
  }
  const cuts: number[] = [];
  let sum = 0;
  let next = step;
  let closed = 0;
  for (const [at, message] of seen.entries()) {
    sum += tokens[at] ?? 0;
    closed = Math.max(closed, answeredAt.get(at) ?? 0);
    const isOfModel = message.kind === 'message' && message.role === 'assistant';
    if (sum < next || isOfModel || closed > at) continue;
    cuts.push(at + 1);
    next = (Math.floor(sum / step) + 1) * step;
  }
  return cuts;
}
