import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import type { Idempotency } from '../../app/ports/event-store.ts';
import { ProblemError } from './problem.ts';

/** The key of a request that may be repeated, with a fingerprint of what it asks for; null without one. */
export function readIdempotency(c: Context, text: string): Idempotency | null {
  const key = c.req.header('idempotency-key');
  if (key === undefined) return null;
  if (!/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw new ProblemError(
      'invalid_request',
      'an Idempotency-Key must be 1 to 255 printable ASCII characters',
    );
  }
  const fingerprint = createHash('sha256')
    .update(`${c.req.method}\n${c.req.path}\n${text}`)
    .digest('hex');
  return { key, fingerprint };
}
