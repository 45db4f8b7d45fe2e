import type { Message, Normalised } from '../../items/item.ts';

/**
 * The number of the model's turn that each assistant message belongs to, null for all other items.
 * A turn ends when something is said to the model: a user or system message, tool results included.
 * Control items do not end it, and neither do results between pieces that share an `id`: clients log
 * a result as soon as it is there, in the middle of a turn with parallel calls.
 */
export function turnNumbers(items: readonly Normalised[]): (number | null)[] {
  let turn = 0;
  let lastId: string | undefined;
  let isAnswered = false;
  let isInterrupted = false;
  return items.map((item) => {
    if (item.kind !== 'message') return null;
    if (item.role !== 'assistant') {
      isAnswered = true;
      isInterrupted ||= !isOnlyResults(item);
      return null;
    }
    const isPiece = !isInterrupted && item.id !== undefined && item.id === lastId;
    if (isAnswered && !isPiece) turn++;
    isAnswered = false;
    isInterrupted = false;
    lastId = item.id;
    return turn;
  });
}

/** Whether the message holds tool results and nothing else. */
function isOnlyResults(message: Message): boolean {
  return message.parts.every((part) => part.kind === 'tool_result');
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
