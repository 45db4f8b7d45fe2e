import type { Item } from '../../items/item.ts';
import type { JsonObject } from '../../json.ts';

/** What a provider has answered, as a session records it. */
export type Answer = {
  /** The provider's name for it, which the next request may go on from. */
  id: string | null;
  /** In the format of the protocol; without those that were cut off too early to mean anything. */
  items: Item[];
  /** Whether it came to its end. */
  isWhole: boolean;
};

/** How a protocol writes its answers. */
export type AnswerReader = {
  /** Of a stream, its events in their order. */
  ofEvents: (events: readonly JsonObject[]) => Answer;
  /** Of a body. Null when it is no answer. */
  ofBody: (body: JsonObject) => Answer | null;
};

/**
 * What has come of an answer that broke off, without the thoughts at its end: nothing followed on them,
 * and beside those of the answer that is given in its place a provider refuses them.
 */
export function withoutEndOf<T>(parts: readonly T[], isThought: (part: T) => boolean): T[] {
  return parts.slice(0, parts.findLastIndex((part) => !isThought(part)) + 1);
}
