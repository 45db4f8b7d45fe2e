import type { Problem, ProblemCode } from './generated.ts';

/** What every error of the client is. */
export class PalimpsestError extends Error {
  override readonly name: string = 'PalimpsestError';
}

/** The service has answered, and refused: problem+json, or the error of the OpenAI-compatible part. */
export class ProblemError extends PalimpsestError {
  override readonly name = 'ProblemError';
  /** What it is about; a string where this client is older than the service. */
  readonly code: ProblemCode | (string & {});
  readonly status: number;
  readonly title: string;
  readonly errors: NonNullable<Problem['errors']>;
  /** Seconds, as the service asked for; null where it did not. */
  readonly retryAfter: number | null;

  constructor(problem: Problem & { code: string }, retryAfter: number | null) {
    super(problem.detail);
    this.code = problem.code;
    this.status = problem.status;
    this.title = problem.title;
    this.errors = problem.errors ?? [];
    this.retryAfter = retryAfter;
  }
}

/** There was no answer, or it broke off: the service is away, or something between stands in the way. */
export class ConnectionError extends PalimpsestError {
  override readonly name = 'ConnectionError';
}

/** There was no answer in time. */
export class TimeoutError extends PalimpsestError {
  override readonly name = 'TimeoutError';
}

/** The error of an answer that is no success, read as far as it can be. */
export async function problemOf(response: Response): Promise<ProblemError> {
  const { status, statusText } = response;
  const text = await response.text().catch(() => '');
  const unread = { code: 'unreadable', type: 'about:blank', title: statusText, status };
  return new ProblemError(
    { ...unread, detail: `HTTP ${status} ${statusText}`.trim(), ...fieldsOf(text) },
    retryAfterOf(response),
  );
}

function fieldsOf(text: string): Partial<Problem & { code: string }> {
  const json = parsed(text);
  if (json === null) return {};
  const { error } = json;
  if (isObject(error)) {
    const code = typeof error.code === 'string' ? error.code : 'invalid_request';
    return { code, ...(typeof error.message === 'string' && { detail: error.message }) };
  }
  const { type, title, detail, errors } = json;
  return {
    ...(typeof type === 'string' && { type, code: codeOf(type) }),
    ...(typeof title === 'string' && { title }),
    ...(typeof detail === 'string' && { detail }),
    ...(Array.isArray(errors) && { errors }),
  };
}

/** `urn:palimpsest:problem:session-not-found` is `session_not_found`. */
function codeOf(type: string): string {
  return (type.split(':').at(-1) ?? type).replaceAll('-', '_');
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const json: unknown = JSON.parse(text);
    return isObject(json) ? json : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `Retry-After` in seconds; a date is counted from now. */
function retryAfterOf({ headers }: Response): number | null {
  const value = headers.get('retry-after');
  if (value === null) return null;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}
