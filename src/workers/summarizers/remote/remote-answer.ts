import { z } from 'zod';
import { describeFlaw, flawOf, JSON_DEPTH } from '../../../domain/exact-json.ts';
import type { Usage } from '../../../domain/items/item.ts';
import type { Json } from '../../../domain/json.ts';
import { MOST_VALUES, measureJson } from '../../../domain/json-text.ts';
import { NO_TOKENS } from '../../../domain/session/summarizer-usage.ts';
import { apiError } from '../failures.ts';
import type { SummaryFailure } from '../summarizer.ts';

/** What a provider's compaction gave: items that nobody has looked at yet, and what they cost. */
export type RemoteAnswer = { ok: true; output: Json[]; usage: Usage } | SummaryFailure;

/** Why the items of a text would not be stored as the provider gave them out; null where they would. */
export function unkeepable(text: string): SummaryFailure | null {
  const flaw = flawOf(text, JSON_DEPTH);
  return flaw === null ? null : failed(describeFlaw(flaw, JSON_DEPTH, 'the answer'));
}

/** Items may be nested as deep as content may be, and stand within the answer. */
const MOST = { values: MOST_VALUES, depth: 2 * JSON_DEPTH };

/**
 * The JSON values of a text, which is asked before it is parsed: tens of megabytes of brackets would hold
 * up everybody, and take all memory. A failure where there are too many, or it is too deep.
 */
export function measured(text: string): { ok: true; values: number } | SummaryFailure {
  const { values, depth } = measureJson(text, MOST);
  if (depth > MOST.depth) {
    return failed(describeFlaw({ kind: 'too_deep' }, JSON_DEPTH, 'the answer'));
  }
  return values > MOST.values ? tooManyValues() : { ok: true, values };
}

/** The failure of an answer that would take too long to check. */
export function tooManyValues(): SummaryFailure {
  return failed(`the answer holds more than ${MOST_VALUES} JSON values`);
}

function failed(why: string): SummaryFailure {
  return apiError(`openai: ${why}`, false);
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
