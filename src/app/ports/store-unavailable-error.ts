const ADVICE = {
  not_written: 'nothing was written, try again',
  unknown:
    'whether the last command was written is not known, and a retry with the same Idempotency-Key is safe',
};

/**
 * The database cannot be reached, or is stopping or starting. `outcome` is `unknown` only when the
 * connection broke while a commit was under way.
 */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
  readonly outcome: keyof typeof ADVICE;

  constructor(outcome: keyof typeof ADVICE, cause: unknown) {
    super(`The event store cannot be reached; ${ADVICE[outcome]}.`, { cause });
    this.outcome = outcome;
  }
}
