import type { OpenAPIHono, RouteConfig } from '@hono/zod-openapi';
import { groupBy } from '../../domain/group-by.ts';
import { problemSchema } from '../schemas/problem.ts';
import { ProblemError, problemBody, problemStatus } from './problem.ts';
import { type DocumentedCode, PROBLEM_EXAMPLES } from './problem-examples.ts';

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
  503: 'The store is busy, read-only or cannot be reached, or too many large bodies are under way, see `Retry-After`; or the archive that has the session cannot be used.',
  507: 'The disk of the store is full; nothing was written.',
};

const RETRY_AFTER = {
  'Retry-After': {
    description: 'Seconds to wait before the next try.',
    schema: { type: 'integer' as const },
  },
};

/** What every endpoint behind the gate may answer. */
export const COMMON_PROBLEMS = [
  'invalid_request',
  'unauthorized',
  'host_not_local',
  'cross_site_request',
  'rate_limited',
  'internal_error',
  'store_damaged',
  'unavailable',
  'archive_unavailable',
  'store_read_only',
  'store_full',
] as const satisfies readonly DocumentedCode[];

/** The problems that a body of this endpoint may lead to. */
export const BODY_PROBLEMS = ['body_too_large', 'unsupported_media_type'] as const;

/** What the service answers for a code, as an example. */
export function exampleProblem(code: DocumentedCode): ProblemError {
  const { detail, errors } = PROBLEM_EXAMPLES[code];
  return new ProblemError(code, detail, { errors });
}

/** The documentation of problem responses; what is the same everywhere stands in the document once. */
export function problems(codes: readonly DocumentedCode[]): RouteConfig['responses'] {
  const responses: RouteConfig['responses'] = {};
  for (const [status, own] of groupBy(codes, problemStatus)) {
    const common = groupBy(COMMON_PROBLEMS, problemStatus).get(status);
    responses[status] =
      common?.join() === own.join()
        ? { $ref: `#/components/responses/Problem${status}` }
        : { ...response(status, own), content: content(own, problemSchema) };
  }
  return responses;
}

/** What the responses above refer to. */
export function registerProblems({ openAPIRegistry }: OpenAPIHono): void {
  for (const code of Object.keys(PROBLEM_EXAMPLES) as DocumentedCode[]) {
    const value = problemBody(exampleProblem(code));
    openAPIRegistry.registerComponent('examples', code, { summary: value.title, value });
  }
  const schema = { $ref: '#/components/schemas/Problem' };
  for (const [status, codes] of groupBy(COMMON_PROBLEMS, problemStatus)) {
    openAPIRegistry.registerComponent('responses', `Problem${status}`, {
      ...response(status, codes),
      content: content(codes, schema),
    });
  }
}

function response(status: number, codes: readonly DocumentedCode[]) {
  return {
    description: DESCRIPTIONS[status] ?? `One of ${codes.join(', ')}.`,
    ...(status === 429 || status === 503 ? { headers: RETRY_AFTER } : {}),
  };
}

function content<S>(codes: readonly DocumentedCode[], schema: S) {
  const examples = Object.fromEntries(
    codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
  );
  return { 'application/problem+json': { schema, examples } };
}
