/** Jobs cannot be handed over now: Redis is away, frozen or refuses. Names host and port, no secret. */
export class QueueUnavailableError extends Error {
  override readonly name = 'QueueUnavailableError';

  constructor(address: string, why: string) {
    super(`the queue cannot be reached: Redis at ${address}: ${why}`);
  }
}
