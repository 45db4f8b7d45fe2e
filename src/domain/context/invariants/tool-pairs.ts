import type { Normalised } from '../../items/item.ts';
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
 */
export const toolPairs: Invariant = {
  name: 'tool-pairs',
  cuts(items) {
    const { pairs, open } = readPairs(items);
    const stays = open.map((first): Group => ({ first, last: items.length }));
    return cutsOutside([...pairs, ...stays], items.length);
  },
  check(items) {
    const { abandoned, orphans } = readPairs(items);
    return [
      ...abandoned.map(({ at, id }) => `item ${at}: the call ${id} was never answered`),
      ...orphans.map(({ at, id }) => `item ${at}: the result of ${id} answers no call`),
    ];
  },
};

type Pairs = { pairs: Group[]; open: number[]; abandoned: Named[]; orphans: Named[] };
type Named = { at: number; id: string };

function readPairs(items: readonly Normalised[]): Pairs {
  const paired = pairedParts(items);
  const turns = turnNumbers(items);
  const lastTurn = turns.findLast((turn) => turn !== null);
  const read: Pairs = { pairs: [], open: [], abandoned: [], orphans: [] };
  for (const { part, at, partner } of paired) {
    const other = partner === null ? undefined : paired[partner];
    if (part.kind === 'tool_result') {
      if (other === undefined) read.orphans.push({ at, id: part.call_id });
    } else if (other !== undefined) {
      read.pairs.push({ first: Math.min(at, other.at), last: Math.max(at, other.at) });
    } else if (turns[at] === lastTurn) read.open.push(at);
    else read.abandoned.push({ at, id: part.id });
  }
  return read;
}
