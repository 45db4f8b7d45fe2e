import type { Normalised } from '../../items/item.ts';
import { endsTurn } from '../../items/speaker.ts';
import { remembering } from '../../remember.ts';

/**
 * The number of the model's turn that each assistant message belongs to, null for all other items.
 * A turn ends when something is said to the model: a user or system message, tool results included.
 * Control items do not end it. Between pieces that share an `id` it takes words of the user to end it:
 * clients log results, hooks and notes of their own as soon as they are there, in the middle of a
 * message with parallel calls.
 */
export const turnNumbers = remembering(numbersOf);

function numbersOf(items: readonly Normalised[]): readonly (number | null)[] {
  let turn = 0;
  let lastId: string | undefined;
  let isAnswered = false;
  let between: Normalised[] = [];
  return items.map((item) => {
    if (item.kind !== 'message') return null;
    if (item.role !== 'assistant') {
      isAnswered = true;
      between.push(item);
      return null;
    }
    // Who speaks is asked where it matters only: that reads the text.
    const isPiece = item.id !== undefined && item.id === lastId && !between.some(endsTurn);
    if (isAnswered && !isPiece) turn++;
    isAnswered = false;
    between = [];
    lastId = item.id;
    return turn;
  });
}

/** Whether the item is an assistant message with nothing but thinking. */
export function isOnlyThinking(item: Normalised): boolean {
  return (
    item.kind === 'message' &&
    item.role === 'assistant' &&
    item.parts.length > 0 &&
    item.parts.every((part) => part.kind === 'thinking')
  );
}
