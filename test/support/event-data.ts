import type { Usage } from '../../src/domain/items/item.ts';
import type { Attribution } from '../../src/domain/policy/attribution.ts';

/** What a request says of its cause when no tier was asked. */
export function attributionOf(
  path: Attribution['path'],
  overrides: Partial<Attribution> = {},
): Attribution {
  return { path, tier: null, percent_remaining: null, boundaries: [], ...overrides };
}

/** Of a summariser that called no model. */
export const NO_SUMMARIZER_USAGE: Usage = {
  input: 0,
  output: 0,
  cache_read: 0,
  cache_creation: 0,
};

/** The rest of a report that says nothing of interest. */
export const PLAIN_REPORT = {
  summarizer: 'extractive',
  model: null,
  template: 'nine-sections@1',
  usage: NO_SUMMARIZER_USAGE,
  left_out: { cleared_results: 0, truncated_results: 0, dropped_items: 0 },
  truncated_turns: 0,
  files_restored: 0,
  duration_ms: 5,
  summarizer_ms: 4,
} as const;
