import { isApiCallError } from './api-call-error.ts';
import { AnswerTooLongError } from './fetch-there.ts';
import type { SummaryFailure } from './summarizer.ts';

/** How the providers say that the input does not fit, in error codes or in words. */
const TOO_LONG = [
  /context_length_exceeded/i,
  /prompt is too long/i,
  /maximum context length/i,
  /exceeds? the (?:model's )?(?:available |maximum )?context (?:size|window|length)/i,
  /input token count.{0,40}exceeds/i,
  /input (?:is|exceeds).{0,40}too long/i,
  /request_too_large/i,
];

/** Longest error body that is searched for the phrases above; providers put them at the start. */
const SEARCHED_CHARACTERS = 10_000;

const TRANSIENT_STATUS = new Set([408, 409, 425, 429]);

/**
 * What a failed call means for the job (SPEC section 10): the kind, whether another attempt with the
 * same input can help, and what the provider asked to wait. The message names provider, kind and
 * status only: provider errors may quote the request or a key. `now` is in milliseconds.
 */
export function callFailure(error: unknown, provider: string, now: number): SummaryFailure {
  const status = isApiCallError(error) ? error.statusCode : undefined;
  if (status === 413 || isPromptTooLong(error)) {
    const message = `${provider}: the prompt is too long for the model${statusText(status)}`;
    return { ok: false, reason: 'prompt_too_long', message, retryable: false };
  }
  if (causesOf(error).some((cause) => cause instanceof AnswerTooLongError)) {
    return apiError(`${provider}: the answer is far too long, and was not read to its end`, false);
  }
  if (!isApiCallError(error) || status === undefined) {
    // Not the message: a mistake on our side may quote the prompt.
    return isBrokenConnection(error)
      ? apiError(`${provider}: the connection failed or broke`, true)
      : apiError(`${provider}: the call could not be made (${nameOf(error)})`, false);
  }
  const message = `${provider}: the call failed${statusText(status)}`;
  // A status of success with an error means an answer that could not be read: a broken one.
  const isTransient = TRANSIENT_STATUS.has(status) || status >= 500 || status < 300;
  const failure = apiError(message, isTransient);
  const wait = isTransient ? retryAfterMs(error.responseHeaders ?? {}, now) : null;
  return wait === null ? failure : { ...failure, retry_after_ms: wait };
}

export function apiError(message: string, retryable: boolean): SummaryFailure {
  return { ok: false, reason: 'api_error', message, retryable };
}

/** Errors of the AI SDK for answers that stopped, or went to pieces, on the way. */
const BROKEN_ANSWERS = new Set(
  `AI_APICallError AI_EmptyResponseBodyError AI_InvalidResponseDataError
  AI_InvalidStreamPartError AI_JSONParseError AI_NoContentGeneratedError
  AI_NoOutputGeneratedError AI_TypeValidationError`.split(/\s+/),
);

/** Codes of Node and of its HTTP client; all others are mistakes that another attempt repeats. */
const NETWORK_CODE =
  /^(?:UND_ERR_(?!INVALID)\w+|E(?:CONN\w+|PIPE|TIMEDOUT|(?:HOST|NET)\w+|AI_AGAIN|NOTFOUND|PROTO))$/;

/** What `fetch` says when there is no code: before the answer, and in the middle of it. */
const NETWORK_MESSAGE = /^(?:fetch failed|terminated|socket hang up|other side closed)$/i;

/** How many causes of an error are looked at: `fetch` wraps the network's own error once or twice. */
const DEPTH = 5;

function isBrokenConnection(error: unknown): boolean {
  // Errors that a provider sends inside a stream arrive as plain values.
  if (!(error instanceof Error)) return true;
  return causesOf(error).some(
    (cause) =>
      BROKEN_ANSWERS.has(cause.name) ||
      NETWORK_MESSAGE.test(cause.message) ||
      ('code' in cause && NETWORK_CODE.test(String(cause.code))),
  );
}

/** An error and what brought it about. */
function causesOf(error: unknown): Error[] {
  const causes: Error[] = [];
  let cause = error;
  while (cause instanceof Error && causes.length < DEPTH) {
    causes.push(cause);
    cause = cause.cause;
  }
  return causes;
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

function statusText(status: number | undefined): string {
  if (status === undefined) return '';
  const isRedirect = status >= 300 && status < 400;
  return ` (HTTP ${status}${isRedirect ? ': redirects are not followed, set the final address' : ''})`;
}

function isPromptTooLong(error: unknown): boolean {
  const text = errorText(error).slice(0, SEARCHED_CHARACTERS);
  return TOO_LONG.some((pattern) => pattern.test(text));
}

/** Errors inside a stream arrive as plain values: a string, or the provider's error object. */
function errorText(error: unknown): string {
  if (typeof error === 'string') return error;
  if (isApiCallError(error)) return `${error.message}\n${error.responseBody ?? ''}`;
  if (error instanceof Error) return error.message;
  return JSON.stringify(error) ?? '';
}

/**
 * The wait that `retry-after-ms` or `Retry-After` (seconds or an HTTP date) asks for, in
 * milliseconds, or null without a readable one. Header names are lower-case.
 */
export function retryAfterMs(headers: Record<string, string>, now: number): number | null {
  const milliseconds = waitFrom(headers['retry-after-ms'], 1);
  if (milliseconds !== null) return milliseconds;
  const value = headers['retry-after'];
  const seconds = waitFrom(value, 1000);
  if (seconds !== null) return seconds;
  const date = value === undefined ? Number.NaN : Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

function waitFrom(value: string | undefined, factor: number): number | null {
  if (value === undefined || !/^\s*\d+(?:\.\d+)?\s*$/.test(value)) return null;
  return Math.ceil(Number(value) * factor);
}
