import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffMs, retryAfterMs } from '../../../src/workers/compaction/retry-policy.ts';

describe('backoffMs', () => {
  it.each([
    [1, undefined, 0, 250],
    [1, undefined, 0.5, 375],
    [2, undefined, 0, 500],
    [3, undefined, 0, 1_000],
    [8, undefined, 0, 30_000],
    [100, undefined, 0, 30_000],
    [1, 5_000, 0.9, 5_000],
    [1, 100, 0, 250],
    [1, 600_000, 0, 600_000],
    [1, 3_600_000, 0, 600_000],
  ])('attempt %i, Retry-After %s, random %d: %i ms', (attempt, retryAfter, random, expected) => {
    expect(backoffMs(attempt, retryAfter, random)).toBe(expected);
  });

  it('grows with the attempt and stays within its bounds', () => {
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), random, (attempt, value) => {
        const wait = backoffMs(attempt, undefined, value);
        expect(wait).toBeGreaterThanOrEqual(250);
        expect(wait).toBeLessThanOrEqual(60_000);
        expect(backoffMs(attempt + 1, undefined, value)).toBeGreaterThanOrEqual(wait);
      }),
    );
  });
});

describe('retryAfterMs', () => {
  const may = { retryable: true };
  it.each([
    ['what may pass is tried again', may, 1, 3, 250],
    ['later, after each attempt', may, 2, 3, 500],
    ['as late as the provider asks', { ...may, retry_after_ms: 7_000 }, 1, 3, 7_000],
    ['not after the last attempt', may, 3, 3, null],
    ['nor after more than that', may, 4, 3, null],
    ['nor oftener than is of use', { ...may, most_attempts: 2 }, 2, 3, null],
    ['however often that is', { ...may, most_attempts: 9 }, 3, 3, null],
    ['what stays is not tried again', { retryable: false, retry_after_ms: 7_000 }, 1, 3, null],
    ['nor what says nothing', {}, 1, 3, null],
  ])('%s', (_name, failure, attempt, most, expected) => {
    expect(retryAfterMs(failure, attempt, most, 0)).toBe(expected);
  });
});
