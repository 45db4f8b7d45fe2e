import { z } from '@hono/zod-openapi';
import type { JsonObject } from '../../domain/json.ts';
import { isJsonObject } from '../../domain/json.ts';

/** Ids as SPEC section 2 has them, without the two that no URL can carry as a path segment. */
export const idSchema = z
  .string()
  .regex(
    /^(?!\.{1,2}$)[A-Za-z0-9._:-]{1,128}$/,
    'an id must be 1 to 128 characters (letters, digits, ".", "_", ":", "-"), and not "." or ".."',
  );

export const sessionParams = z.object({
  id: idSchema.openapi({ description: 'Id of the session.', example: 'support-4711' }),
});

export const compactionParams = sessionParams.extend({
  cid: idSchema.openapi({
    description: 'Id of the compaction.',
    example: '01936f5e-7d0a-7c2e-9d5b-0b5f3c1d2e4f',
  }),
});

/** A whole number in a path or query, where everything arrives as text. */
export function wholeNumber(min: number, max: number, description: string) {
  const message = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,15}$/, message)
    .transform(Number)
    .refine((number) => number >= min && number <= max, message)
    .openapi({ type: 'integer', minimum: min, maximum: max, description });
}

/** Fifteen digits: all of them are exact in a JSON number. */
export const MAX_VERSION = 999_999_999_999_999;

const limitQuery = wholeNumber(1, 500, 'Entries per page; default 50.').optional();
export const DEFAULT_LIMIT = 50;

export const pageQuery = z.object({
  limit: limitQuery,
  cursor: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .openapi({ description: '`next_cursor` of the page before.' }),
});

/** Pages of the log: the cursor is the last `seq` or `version` of the page before. */
export const logPageQuery = z.object({
  after: wholeNumber(0, MAX_VERSION, 'Only entries after this one.').optional(),
  cursor: wholeNumber(
    0,
    MAX_VERSION,
    '`next_cursor` of the page before; wins over `after`.',
  ).optional(),
  limit: limitQuery,
});

export function pageOf<T extends z.ZodType>(entry: T) {
  return z.object({
    data: z.array(entry).describe('The entries of this page.'),
    next_cursor: z
      .string()
      .nullable()
      .describe('Send it as `cursor` for the next page; null: there is none.'),
  });
}

/** Any JSON object, kept exactly as it came: zod would rebuild it key by key. */
export function jsonObject(description: string) {
  return z
    .custom<JsonObject>((value) => isJsonObject(value), 'must be a JSON object')
    .openapi({ type: 'object', additionalProperties: true, description });
}

export const tokenCount = z.int().min(0);

/** The session that an answer is about. */
export const sessionId = z.string().describe('The session that this is about.');

/** The version after a write. */
export const versionNow = z.int().describe('The version that the session has now.');

export const timestamp = z
  .string()
  .openapi({ format: 'date-time', example: '2026-01-02T03:04:05.678Z' });

export const idempotencyHeader = z.object({
  'idempotency-key': z
    .string()
    .regex(/^[\x20-\x7e]{1,255}$/)
    .optional()
    .openapi({
      description:
        'A name of your own for the request, such as `turn-17`: the same key and body get the first ' +
        'response again.',
    }),
});

export const preferHeader = z.object({
  prefer: z.string().optional().openapi({
    description: '`wait=N`: hold the answer for at most N seconds (60), such as `wait=10`.',
  }),
});
