/** Another process held the store's write lock for longer than the store waits; nothing was written. */
export class StoreBusyError extends Error {
  override readonly name = 'StoreBusyError';

  constructor(cause: unknown) {
    super('The event store is locked by another process; nothing was written, try again.', {
      cause,
    });
  }
}
