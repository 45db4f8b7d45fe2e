/** Another writer held the store, or this session, for longer than the store waits; nothing was written. */
export class StoreBusyError extends Error {
  override readonly name = 'StoreBusyError';

  constructor(cause: unknown) {
    super(
      'The event store is busy: another writer held it for too long; nothing was written, try again.',
      { cause },
    );
  }
}
