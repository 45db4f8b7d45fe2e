import { isJsonObject, type Json, type JsonObject, stringField } from '../json.ts';
import type { Usage } from './item.ts';

/** No context is anywhere near this; what is beyond it is noise that sums could not carry. */
const MOST_TOKENS = 1_000_000_000;

/**
 * The token figures of a provider's usage object, or undefined when they are malformed, all zero, or
 * only those of a compaction. OpenAI counts cached tokens inside its input figure, Anthropic beside
 * it, so cache figures are read from Anthropic's names only (SPEC section 5).
 */
export function readUsage(usage: Json | undefined): Usage | undefined {
  if (!isJsonObject(usage)) return undefined;
  const figures = withoutCompaction(usage);
  if (figures === undefined) return undefined;
  const isChat = figures.prompt_tokens !== undefined;
  const input = figures[isChat ? 'prompt_tokens' : 'input_tokens'];
  if (typeof input !== 'number') return undefined;
  const read = {
    input,
    output: figure(figures, isChat ? 'completion_tokens' : 'output_tokens'),
    cache_read: figure(figures, 'cache_read_input_tokens'),
    cache_creation: figure(figures, 'cache_creation_input_tokens'),
  };
  const values = Object.values(read);
  const isSane = values.every(
    (value) => Number.isSafeInteger(value) && value >= 0 && value <= MOST_TOKENS,
  );
  return isSane && values.some((value) => value > 0) ? read : undefined;
}

/**
 * How much of its input a call has left in the provider's cache, from 0 to 1, as its usage object says;
 * null when that says nothing of a cache. Anthropic counts it in two figures beside the input, OpenAI in
 * one inside it.
 */
export function cachedShareOf(usage: Json | undefined): number | null {
  const read = readUsage(usage);
  const figures = isJsonObject(usage) ? withoutCompaction(usage) : undefined;
  if (read === undefined || figures === undefined) return null;
  const isBeside =
    figures.cache_read_input_tokens != null || figures.cache_creation_input_tokens != null;
  if (isBeside) {
    const cached = read.cache_read + read.cache_creation;
    return share(cached, read.input + cached);
  }
  const details = figures.prompt_tokens_details ?? figures.input_tokens_details;
  const cached = isJsonObject(details) ? details.cached_tokens : undefined;
  return typeof cached === 'number' ? share(cached, read.input) : null;
}

function share(part: number, whole: number): number | null {
  return part >= 0 && part <= whole && whole > 0 ? part / whole : null;
}

/** An absent figure is 0; a figure of another type is NaN, which makes the whole usage malformed. */
function figure(figures: JsonObject, name: string): number {
  const value = figures[name] ?? 0;
  return typeof value === 'number' ? value : Number.NaN;
}

/**
 * Anthropic lists the calls of one response in `iterations`. A compaction among them read the old,
 * long context, so the size of the context is what the last ordinary iteration says.
 */
function withoutCompaction(usage: JsonObject): JsonObject | undefined {
  if (!Array.isArray(usage.iterations)) return usage;
  const iterations = usage.iterations.filter(isJsonObject);
  const isCompaction = (iteration: JsonObject) => stringField(iteration, 'type') === 'compaction';
  if (!iterations.some(isCompaction)) return usage;
  return iterations.findLast((iteration) => !isCompaction(iteration));
}
