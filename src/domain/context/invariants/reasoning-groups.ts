import type { Normalised } from '../../items/item.ts';
import { endsTurn } from '../../items/speaker.ts';
import { cutsOutside, type Group, type Invariant } from './invariant.ts';
import { isOnlyThinking, turnNumbers } from './turns.ts';

/**
 * Reasoning stays with what it led to.
 *
 * Responses: a `reasoning` item stays with the item that follows it, and a call that was made with
 * reasoning stays with that reasoning: the group is cut as one. Anthropic: a message may not end with
 * thinking, so thinking that was logged alone stays with the rest of its turn. Results of earlier calls
 * may stand between. Reasoning that nothing follows yet is open: it stays until something does.
 */
export const reasoningGroups: Invariant = {
  name: 'reasoning-groups',
  cuts(items) {
    const groups = thinkingGroups(items).map(({ first, last, state }) =>
      state === 'open' ? { first, last: items.length } : { first, last },
    );
    return cutsOutside(groups, items.length);
  },
  check(items) {
    return thinkingGroups(items)
      .filter(({ state }) => state === 'abandoned')
      .map(({ last }) => `item ${last}: reasoning without the item that it led to`);
  },
};

type ThinkingGroup = Group & {
  /** `open`: nothing has followed its end yet. `abandoned`: the user's words did. */
  state: 'open' | 'followed' | 'abandoned';
};

/** From an item of thinking alone to the last item of its unbroken run of assistant messages. */
function thinkingGroups(items: readonly Normalised[]): ThinkingGroup[] {
  const turns = turnNumbers(items);
  const groups: ThinkingGroup[] = [];
  let current: { turn: number; group: ThinkingGroup } | undefined;
  for (const [index, item] of items.entries()) {
    const turn = turns[index] ?? null;
    if (turn === null) {
      if (current?.group.state === 'open' && endsTurn(item)) current.group.state = 'abandoned';
      continue;
    }
    const isThinking = isOnlyThinking(item);
    if (current !== undefined && goesOn(current, turn)) {
      current.turn = turn;
      current.group.last = index;
      current.group.state = isThinking ? 'open' : 'followed';
    } else if (isThinking) {
      current = { turn, group: { first: index, last: index, state: 'open' } };
      groups.push(current.group);
    }
  }
  return groups;
}

/** Results and notes may stand between thinking and what it led to, the user's words may not. */
function goesOn(current: { turn: number; group: ThinkingGroup }, turn: number): boolean {
  return current.turn === turn || current.group.state === 'open';
}
