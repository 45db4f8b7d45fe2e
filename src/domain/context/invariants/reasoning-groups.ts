import type { Normalised } from '../../items/item.ts';
import { endsTurn } from '../../items/speaker.ts';
import { cutsOutside, type Group, type Invariant } from './invariant.ts';
import { isOnlyThinking, turnNumbers } from './turns.ts';

/**
 * Reasoning stays with what it led to.
 *
 * Responses: a `reasoning` item stays with the item that follows it, and a call that was made with
 * reasoning stays with that reasoning: the group is cut as one. Anthropic: a message may not end with
 * thinking, so thinking that was logged alone stays with the rest of its turn. What follows a message
 * with thinking, with nothing said to the model between, is the same message to its provider (the answer
 * behind `pause_turn`, the calls behind a hidden one of ours): calls in it are refused without that
 * thinking. Results of earlier calls may stand between. Reasoning that nothing follows yet is open: it
 * stays until something does.
 */
export const reasoningGroups: Invariant = (items) => {
  const groups = thinkingGroups(items).map(({ first, last, isOpen }) =>
    isOpen ? { first, last: items.length } : { first, last },
  );
  return cutsOutside(groups, items.length);
};

/** `isOpen`: nothing has followed its end yet, and the user has not spoken. */
type ThinkingGroup = Group & { isOpen: boolean };

/** From an item with thinking to the last item of its unbroken run of assistant messages. */
function thinkingGroups(items: readonly Normalised[]): ThinkingGroup[] {
  const turns = turnNumbers(items);
  const groups: ThinkingGroup[] = [];
  let current: { turn: number; group: ThinkingGroup } | undefined;
  for (const [index, item] of items.entries()) {
    const turn = turns[index] ?? null;
    if (turn === null) {
      // Results and notes may stand between thinking and what it led to, the user's words may not.
      if (current?.group.isOpen && endsTurn(item)) current.group.isOpen = false;
      continue;
    }
    const isOpen = isOnlyThinking(item);
    if (current !== undefined && (current.turn === turn || current.group.isOpen)) {
      current.turn = turn;
      current.group.last = index;
      current.group.isOpen = isOpen;
    } else if (hasThinking(item)) {
      current = { turn, group: { first: index, last: index, isOpen } };
      groups.push(current.group);
    }
  }
  return groups;
}

function hasThinking(item: Normalised): boolean {
  return item.kind === 'message' && item.parts.some(({ kind }) => kind === 'thinking');
}
