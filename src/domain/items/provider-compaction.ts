import type { Item } from './item.ts';

/** What OpenAI's API has called the item over time. */
const TYPES = new Set(['compaction', 'compaction_summary']);

/**
 * Whether the item is what a provider made of an earlier part of the conversation. Its content is
 * encrypted: only that provider can read it, in that wire format, and no summary can stand for it
 * (SPEC section 13). So it is carried verbatim until the provider itself replaces it.
 */
export function isProviderCompaction(item: Item): boolean {
  return typeof item.type === 'string' && TYPES.has(item.type);
}
