import type { Item } from '../item.ts';
import { answeredId } from './tools.ts';

/**
 * Rendered items as the input of a call that stores nothing at the provider (`store: false`).
 * Reasoning without `encrypted_content` would be looked up there by its id, and an item that was made
 * with such reasoning is refused under its own id: the one is dropped, the others lose their `id`.
 */
export function withoutStoredReasoning(items: readonly Item[]): Item[] {
  let isFollower = false;
  return items.flatMap((item) => {
    if (item.type === 'reasoning') {
      isFollower = typeof item.encrypted_content !== 'string';
      return isFollower ? [] : [item];
    }
    const isOfModel = item.role === 'assistant' || typeof item.role !== 'string';
    if (answeredId(item) !== undefined) return [item];
    if (!isOfModel) isFollower = false;
    return [isFollower ? withoutId(item) : item];
  });
}

/** Where the id is what joins a call with its output, it stays. */
function withoutId(item: Item): Item {
  if (item.role === undefined && typeof item.call_id !== 'string') return item;
  const { id: _id, ...rest } = item;
  return rest;
}
