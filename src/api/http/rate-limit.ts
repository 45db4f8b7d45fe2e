import { ProblemError } from './problem.ts';

/**
 * A token bucket per tenant: a minute's requests at once, then as many as flow in. `now` answers
 * milliseconds. The function that comes back throws ProblemError (429 with `Retry-After`).
 */
export function rateLimiter(perMinute: number | null, now: () => number): (tenant: string) => void {
  if (perMinute === null) return () => {};
  const buckets = new Map<string, { requests: number; filledAt: number }>();
  const perMs = perMinute / 60_000;
  return (tenant) => {
    const at = now();
    let bucket = buckets.get(tenant);
    if (bucket === undefined) {
      bucket = { requests: perMinute, filledAt: at };
      buckets.set(tenant, bucket);
    }
    const inflow = Math.max(0, at - bucket.filledAt) * perMs;
    bucket.requests = Math.min(perMinute, bucket.requests + inflow);
    bucket.filledAt = at;
    if (bucket.requests < 1) {
      const seconds = Math.ceil((1 - bucket.requests) / perMs / 1000);
      throw new ProblemError(
        'rate_limited',
        `this key may send ${perMinute} requests a minute: wait ${seconds} s, then send the request again`,
        { headers: { 'Retry-After': String(seconds) } },
      );
    }
    bucket.requests -= 1;
  };
}
