import { backoffMs } from './backoff.ts';

/** What a failure says about trying the same again. */
export type Retryability = {
  retryable: boolean;
  /** What the provider asked to wait, in milliseconds. */
  retry_after_ms?: number;
  /** Attempts after which it is no use. */
  most_attempts?: number;
};

/**
 * What follows on a failed attempt (1, 2, …) of at most `most` (SPEC section 10): the milliseconds after
 * which the same is tried again, or null when that is no use: then the next way is taken, or none is
 * left. `random` is in [0, 1).
 */
export function retryAfterMs(
  { retryable, retry_after_ms, most_attempts = Infinity }: Retryability,
  attempt: number,
  most: number,
  random: number,
): number | null {
  if (!retryable || attempt >= Math.min(most, most_attempts)) return null;
  return backoffMs(attempt, retry_after_ms, random);
}
