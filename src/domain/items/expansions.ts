import type { Message, Normalised, Part, ToolCall } from './item.ts';

/** Calls that were made within one, in place of it, and their results in place of its result. */
export type Expansions = Map<Part, Part[]>;

/** The items with these parts in place of others; the same list where there are none. */
export function withExpansions(
  items: readonly Normalised[],
  expansions: Expansions,
): readonly Normalised[] {
  if (expansions.size === 0) return items;
  return items.map((item) => (item.kind === 'message' ? expanded(item, expansions) : item));
}

function expanded(message: Message, expansions: Expansions): Message {
  if (!message.parts.some((part) => expansions.has(part))) return message;
  return { ...message, parts: message.parts.flatMap((part) => expansions.get(part) ?? [part]) };
}

/** The id of a call that was made within one, by its place there: the first has that of the whole. */
export function idWithin({ id }: ToolCall, at: number): string {
  return at === 0 ? id : `${id}.${at + 1}`;
}
