import { type RouteConfig, z } from '@hono/zod-openapi';
import { shortened } from '../http/abridge.ts';
import { type ProblemCode, type ProblemError, problemStatus } from '../http/problem.ts';

/** An error as clients of the OpenAI API read it; `param` is a path such as `input[3].role`. */
export class OpenAiError extends Error {
  override readonly name = 'OpenAiError';
  readonly status: number;
  readonly code: string;
  readonly param: string | null;
  readonly headers: Record<string, string>;

  constructor(
    status: number,
    code: string,
    message: string,
    more: { param?: string | null; headers?: Record<string, string> } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.param = more.param ?? null;
    this.headers = more.headers ?? {};
  }
}

const ROOT = '/v1/';

/** Whether a path belongs to the part of the API that speaks as OpenAI's does. */
export function isOpenAiPath(path: string): boolean {
  return path.startsWith(ROOT) || path === '/v1';
}

/** The same error in OpenAI's terms. */
export function openAiErrorOf(problem: ProblemError): OpenAiError {
  const path = problem.errors?.[0]?.path ?? '';
  return new OpenAiError(problemStatus(problem.code), codeOf(problem.code), problem.message, {
    param: path === '' ? null : bracketed(path),
    headers: problem.headers,
  });
}

/** `input.3.role` as OpenAI writes it: `input[3].role`. */
export function bracketed(path: string): string {
  return path.replaceAll(/\.(\d+)(?=\.|$)/g, '[$1]');
}

export function openAiErrorResponse(error: OpenAiError): Response {
  const body: z.infer<typeof errorBody> = {
    error: {
      message: shortened(error.message),
      type: typeOf(error.status),
      param: error.param === null ? null : shortened(error.param),
      code: error.code,
    },
  };
  return new Response(JSON.stringify(body), {
    status: error.status,
    headers: { ...error.headers, 'Content-Type': 'application/json' },
  });
}

/** Those that OpenAI has a name for bear it; the others keep ours. */
function codeOf(code: ProblemCode): string {
  switch (code) {
    case 'unauthorized':
      return 'invalid_api_key';
    case 'rate_limited':
      return 'rate_limit_exceeded';
    default:
      return code;
  }
}

function typeOf(status: number): string {
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}

const errorBody = z
  .object({
    error: z.object({
      message: z.string().openapi({ description: 'What is wrong, and what to change.' }),
      type: z.string().openapi({
        description: '`invalid_request_error`, `rate_limit_error` or `server_error`.',
      }),
      param: z.string().nullable().openapi({ description: 'The field of the request, if any.' }),
      code: z.string().openapi({ description: 'Stable name of the kind of error.' }),
    }),
  })
  .openapi('OpenAiError', {
    example: {
      error: {
        message: 'the body (model) cannot be used: Invalid input: expected string',
        type: 'invalid_request_error',
        param: 'model',
        code: 'invalid_request',
      },
    },
  });

const DESCRIPTIONS: Record<number, string> = {
  400: 'The request is not valid; `param` names the field.',
  401: 'API keys are configured, and the request has none or an unknown one.',
  403: 'No API keys are configured, and the request names a host other than this machine, or comes from a web page of another site.',
  413: 'The body, the number of items, or what they expand to is above the limit.',
  415: 'The content type is not JSON, or the body is compressed.',
  429: 'Too many requests with this key; see `Retry-After`.',
  500: 'An error in the service; its log has the details.',
  503: 'No summary could be written, or the store cannot be reached.',
  507: 'The disk of the store is full.',
};

/** The documentation of these errors. */
export function openAiErrors(statuses: readonly number[]): RouteConfig['responses'] {
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        description: DESCRIPTIONS[status] ?? 'An error.',
        content: { 'application/json': { schema: errorBody } },
      },
    ]),
  );
}
