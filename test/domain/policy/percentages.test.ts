import { expect, it } from 'vitest';
import { percentProblem } from '../../../src/domain/policy/percentages.ts';

it.each([
  [
    { auto_compact_pct_override: 0.85 },
    'auto_compact_pct_override: 0.85 is less than one percent: write 85 for 85 %',
  ],
  [{ trigger_asap_percent_remaining_lt: 0.07 }, 'write 7 for 7 %'],
])('says which percentage is a share (%#)', (config, words) => {
  expect(percentProblem(config)).toContain(words);
});

it.each([
  { auto_compact_pct_override: 85 },
  { trigger_early_percent_remaining_lt: 0 },
  { auto_compact_pct_override: null },
  { retention_min: 0.8 },
])('takes percentages, and shares where they belong (%#)', (config) =>
  expect(percentProblem(config)).toBeNull(),
);
