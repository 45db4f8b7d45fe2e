import type { Item } from '../item.ts';

/**
 * Where servers like OpenAI's put what their model has thought, signed or encrypted where it is another
 * provider's: DeepSeek, Kimi, vLLM, OpenRouter and LiteLLM. OpenAI itself has none of these fields.
 */
export const REASONING_FIELDS = [
  'reasoning_content',
  'reasoning',
  'reasoning_details',
  'thinking_blocks',
] as const;

/**
 * The context without the reasoning that the client leaves out of its own history: some servers refuse
 * what others refuse to miss, and the client knows its own. With no answer in it, the history does not
 * tell.
 */
export function withReasoningAsTold(history: readonly Item[], context: readonly Item[]): Item[] {
  const answers = history.filter(({ role }) => role === 'assistant');
  if (answers.length === 0) return [...context];
  const untold = REASONING_FIELDS.filter((field) =>
    answers.every((answer) => (answer[field] ?? null) === null),
  );
  return context.map((item) => without(item, untold));
}

function without(item: Item, fields: readonly string[]): Item {
  if (!fields.some((field) => field in item)) return item;
  return Object.fromEntries(Object.entries(item).filter(([field]) => !fields.includes(field)));
}
