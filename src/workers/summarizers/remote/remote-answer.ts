import { z } from 'zod';
import { describeFlaw, JSON_DEPTH, type JsonFlaw } from '../../../domain/exact-json.ts';
import type { Usage } from '../../../domain/items/item.ts';
import type { Json } from '../../../domain/json.ts';
import { NO_TOKENS } from '../../../domain/session/summarizer-usage.ts';
import { apiError } from '../failures.ts';
import type { SummaryFailure } from '../summarizer.ts';

/** What a provider's compaction gave: items that nobody has looked at yet, and what they cost. */
export type RemoteAnswer = { ok: true; output: Json[]; usage: Usage } | SummaryFailure;

/** The failure of an answer whose items would not be stored as the provider gave them out. */
export function unkeepable(flaw: JsonFlaw): SummaryFailure {
  return apiError(`openai: ${describeFlaw(flaw, JSON_DEPTH, 'the answer')}`, false);
}

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
