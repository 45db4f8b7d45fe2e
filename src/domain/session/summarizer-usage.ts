import type { Usage } from '../items/item.ts';
import type { SessionEvent } from './events.ts';

/** What a summary has cost that no model wrote. */
export const NO_TOKENS: Usage = { input: 0, output: 0, cache_read: 0, cache_creation: 0 };

export function sumOfUsage(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cache_read: a.cache_read + b.cache_read,
    cache_creation: a.cache_creation + b.cache_creation,
  };
}

/** Whether anything was paid at all. */
export function isPaid({ input, output, cache_read, cache_creation }: Usage): boolean {
  return input + output + cache_read + cache_creation > 0;
}

/** What the failed attempts among the events of one compaction have cost. */
export function usageOfFailures(events: readonly SessionEvent[]): Usage {
  return events.reduce(
    (sum, event) =>
      event.type === 'compaction.failed' ? sumOfUsage(sum, event.data.usage ?? NO_TOKENS) : sum,
    NO_TOKENS,
  );
}
