import { isAsyncCall } from '../../items/async-calls.ts';
import { pairedParts } from '../../items/pairing.ts';
import { cutsOutside, type Group, type Invariant } from './invariant.ts';
import { turnNumbers } from './turns.ts';

/**
 * A tool call and its result stay together, whichever of them stands first.
 *
 * Anthropic: each `tool_use` is answered in the next message, and each `tool_result` has its
 * `tool_use` in the previous one. Chat: `tool_calls` are followed by a tool message for every id, and
 * no tool message stands alone. Responses: every output has its call and every call its output.
 *
 * A call without result is open, and stays, until the model takes a later turn. From then on the
 * client cannot have waited for the result any more, and a call that nobody will ever answer must not
 * keep all that follows it from being compacted.
 *
 * A call that the model does not wait for may be answered many turns later: what is between would never
 * be compacted. Once the model goes on without the result, a compaction that takes such a call away
 * carries it along.
 */
export const toolPairs: Invariant = (items) => {
  const paired = pairedParts(items);
  const turns = turnNumbers(items);
  const lastTurn = turns.findLast((turn) => turn !== null);
  let starts: ReadonlyMap<number | null, number> | null = null;
  const nextTurn = (at: number) => {
    starts ??= new Map(turns.map((turn, index) => [turn, index] as const).toReversed());
    return starts.get((turns[at] ?? 0) + 1) ?? items.length;
  };
  const groups = paired.flatMap(({ part, at, partner }): Group[] => {
    if (part.kind === 'tool_result') return [];
    const result = partner === null ? undefined : paired[partner];
    if (isAsyncCall(part) && nextTurn(at) < (result?.at ?? items.length)) return [];
    if (result !== undefined) {
      return [{ first: Math.min(at, result.at), last: Math.max(at, result.at) }];
    }
    return turns[at] === lastTurn ? [{ first: at, last: items.length }] : [];
  });
  return cutsOutside(groups, items.length);
};
