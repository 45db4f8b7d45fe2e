import { createHash } from 'node:crypto';
import type { z } from '@hono/zod-openapi';
import type { HonoRequest } from 'hono';
import type { Idempotency } from '../../app/ports/event-store.ts';
import { type BodyLimits, readJson } from './json-body.ts';
import { ProblemError } from './problem.ts';

/**
 * The key of a request that may be repeated, with a fingerprint of its body, a text or its bytes; null
 * without one. Throws ProblemError.
 */
export function readIdempotency(req: HonoRequest, body: string | Uint8Array): Idempotency | null {
  const key = req.header('idempotency-key');
  if (key === undefined) return null;
  if (!/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw new ProblemError(
      'invalid_request',
      'an Idempotency-Key must be 1 to 255 printable ASCII characters',
    );
  }
  const fingerprint = createHash('sha256')
    .update(`${req.method}\n${req.path}\n`)
    .update(body)
    .digest('hex');
  return { key, fingerprint };
}

/** A JSON body that fits the schema, and the key of its request. Throws ProblemError. */
export async function readRepeatable<T>(
  req: HonoRequest,
  limits: BodyLimits,
  schema: z.ZodType<T>,
): Promise<{ body: T; idempotency: Idempotency | null }> {
  const body = await readJson(req.raw, limits, schema);
  return { body, idempotency: readIdempotency(req, JSON.stringify(body)) };
}

/** Says that the answer is the one that an earlier request with the same key got. */
export function replayedHeader(replayed: boolean): Record<string, string> {
  return replayed ? { 'Idempotency-Replayed': 'true' } : {};
}
