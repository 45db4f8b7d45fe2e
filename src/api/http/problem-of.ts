import type { Context } from 'hono';
import { ArchiveError } from '../../app/ports/archive.ts';
import { ThreadDiedError } from '../../app/ports/elsewhere-error.ts';
import { InvalidCursorError } from '../../app/ports/invalid-cursor-error.ts';
import { StoreBusyError } from '../../app/ports/store-busy-error.ts';
import { StoreTroubleError } from '../../app/ports/store-trouble-error.ts';
import { StoreUnavailableError } from '../../app/ports/store-unavailable-error.ts';
import type { AppDependencies } from '../app-dependencies.ts';
import { ProblemError } from './problem.ts';

/** The problem that a request is answered with when this was thrown; logs what is our own mistake. */
export function problemOf(error: Error, c: Context, log: AppDependencies['log']): ProblemError {
  if (error instanceof ProblemError) return error;
  if (error instanceof InvalidCursorError) {
    return new ProblemError('invalid_request', error.message);
  }
  if (error instanceof ArchiveError) {
    log.error({ code: codeOf(error.cause) }, `the archive is in trouble: ${error.kind}`);
    return new ProblemError('archive_unavailable', error.message);
  }
  if (error instanceof StoreUnavailableError) {
    log.error({ code: codeOf(error.cause) }, 'the store cannot be reached');
  }
  if (error instanceof StoreTroubleError) {
    log.error({ code: codeOf(error.cause) }, `the store is in trouble: ${error.kind}`);
    return new ProblemError(`store_${error.kind}`, error.message);
  }
  if (error instanceof StoreBusyError || error instanceof StoreUnavailableError) {
    return new ProblemError('unavailable', error.message, { headers: { 'Retry-After': '1' } });
  }
  if (error instanceof ThreadDiedError) {
    log.error({ code: codeOf(error.cause) }, 'the thread of a request has died');
    return new ProblemError('unavailable', error.message);
  }
  // Not the message: it may quote what somebody said in a conversation.
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line));
  log.error(
    { error: error.name, frames, method: c.req.method, route: c.req.routePath },
    'a request failed',
  );
  return new ProblemError(
    'internal_error',
    'the service failed, and found nothing wrong with the request: see the log of the service',
  );
}

/** What the driver calls it, such as ECONNREFUSED or 57P01: enough for an operator. */
function codeOf(cause: unknown): string | null {
  const code = cause instanceof Error && 'code' in cause ? cause.code : null;
  return typeof code === 'string' ? code : null;
}
