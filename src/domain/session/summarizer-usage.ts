import type { SessionEvent, SummarizerUsage } from './events.ts';

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

/** Whether anything was paid at all. */
export function isPaid({ input, output, cache_read, cache_creation }: SummarizerUsage): boolean {
  return input + output + cache_read + cache_creation > 0;
}

/** What the failed attempts among the events of one compaction have cost. */
export function usageOfFailures(events: readonly SessionEvent[]): SummarizerUsage {
  return events.reduce(
    (sum, event) =>
      event.type === 'compaction.failed' ? sumOfUsage(sum, event.data.usage ?? NO_TOKENS) : sum,
    NO_TOKENS,
  );
}
