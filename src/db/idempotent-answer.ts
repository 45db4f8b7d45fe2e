import type { Committed } from '../app/ports/event-store.ts';
import { accept, type Outcome, reject } from '../domain/session/errors.ts';

/** What is kept under an idempotency key: the request's fingerprint and the answer as JSON. */
export type KeptAnswer = { fingerprint: string; response: string };

/** The first answer again, or a rejection when the key came with another body. */
export function answerAgain(
  { fingerprint, response }: KeptAnswer,
  request: { fingerprint: string },
): Outcome<Committed<unknown>> {
  if (fingerprint !== request.fingerprint) {
    return reject(
      'idempotency_mismatch',
      'this Idempotency-Key was used with another request body: send a new key with a new body',
    );
  }
  return accept({ value: JSON.parse(response), replayed: true });
}
