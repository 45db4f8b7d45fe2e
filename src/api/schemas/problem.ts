import { type RouteConfig, z } from '@hono/zod-openapi';

export const problemSchema = z
  .object({
    type: z.string().openapi({ description: 'Stable name of the kind of problem, as a URN.' }),
    title: z.string(),
    status: z.int(),
    detail: z
      .string()
      .openapi({ description: 'What is wrong with this request, and what to change.' }),
    errors: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .openapi({ description: 'On validation: the offending fields, at most 100.' }),
  })
  .openapi('Problem', {
    example: {
      type: 'urn:palimpsest:problem:session-not-found',
      title: 'Session not found',
      status: 404,
      detail: 'there is no session with this id: create it with POST /sessions',
    },
  });

const DESCRIPTIONS: Record<number, string> = {
  400: 'The request is not valid; `errors` names the fields.',
  401: 'API keys are configured, and the request has none or an unknown one.',
  403: 'No API keys are configured, and the request names a host other than this machine, or comes from a web page of another site.',
  404: 'There is no such session, compaction, version or tool result.',
  409: 'The state of the session does not allow this; `detail` says why.',
  412: '`If-Match` names another version than the current one.',
  413: 'The body or the number of items is above the limit.',
  415: 'The content type is not one that this endpoint takes, or the body is compressed.',
  422: 'The `Idempotency-Key` was used with another request.',
  429: 'Too many requests with this key; see `Retry-After`.',
  500: 'An error in the service; its log has the details.',
  503: 'The store is busy, read-only or cannot be reached; see `Retry-After`.',
  507: 'The disk of the store is full; nothing was written.',
};

/** The documentation of problem responses. */
export function problems(statuses: readonly number[]): RouteConfig['responses'] {
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        description: DESCRIPTIONS[status] ?? 'A problem.',
        ...(status === 429 || status === 503 ? { headers: RETRY_AFTER } : {}),
        content: { 'application/problem+json': { schema: problemSchema } },
      },
    ]),
  );
}

const RETRY_AFTER = {
  'Retry-After': {
    description: 'Seconds to wait before the next try.',
    schema: { type: 'integer' as const },
  },
};
