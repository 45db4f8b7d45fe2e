import type { z } from '@hono/zod-openapi';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { FieldError, Outcome, Rejection, RejectionCode } from '../../domain/session/errors.ts';
import type { problemSchema } from '../schemas/problem.ts';
import { firstErrors, shortened } from './abridge.ts';

type Kind = { status: ContentfulStatusCode; title: string };

/** The one place where kinds of errors become HTTP statuses (DESIGN, decision 9). */
export const PROBLEM_KINDS = {
  session_not_found: { status: 404, title: 'Session not found' },
  session_exists: { status: 409, title: 'Session exists' },
  version_mismatch: { status: 412, title: 'Version mismatch' },
  idempotency_mismatch: { status: 422, title: 'Idempotency key used for another request' },
  history_diverged: { status: 409, title: 'The history is another one' },
  invalid_item: { status: 400, title: 'Invalid item' },
  invalid_config: { status: 400, title: 'Invalid configuration' },
  compaction_disabled: { status: 409, title: 'Compaction is switched off' },
  compaction_not_found: { status: 404, title: 'Compaction not found' },
  compaction_not_cancellable: { status: 409, title: 'Compaction cannot be cancelled' },
  compaction_not_revertible: { status: 409, title: 'Compaction cannot be reverted' },
  compaction_not_proposable: { status: 409, title: 'Compaction cannot be proposed' },
  compaction_not_applicable: { status: 409, title: 'Compaction cannot be applied' },
  proposal_not_open: { status: 409, title: 'Proposal is not open' },
  compaction_under_way: { status: 409, title: 'Another compaction is under way' },
  not_pinnable: { status: 409, title: 'Cannot be pinned' },
  pin_not_found: { status: 404, title: 'Pin not found' },
  packet_not_requested: { status: 409, title: 'No packet was requested' },
  version_not_found: { status: 404, title: 'Version not found' },
  invalid_request: { status: 400, title: 'Invalid request' },
  unauthorized: { status: 401, title: 'Key missing or unknown' },
  host_not_local: { status: 403, title: 'Host name not allowed' },
  cross_site_request: { status: 403, title: 'Request from another web site' },
  form_outdated: { status: 403, title: 'Form out of date' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  compaction_not_ended: { status: 409, title: 'Compaction has not ended' },
  body_too_large: { status: 413, title: 'Body too large' },
  answer_too_large: { status: 409, title: 'Answer too large' },
  unsupported_media_type: { status: 415, title: 'Unsupported media type' },
  rate_limited: { status: 429, title: 'Too many requests' },
  store_full: { status: 507, title: 'Disk full' },
  store_read_only: { status: 503, title: 'Store cannot be written' },
  store_damaged: { status: 500, title: 'Store damaged' },
  internal_error: { status: 500, title: 'Internal error' },
  archive_unavailable: { status: 503, title: 'Archive cannot be used' },
  unavailable: { status: 503, title: 'Unavailable' },
} as const satisfies Record<RejectionCode, Kind> & Record<string, Kind>;

/** Why a command was refused, or what the API itself finds, before or beside the domain. */
export type ProblemCode = keyof typeof PROBLEM_KINDS;

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

function rejected(rejection: Rejection): ProblemError {
  return new ProblemError(rejection.code, rejection.detail, { errors: rejection.errors });
}

/** The body of its response; however much is wrong, it stays small enough to be read. */
export function problemBody(error: ProblemError): z.input<typeof problemSchema> {
  const { status, title } = PROBLEM_KINDS[error.code];
  return {
    type: `urn:palimpsest:problem:${error.code.replaceAll('_', '-')}`,
    title,
    status,
    detail: shortened(error.message),
    ...(error.errors === undefined ? {} : { errors: firstErrors(error.errors) }),
  };
}

export function problemResponse(error: ProblemError): Response {
  return new Response(JSON.stringify(problemBody(error)), {
    status: problemStatus(error.code),
    headers: { ...error.headers, 'Content-Type': 'application/problem+json' },
  });
}

export function problemStatus(code: ProblemCode): ContentfulStatusCode {
  return PROBLEM_KINDS[code].status;
}

export function problemTitle(code: ProblemCode): string {
  return PROBLEM_KINDS[code].title;
}
