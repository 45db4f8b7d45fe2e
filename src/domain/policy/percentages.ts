import type { ConfigOverrides } from './config.ts';

const OF_PERCENTAGES = /_(?:pct|percent)_/;

/**
 * Says which percentage is a share, such as 0.8 for 80 %, or null. Taken at its word it would be less than
 * one percent of the window, and the session compacted with each message.
 */
export function percentProblem(config: ConfigOverrides): string | null {
  for (const [field, value] of Object.entries(config)) {
    if (!OF_PERCENTAGES.test(field) || typeof value !== 'number') continue;
    if (value > 0 && value < 1) {
      const meant = Number((value * 100).toPrecision(6));
      return `${field}: ${value} is less than one percent: write ${meant} for ${meant} %`;
    }
  }
  return null;
}
