import type { Normalised } from '../../items/item.ts';
import { pairTools, type ToolEvent } from '../../items/pairing.ts';
import { cutsOutside, type Group, type Invariant } from './invariant.ts';
import { turnNumbers } from './turns.ts';

/**
 * A tool call and its result stay together.
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

type PlacedEvent = ToolEvent & { at: number };

type Pairs = { pairs: Group[]; open: number[]; abandoned: PlacedEvent[]; orphans: PlacedEvent[] };

function readPairs(items: readonly Normalised[]): Pairs {
  const events = items.flatMap(eventsOf);
  const turns = turnNumbers(items);
  const lastTurn = turns.findLast((turn) => turn !== null);
  const read: Pairs = { pairs: [], open: [], abandoned: [], orphans: [] };
  for (const [index, partner] of pairTools(events).entries()) {
    const event = events[index];
    if (event === undefined) continue;
    const other = partner === null ? undefined : events[partner];
    if (event.kind === 'result') {
      if (other === undefined) read.orphans.push(event);
    } else if (other !== undefined) read.pairs.push({ first: event.at, last: other.at });
    else if (turns[event.at] === lastTurn) read.open.push(event.at);
    else read.abandoned.push(event);
  }
  return read;
}

function eventsOf(item: Normalised, at: number): PlacedEvent[] {
  if (item.kind !== 'message') return [];
  return item.parts.flatMap((part): PlacedEvent[] => {
    if (part.kind === 'tool_call') return [{ kind: 'call', id: part.id, at }];
    if (part.kind === 'tool_result') return [{ kind: 'result', id: part.call_id, at }];
    return [];
  });
}
