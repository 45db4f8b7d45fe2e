import type { Normalised } from '../../items/item.ts';
import { cutsOutside, type Group, type Invariant } from './invariant.ts';
import { isOnlyThinking, turnNumbers } from './turns.ts';

/**
 * Reasoning stays with what it led to.
 *
 * Responses: a `reasoning` item stays with the item that follows it, and a call that was made with
 * reasoning stays with that reasoning: the group is cut as one. Anthropic: a message may not end with
 * thinking, so thinking that was logged alone stays with the rest of its turn.
 */
export const reasoningGroups: Invariant = {
  name: 'reasoning-groups',
  cuts(items) {
    const groups = thinkingGroups(items).filter(({ first, last }) => first < last);
    return cutsOutside(groups, items.length);
  },
  check(items) {
    const lastMessage = items.findLastIndex((item) => item.kind === 'message');
    return thinkingGroups(items)
      .filter(({ first, last }) => first === last && first !== lastMessage)
      .map(({ first }) => `item ${first}: reasoning without the item that it led to`);
  },
};

/** From an item of thinking alone to the last item of its unbroken run of assistant messages. */
function thinkingGroups(items: readonly Normalised[]): Group[] {
  const turns = turnNumbers(items);
  const groups: Group[] = [];
  let current: { turn: number; group: Group } | undefined;
  for (const [index, item] of items.entries()) {
    const turn = turns[index] ?? null;
    if (turn === null) {
      if (item.kind === 'message') current = undefined;
      continue;
    }
    if (current?.turn === turn) {
      current.group.last = index;
    } else if (isOnlyThinking(item)) {
      current = { turn, group: { first: index, last: index } };
      groups.push(current.group);
    }
  }
  return groups;
}
