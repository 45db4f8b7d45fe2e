import type { SummaryFailure } from '../summarizers/summarizer.ts';

const BASE_MS = 500;
const LONGEST_MS = 60_000;

/** A provider that asks for more than this is asked again earlier: the context goes on growing. */
const LONGEST_RETRY_AFTER_MS = 600_000;

/**
 * Milliseconds to wait before the attempt after `attempt` (1, 2, …): exponential, the upper half of it
 * jitter, never less than what the provider asked for, up to ten minutes (SPEC section 10). `random`
 * is in [0, 1).
 */
export function backoffMs(
  attempt: number,
  retryAfterMs: number | undefined,
  random: number,
): number {
  const ceiling = Math.min(LONGEST_MS, BASE_MS * 2 ** (attempt - 1));
  const jittered = ceiling / 2 + (ceiling / 2) * random;
  return Math.round(Math.max(jittered, Math.min(retryAfterMs ?? 0, LONGEST_RETRY_AFTER_MS)));
}

/** What a failure says about trying the same again. */
type Retryability = Partial<Pick<SummaryFailure, 'retryable' | 'retry_after_ms' | 'most_attempts'>>;

/**
 * What follows on a failed attempt (1, 2, …) of at most `most` (SPEC section 10): the milliseconds after
 * which the same is tried again, or null when that is no use: then the next way is taken, or none is
 * left. `random` is in [0, 1).
 */
export function retryAfterMs(
  { retryable = false, retry_after_ms, most_attempts = Infinity }: Retryability,
  attempt: number,
  most: number,
  random: number,
): number | null {
  if (!retryable || attempt >= Math.min(most, most_attempts)) return null;
  return backoffMs(attempt, retry_after_ms, random);
}
