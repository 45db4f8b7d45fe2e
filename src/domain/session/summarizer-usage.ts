import type { SummarizerUsage } from './events.ts';

/** What a summary has cost that no model wrote. */
export const NO_TOKENS: SummarizerUsage = { input: 0, output: 0, cache_read: 0, cache_creation: 0 };

export function sumOfUsage(a: SummarizerUsage, b: SummarizerUsage): SummarizerUsage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cache_read: a.cache_read + b.cache_read,
    cache_creation: a.cache_creation + b.cache_creation,
  };
}
