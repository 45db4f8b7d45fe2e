import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { Item } from './item.ts';

/** Anthropic refuses a request with more blocks that carry `cache_control`. */
const MOST_MARKS = 4;

/**
 * The messages with at most the last four of their cache marks, in blocks of results too. Clients log
 * what they sent, with the marks of that day; the newest are the ones that the cache is looked up by.
 */
export function withLastCacheMarks(messages: readonly Item[]): Item[] {
  const budget = { left: MOST_MARKS };
  return messages
    .toReversed()
    .map((message) => marked(message, budget))
    .reverse();
}

function marked(block: JsonObject, budget: { left: number }): JsonObject {
  let kept = block;
  if (isJsonObject(block.cache_control)) {
    if (budget.left > 0) budget.left -= 1;
    else {
      const { cache_control: _, ...rest } = block;
      kept = rest;
    }
  }
  const content = markedContent(kept.content, budget);
  return content === undefined || content === kept.content ? kept : { ...kept, content };
}

function markedContent(content: Json | undefined, budget: { left: number }): Json | undefined {
  if (!Array.isArray(content)) return content;
  const blocks = content
    .toReversed()
    .map((block) => (isJsonObject(block) ? marked(block, budget) : block))
    .reverse();
  return blocks.every((block, index) => block === content[index]) ? content : blocks;
}
