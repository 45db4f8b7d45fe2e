import { errorMessage } from '../../domain/error-message.ts';
import { clipEnd } from '../../domain/text.ts';

/** A server may say anything, at any length. */
const MOST_QUOTED = 300;

/** Why the bucket cannot be used, in words for an operator; `code` is what the SDK or the system calls it. */
class S3Error extends Error {
  readonly code: string;

  constructor(code: string, message: string, cause: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

const AWAY = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ETIMEDOUT',
  'TimeoutError',
  'AbortError',
]);
const REFUSED = new Set([
  'AccessDenied',
  'ExpiredToken',
  'InvalidAccessKeyId',
  'InvalidToken',
  'SignatureDoesNotMatch',
]);

/** Says what to do about an error of the SDK, or of the system below it. */
export function whyNot(error: unknown, bucket: string): S3Error {
  const code = codeOf(error);
  return new S3Error(code, wordsOf(code, error, bucket), error);
}

function wordsOf(code: string, error: unknown, bucket: string): string {
  if (code === 'NoSuchBucket') return `there is no bucket "${bucket}": make it, or name another`;
  if (code === 'KeepsVersions') {
    return (
      `the bucket "${bucket}" keeps versions of what is removed from it, so nothing could be erased: ` +
      'name one that keeps none'
    );
  }
  if (code === 'CredentialsProviderError') {
    return 'there is no key: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE';
  }
  if (REFUSED.has(code)) {
    return (
      `the key is refused (${code}): check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and that it may ` +
      `list the bucket "${bucket}", and get, put and delete its objects`
    );
  }
  if (AWAY.has(code)) {
    return `the server does not answer (${code}): check AWS_ENDPOINT_URL_S3 and the network`;
  }
  const message = errorMessage(error);
  return clipEnd(message.startsWith(code) ? message : `${code}: ${message}`, MOST_QUOTED);
}

/** `ECONNREFUSED` of the system, or the name that S3 or the SDK has for it. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'Error';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
