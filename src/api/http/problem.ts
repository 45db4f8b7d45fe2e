import type { z } from '@hono/zod-openapi';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { FieldError, Outcome, Rejection, RejectionCode } from '../../domain/session/errors.ts';
import type { problemSchema } from '../schemas/problem.ts';
import { firstErrors, shortened } from './abridge.ts';

/** Problems that the API itself finds, before or beside the domain. */
type ApiProblemCode =
  | 'unauthorized'
  | 'host_not_local'
  | 'cross_site_request'
  | 'method_not_allowed'
  | 'body_too_large'
  | 'answer_too_large'
  | 'unsupported_media_type'
  | 'rate_limited'
  | 'store_full'
  | 'store_read_only'
  | 'store_damaged'
  | 'internal_error'
  | 'unavailable';

export type ProblemCode = RejectionCode | ApiProblemCode;

/** Thrown anywhere in a handler; `create-app` turns it into the response. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly code: ProblemCode;
  readonly errors: FieldError[] | undefined;
  readonly headers: Record<string, string>;

  constructor(
    code: ProblemCode,
    detail: string,
    more: { errors?: FieldError[] | undefined; headers?: Record<string, string> } = {},
  ) {
    super(detail);
    this.code = code;
    this.errors = more.errors;
    this.headers = more.headers ?? {};
  }
}

/** The value of an outcome. Throws ProblemError for a rejection. */
export function unwrap<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  throw rejected(outcome.rejection);
}

export function rejected(rejection: Rejection): ProblemError {
  return new ProblemError(rejection.code, rejection.detail, { errors: rejection.errors });
}

/** The response of an error; however much is wrong, it stays small enough to be read. */
export function problemResponse(error: ProblemError): Response {
  const { status, title } = kindOf(error.code);
  const problem: z.input<typeof problemSchema> = {
    type: `urn:palimpsest:problem:${error.code.replaceAll('_', '-')}`,
    title,
    status,
    detail: shortened(error.message),
    ...(error.errors === undefined ? {} : { errors: firstErrors(error.errors) }),
  };
  return new Response(JSON.stringify(problem), {
    status,
    headers: { ...error.headers, 'Content-Type': 'application/problem+json' },
  });
}

export function problemStatus(code: ProblemCode): ContentfulStatusCode {
  return kindOf(code).status;
}

/** The one place where kinds of errors become HTTP statuses (DESIGN, decision 9). */
function kindOf(code: ProblemCode): { status: ContentfulStatusCode; title: string } {
  switch (code) {
    case 'session_not_found':
      return { status: 404, title: 'Session not found' };
    case 'session_exists':
      return { status: 409, title: 'Session exists' };
    case 'version_mismatch':
      return { status: 412, title: 'Version mismatch' };
    case 'idempotency_mismatch':
      return { status: 422, title: 'Idempotency key used for another request' };
    case 'invalid_item':
      return { status: 400, title: 'Invalid item' };
    case 'invalid_config':
      return { status: 400, title: 'Invalid configuration' };
    case 'compaction_disabled':
      return { status: 409, title: 'Compaction is switched off' };
    case 'compaction_not_found':
      return { status: 404, title: 'Compaction not found' };
    case 'compaction_not_cancellable':
      return { status: 409, title: 'Compaction cannot be cancelled' };
    case 'compaction_not_revertible':
      return { status: 409, title: 'Compaction cannot be reverted' };
    case 'packet_not_requested':
      return { status: 409, title: 'No packet was requested' };
    case 'version_not_found':
      return { status: 404, title: 'Version not found' };
    case 'invalid_request':
      return { status: 400, title: 'Invalid request' };
    case 'unauthorized':
      return { status: 401, title: 'Key missing or unknown' };
    case 'host_not_local':
      return { status: 403, title: 'Host name not allowed' };
    case 'cross_site_request':
      return { status: 403, title: 'Request from another web site' };
    case 'not_found':
      return { status: 404, title: 'Not found' };
    case 'method_not_allowed':
      return { status: 405, title: 'Method not allowed' };
    case 'compaction_not_ended':
      return { status: 409, title: 'Compaction has not ended' };
    case 'body_too_large':
      return { status: 413, title: 'Body too large' };
    case 'answer_too_large':
      return { status: 409, title: 'Answer too large' };
    case 'unsupported_media_type':
      return { status: 415, title: 'Unsupported media type' };
    case 'rate_limited':
      return { status: 429, title: 'Too many requests' };
    case 'store_full':
      return { status: 507, title: 'Disk full' };
    case 'store_read_only':
      return { status: 503, title: 'Store cannot be written' };
    case 'store_damaged':
      return { status: 500, title: 'Store damaged' };
    case 'internal_error':
      return { status: 500, title: 'Internal error' };
    case 'unavailable':
      return { status: 503, title: 'Unavailable' };
    default:
      return code satisfies never;
  }
}
