import { callFailure } from './failures.ts';
import type { SummaryFailure } from './summarizer.ts';

/**
 * What a call to a provider answers that is given up after `timeout_ms`, or when `signal` says so.
 * Never throws: whatever goes wrong becomes a failure with kind and retryability.
 */
export async function timedCall<T extends { ok: true }>(
  provider: string,
  { timeout_ms, signal }: { timeout_ms: number; signal: AbortSignal },
  call: (signal: AbortSignal) => Promise<T | SummaryFailure>,
): Promise<T | SummaryFailure> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), timeout_ms);
  const stopped = (): SummaryFailure | null => {
    const failure = { ok: false, retryable: true } as const;
    if (signal.aborted) {
      return {
        ...failure,
        reason: 'interrupted',
        message: `${provider}: the call was interrupted`,
      };
    }
    const message = `${provider}: no complete answer within the time limit`;
    return timeout.signal.aborted ? { ...failure, reason: 'timeout', message } : null;
  };
  try {
    const answer = await call(AbortSignal.any([signal, timeout.signal]));
    return answer.ok ? answer : (stopped() ?? answer);
  } catch (error) {
    return stopped() ?? callFailure(error, provider, Date.now());
  } finally {
    clearTimeout(timer);
  }
}
