/**
 * What was asked for would hold up the thread that answers all requests. Thrown before anything is
 * written: the request is answered in another thread instead, from its beginning.
 */
export class ElsewhereError extends Error {
  override readonly name = 'ElsewhereError';
}

/** The thread that was to answer has ended before it did: it ran out of memory, or the process stops. */
export class ThreadDiedError extends Error {
  override readonly name = 'ThreadDiedError';

  constructor(cause: unknown) {
    super(
      'The thread that worked on this has died, most likely because it needed too much memory. Whether ' +
        'something was written is not known, and a retry with the same Idempotency-Key is safe.',
      { cause },
    );
  }
}
