import { z } from 'zod';
import type { Usage } from '../../../domain/items/item.ts';
import { NO_TOKENS } from '../../../domain/session/summarizer-usage.ts';

const figure = z.int().min(0).catch(0);
const usageSchema = z.object({
  input_tokens: figure,
  output_tokens: figure,
  input_tokens_details: z
    .object({ cached_tokens: figure, cache_write_tokens: figure })
    .catch({ cached_tokens: 0, cache_write_tokens: 0 }),
});

/**
 * The token figures of a Responses usage object; what is missing counts nothing. `input` is without
 * what the provider read from or wrote to its cache: OpenAI counts both inside.
 */
export function openaiUsage(usage: unknown): Usage {
  const { data } = usageSchema.safeParse(usage);
  if (data === undefined) return NO_TOKENS;
  const { cached_tokens, cache_write_tokens } = data.input_tokens_details;
  return {
    input: Math.max(0, data.input_tokens - cached_tokens - cache_write_tokens),
    output: data.output_tokens,
    cache_read: cached_tokens,
    cache_creation: cache_write_tokens,
  };
}
