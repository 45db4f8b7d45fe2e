import { z } from 'zod';
import type { Usage } from '../../domain/items/item.ts';

const figure = z.int().min(0).catch(0);

/** The first event of Anthropic's stream: the whole input, and the first token of the answer. */
const anthropicStart = z
  .object({
    type: z.literal('message_start'),
    message: z.object({
      usage: z.object({
        input_tokens: figure,
        output_tokens: figure,
        cache_read_input_tokens: figure,
        cache_creation_input_tokens: figure,
      }),
    }),
  })
  .transform(({ message: { usage } }) => ({
    input: usage.input_tokens,
    output: usage.output_tokens,
    cache_read: usage.cache_read_input_tokens,
    cache_creation: usage.cache_creation_input_tokens,
  }));

/** Each chunk of Google's stream; what was read from the cache is part of the prompt's count. */
const googleChunk = z
  .object({
    usageMetadata: z.object({
      promptTokenCount: figure,
      candidatesTokenCount: figure,
      cachedContentTokenCount: figure,
    }),
  })
  .transform(({ usageMetadata: usage }) => ({
    input: Math.max(0, usage.promptTokenCount - usage.cachedContentTokenCount),
    output: usage.candidatesTokenCount,
    cache_read: usage.cachedContentTokenCount,
    cache_creation: 0,
  }));

const chunk = z.union([anthropicStart, googleChunk]);

/**
 * What a chunk of a provider's stream says about the cost so far, null when it says nothing. Only for
 * answers that break off: one that ends has its figures at the end.
 */
export function usageSoFar(raw: unknown): Usage | null {
  return chunk.safeParse(raw).data ?? null;
}
