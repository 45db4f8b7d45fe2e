import type { Item } from '../items/item.ts';
import { isJsonObject, stringField } from '../json.ts';

/** How the Copilot CLI begins, in words that no user types. */
const QUESTION =
  /^Please create a detailed summary of the conversation so far\. The history is being compacted\b/;

/**
 * A history without the question that it ends with, by which its client asks for a summary beside the
 * conversation: that goes on meanwhile, with the same instructions and tools. The question is a message of
 * the user, or the last block of one. Null for any other history.
 */
export function withoutSummaryQuestion(history: readonly Item[]): Item[] | null {
  const last = history.at(-1);
  if (last?.role !== 'user') return null;
  const { content } = last;
  const block = Array.isArray(content) ? content.at(-1) : undefined;
  const text = isJsonObject(block) ? stringField(block, 'text') : content;
  if (typeof text !== 'string' || !QUESTION.test(text)) return null;
  const before = history.slice(0, -1);
  return Array.isArray(content) && content.length > 1
    ? [...before, { ...last, content: content.slice(0, -1) }]
    : before;
}
