import { ProblemError } from './problem.ts';

/** Stands for a thrown value that is no Error, which Hono would not hand to its error handler. */
class NoError extends Error {
  override readonly name = 'NoError';
}

/**
 * What an endpoint throws, as an Error that becomes a problem. A read that fails because the text of
 * its answer passes the longest string of V8, about 512 MiB, is told how to get at the data instead.
 */
export function thrown(error: unknown, method: string): Error {
  if (!(error instanceof Error)) return new NoError(`a ${typeof error} was thrown`);
  const isTooLong = error instanceof RangeError && error.message === 'Invalid string length';
  // Of a write it cannot be said that only its answer is at fault.
  if (!isTooLong || method !== 'get') return error;
  return new ProblemError(
    'answer_too_large',
    'what this would answer is too large for one response: compact the session first, or read it ' +
      'in pages from /items',
  );
}
