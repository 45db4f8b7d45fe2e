import { type RouteConfig, z } from '@hono/zod-openapi';
import { shortened } from '../http/abridge.ts';
import { exampleProblem } from '../http/documented-problems.ts';
import { openAiErrorType } from '../http/openai-error-type.ts';
import { type ProblemCode, type ProblemError, problemStatus } from '../http/problem.ts';
import type { DocumentedCode } from '../http/problem-examples.ts';

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

/** The body of its response. */
function openAiBody(error: OpenAiError): z.infer<typeof errorBody> {
  return {
    error: {
      message: shortened(error.message),
      type: openAiErrorType(error.status),
      param: error.param === null ? null : shortened(error.param),
      code: error.code,
    },
  };
}

export function openAiErrorResponse(error: OpenAiError): Response {
  return new Response(JSON.stringify(openAiBody(error)), {
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

const errorBody = z
  .object({
    error: z
      .object({
        message: z.string().openapi({ description: 'What is wrong, and what to change.' }),
        type: z.string().openapi({
          description: '`invalid_request_error`, `rate_limit_error` or `server_error`.',
        }),
        param: z.string().nullable().openapi({ description: 'The field of the request, if any.' }),
        code: z.string().openapi({ description: 'Stable name of the kind of error.' }),
      })
      .describe('What went wrong.'),
  })
  .openapi('OpenAiError', {
    description: 'An error as clients of the OpenAI API read it.',
    example: {
      error: {
        message: 'the body (model) cannot be used: is missing: must be a string',
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

/** Errors of its own, as they come; the others are those of the rest of the API. */
const OWN: readonly OpenAiError[] = [
  new OpenAiError(
    400,
    'previous_response_not_found',
    'this service has not given this response: leave out previous_response_id, and send the conversation as input',
    { param: 'previous_response_id' },
  ),
  new OpenAiError(
    400,
    'item_not_found',
    'input[0] refers to an item that is kept elsewhere: send the item itself',
    { param: 'input[0]' },
  ),
  new OpenAiError(
    400,
    'invalid_encrypted_content',
    'input[0].encrypted_content cannot be used: it was changed, or it was made under another API key, with another PALIMPSEST_COMPACTION_SECRET, or by another service',
    { param: 'input[0].encrypted_content' },
  ),
  new OpenAiError(
    400,
    'nothing_to_compact',
    'there is nothing to compact: input is empty, or all of it belongs to an open tool call or to compaction items of another service',
    { param: 'input' },
  ),
  new OpenAiError(
    400,
    'compaction_disabled',
    'compaction is switched off on this server: start it without DISABLE_COMPACT',
  ),
  new OpenAiError(
    413,
    'content_too_large',
    'input[0].encrypted_content cannot be used: expanded, it takes more than 16777216 bytes of JSON',
    { param: 'input[0].encrypted_content' },
  ),
  new OpenAiError(
    413,
    'too_many_items',
    'input holds 10001 items, and a request may have at most 10000',
    { param: 'input' },
  ),
  new OpenAiError(503, 'summarizer_failed', 'no summary could be written: the model has failed'),
];

/** The documentation of these errors. */
export function openAiErrors(codes: readonly DocumentedCode[]): RouteConfig['responses'] {
  const responses: RouteConfig['responses'] = {};
  const all = [...codes.map((code) => openAiErrorOf(exampleProblem(code))), ...OWN];
  for (const { status } of all) {
    const examples = all
      .filter((error) => error.status === status)
      .map((error) => [error.code, { value: openAiBody(error) }]);
    responses[status] = {
      description: DESCRIPTIONS[status] ?? 'An error.',
      content: {
        'application/json': { schema: errorBody, examples: Object.fromEntries(examples) },
      },
    };
  }
  return responses;
}
