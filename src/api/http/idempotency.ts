import { createHash } from 'node:crypto';
import type { HonoRequest } from 'hono';
import type { Idempotency } from '../../app/ports/event-store.ts';
import { ProblemError } from './problem.ts';

/** The key of a request that may be repeated, with a fingerprint of what it asks for; null without one. */
export function readIdempotency(req: HonoRequest, text: string): Idempotency | null {
  const key = req.header('idempotency-key');
  if (key === undefined) return null;
  if (!/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw new ProblemError(
      'invalid_request',
      'an Idempotency-Key must be 1 to 255 printable ASCII characters',
    );
  }
  const fingerprint = createHash('sha256')
    .update(`${req.method}\n${req.path}\n${text}`)
    .digest('hex');
  return { key, fingerprint };
}

/** Says that the answer is the one that an earlier request with the same key got. */
export function replayedHeader(replayed: boolean): Record<string, string> {
  return replayed ? { 'Idempotency-Replayed': 'true' } : {};
}
