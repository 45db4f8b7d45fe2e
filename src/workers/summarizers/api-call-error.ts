/** What the AI SDK marks its errors with, in every release and copy of it. */
const MARKER = Symbol.for('vercel.ai.error.AI_APICallError');

type ApiCall = {
  statusCode?: number | undefined;
  responseHeaders?: Record<string, string> | undefined;
  responseBody?: string | undefined;
};

/** A provider's answer that is no success: the AI SDK's own, told without loading it, or ours. */
export function isApiCallError(error: unknown): error is Error & ApiCall {
  return error instanceof Error && MARKER in error && error[MARKER] === true;
}

/** The same error for the calls that are made without the AI SDK, which may not be installed. */
export class ApiCallError extends Error implements ApiCall {
  override readonly name = 'AI_APICallError';
  readonly [MARKER] = true;
  readonly statusCode: number;
  readonly responseHeaders: Record<string, string>;
  readonly responseBody: string;

  /** Nothing of the request: what is in an error may come to stand in a log. */
  constructor(response: Response, body: string) {
    super(`HTTP ${response.status}`);
    this.statusCode = response.status;
    this.responseHeaders = Object.fromEntries(response.headers);
    this.responseBody = body;
  }
}
