import type { Normalised } from '../../items/item.ts';
import { endsTurn } from '../../items/speaker.ts';
import { cutsOutside, type Group, type Invariant } from './invariant.ts';
import { isOnlyThinking, turnNumbers } from './turns.ts';

/**
 * The pieces of one assistant message stay together.
 *
 * One Anthropic message may be logged as several items with one `id`. Its thinking blocks must come
 * back byte-identical: the whole message or nothing, so no cut goes through it. A message whose
 * thinking was logged apart may go on as long as nothing follows it, so it stays till then.
 */
export const messageParts: Invariant = (items) => {
  const groups = pieceGroups(items);
  const last = groups.at(-1);
  if (last !== undefined && mayGoOn(items, last)) last.last = items.length;
  return cutsOutside(groups, items.length);
};

/** Per message with an `id`, the items from its first to its last piece. */
function pieceGroups(items: readonly Normalised[]): Group[] {
  const turns = turnNumbers(items);
  const groups: Group[] = [];
  let current: { id: string; turn: number; group: Group } | undefined;
  for (const [index, item] of items.entries()) {
    const turn = turns[index] ?? null;
    if (turn === null) continue;
    const id = idOf(item);
    if (id !== undefined && current?.id === id && current.turn === turn) {
      current.group.last = index;
      continue;
    }
    current = id === undefined ? undefined : { id, turn, group: { first: index, last: index } };
    if (current !== undefined) groups.push(current.group);
  }
  return groups;
}

/** Whether the message is the newest of all, and its thinking is an item of its own. */
function mayGoOn(items: readonly Normalised[], { first, last }: Group): boolean {
  const isOver = items
    .slice(last + 1)
    .some((item) => endsTurn(item) || (item.kind === 'message' && item.role === 'assistant'));
  return !isOver && items.slice(first, last + 1).some(isOnlyThinking);
}

function idOf(item: Normalised | undefined): string | undefined {
  return item?.kind === 'message' && item.role === 'assistant' ? item.id : undefined;
}
