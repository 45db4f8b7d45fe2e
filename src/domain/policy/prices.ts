import { z } from 'zod';
import type { Usage } from '../items/item.ts';

/** Of this length and shape, so that looking one up stays cheap whatever an operator writes. */
const MODEL_PATTERN = /^[^\s*/]{1,100}\/(?:[^\s*]{1,199}\*?|\*)$/;

const usd = z.number().min(0).max(1_000_000);

const priceSchema = z.strictObject({
  /** `provider/model`; with `*` at its end all models whose names begin so. */
  model: z.string().regex(MODEL_PATTERN, 'must be provider/model, with "*" at its end or without'),
  input: usd,
  output: usd,
  /** Null: the provider has no price of its own for it, and it costs what other input costs. */
  cache_read: usd.nullable().default(null),
  cache_write: usd.nullable().default(null),
});

/** What models cost, in US dollars per million tokens. */
export const priceTableSchema = z.strictObject({
  /** The day on which the prices were looked up. */
  date: z.iso.date(),
  prices: z.array(priceSchema).max(10_000),
});
export type PriceTable = z.infer<typeof priceTableSchema>;
export type Price = Omit<PriceTable['prices'][number], 'model'>;

type Row = readonly [model: string, input: number, output: number, read?: number, write?: number];

/**
 * List prices of the makers for requests of ordinary size, without discounts for batches; the price of
 * a cache write is that of the shortest time it is kept. Where they were read: docs/configuration.md.
 */
const ROWS: readonly Row[] = [
  ['anthropic/claude-3-haiku*', 0.25, 1.25, 0.03, 0.3],
  ['anthropic/claude-3-5-haiku*', 0.8, 4, 0.08, 1],
  ['anthropic/claude-3-5-sonnet*', 3, 15, 0.3, 3.75],
  ['anthropic/claude-3-7-sonnet*', 3, 15, 0.3, 3.75],
  ['anthropic/claude-3-opus*', 15, 75, 1.5, 18.75],
  ['anthropic/claude-haiku-4-5*', 1, 5, 0.1, 1.25],
  ['anthropic/claude-haiku-5-5*', 0.1, 0.5, 0.01, 0.125],
  ['anthropic/claude-sonnet-4*', 3, 15, 0.3, 3.75],
  ['anthropic/claude-sonnet-5*', 2, 10, 0.2, 2.5],
  ['anthropic/claude-sonnet-5-5*', 2, 10, 0.1, 2.5],
  ['anthropic/claude-opus-4-0*', 15, 75, 1.5, 18.75],
  ['anthropic/claude-opus-4-1*', 15, 75, 1.5, 18.75],
  ['anthropic/claude-opus-4-2025*', 15, 75, 1.5, 18.75],
  ['anthropic/claude-opus-4-5*', 5, 25, 0.5, 6.25],
  ['anthropic/claude-opus-4-6*', 5, 25, 0.5, 6.25],
  ['anthropic/claude-opus-4-7*', 5, 25, 0.5, 6.25],
  ['anthropic/claude-opus-4-8*', 5, 25, 0.5, 6.25],
  ['anthropic/claude-opus-5*', 5, 25, 0.5, 6.25],
  ['anthropic/claude-opus-5-5*', 4, 20, 0.2, 5],
  ['anthropic/claude-fable-5*', 10, 50, 1, 12.5],
  ['anthropic/claude-fable-5-1*', 10, 50, 0.25, 12.5],
  ['anthropic/claude-mythos-5*', 10, 50, 1, 12.5],
  ['anthropic/claude-mythos-5-1*', 10, 50, 0.25, 12.5],
  ['openai/gpt-4o', 2.5, 10, 1.25],
  ['openai/gpt-4o-2024-08*', 2.5, 10, 1.25],
  ['openai/gpt-4o-2024-11*', 2.5, 10, 1.25],
  ['openai/gpt-4o-mini*', 0.15, 0.6, 0.075],
  ['openai/gpt-4.1', 2, 8, 0.5],
  ['openai/gpt-4.1-2025*', 2, 8, 0.5],
  ['openai/gpt-4.1-mini*', 0.4, 1.6, 0.1],
  ['openai/gpt-4.1-nano*', 0.1, 0.4, 0.025],
  ['openai/gpt-5', 1.25, 10, 0.125],
  ['openai/gpt-5-2025*', 1.25, 10, 0.125],
  ['openai/gpt-5-chat*', 1.25, 10, 0.125],
  ['openai/gpt-5-codex', 1.25, 10, 0.125],
  ['openai/gpt-5-mini*', 0.25, 2, 0.025],
  ['openai/gpt-5-nano*', 0.05, 0.4, 0.005],
  ['openai/gpt-5.1', 1.25, 10, 0.125],
  ['openai/gpt-5.1-2025*', 1.25, 10, 0.125],
  ['openai/gpt-5.2', 1.75, 14, 0.175],
  ['openai/gpt-5.2-2025*', 1.75, 14, 0.175],
  ['openai/gpt-5.4', 2.5, 15, 0.25],
  ['openai/gpt-5.4-2026*', 2.5, 15, 0.25],
  ['openai/gpt-5.4-mini*', 0.75, 4.5, 0.075],
  ['openai/gpt-5.4-nano*', 0.2, 1.25, 0.02],
  ['openai/gpt-5.5', 5, 30, 0.5],
  ['openai/gpt-5.5-2026*', 5, 30, 0.5],
  ['openai/gpt-5.6-sol*', 4, 20, 0.4],
  ['openai/gpt-5.6-terra*', 2, 12, 0.2],
  ['openai/gpt-5.6-luna*', 0.2, 1.2, 0.02],
  ['openai/gpt-6-astra*', 10, 50, 1],
  ['openai/gpt-6-sol*', 2, 10, 0.2, 2.5],
  ['openai/gpt-6-luna*', 0.1, 0.5, 0.01, 0.125],
  ['openai/gpt-6.1-sol*', 2, 10, 0.1, 2.5],
  ['openai/gpt-6.1-terra*', 1, 5, 0.05, 1.25],
  ['openai/o1', 15, 60, 7.5],
  ['openai/o1-2024*', 15, 60, 7.5],
  ['openai/o3', 2, 8, 0.5],
  ['openai/o3-2025*', 2, 8, 0.5],
  ['openai/o3-mini*', 1.1, 4.4, 0.55],
  ['openai/o4-mini', 1.1, 4.4, 0.275],
  ['openai/o4-mini-2025*', 1.1, 4.4, 0.275],
  ['google/gemini-2.5-pro*', 1.25, 10, 0.125],
  ['google/gemini-2.5-flash', 0.3, 2.5, 0.03],
  ['google/gemini-2.5-flash-lite*', 0.1, 0.4, 0.01],
  ['google/gemini-3-flash-preview*', 0.5, 3, 0.05],
  ['google/gemini-3.1-pro-preview*', 2, 12],
  ['google/gemini-3.5-flash', 1.5, 9, 0.15],
  ['google/gemini-3.5-flash-lite*', 0.3, 2.5],
  ['google/gemini-3.8-flash*', 0.75, 3.75],
  ['groq/llama-3.1-8b-instant', 0.05, 0.08],
  ['groq/llama-3.3-70b-versatile', 0.59, 0.79],
];

/** What is known without a table of the operator; a model that is missing here has no price. */
export const DEFAULT_PRICES: PriceTable = {
  date: '2026-10-27',
  prices: ROWS.map(([model, input, output, cache_read = null, cache_write = null]) => ({
    model,
    input,
    output,
    cache_read,
    cache_write,
  })),
};

/**
 * The price of a model, or null when the table does not have it. A name without a provider is that of
 * any provider that has such a model; of several patterns the longest counts,
 * and a whole name before a beginning.
 */
export function priceOf({ prices }: PriceTable, model: string): Price | null {
  const name = model.trim().toLowerCase();
  let best: PriceTable['prices'][number] | null = null;
  for (const price of prices) {
    const isCloser = best === null || closeness(price.model) > closeness(best.model);
    if (isCloser && matches(price.model.toLowerCase(), name)) best = price;
  }
  return best;
}

/** A whole name is closer than a beginning of the same length. */
function closeness(pattern: string): number {
  return pattern.endsWith('*') ? pattern.length - 1 : pattern.length + 0.5;
}

function matches(pattern: string, name: string): boolean {
  const own = name.includes('/') ? pattern : pattern.slice(pattern.indexOf('/') + 1);
  return own.endsWith('*') ? name.startsWith(own.slice(0, -1)) : name === own;
}

const PER_MILLION = 1_000_000;

/** What so many tokens cost, in US dollars. */
export function usdOf(usage: Usage, price: Price): number {
  const { input, output, cache_read, cache_write } = orInput(price);
  return (
    (usage.input * input +
      usage.output * output +
      usage.cache_read * cache_read +
      usage.cache_creation * cache_write) /
    PER_MILLION
  );
}

/** With the price of input in place of those that a provider does not have. */
function orInput({ input, output, cache_read, cache_write }: Price) {
  return { input, output, cache_read: cache_read ?? input, cache_write: cache_write ?? input };
}

/**
 * What a context token costs with each later call, and what it costs beyond that with the first one
 * after the context has changed, when nothing of it is in the provider's cache; US dollars.
 * `cachedShare`: how much of their input calls find in the cache, 0 to 1.
 */
export function contextRates(price: Price, cachedShare: number): { later: number; first: number } {
  const { input, cache_read, cache_write } = orInput(price);
  const later = cachedShare * cache_read + (1 - cachedShare) * input;
  const written = cachedShare * cache_write + (1 - cachedShare) * input;
  return { later: later / PER_MILLION, first: Math.max(0, written - later) / PER_MILLION };
}
