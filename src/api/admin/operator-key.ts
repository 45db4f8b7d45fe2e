import { timingSafeEqual } from 'node:crypto';
import { auth } from 'hono/utils/basic-auth';
import { bearerOf, sha256 } from '../http/auth.ts';
import { ProblemError } from '../http/problem.ts';

/**
 * Whether a request carries the operator's key: as the password of HTTP Basic under any user name, so
 * that a browser can ask for it, or as a bearer token. Compared in constant time.
 */
function carriesKey(request: Request, key: string): boolean {
  const presented = auth(request)?.password ?? bearerOf(request.headers);
  return presented !== null && timingSafeEqual(sha256(presented), sha256(key));
}

/** Throws ProblemError (401) for a request without the operator's key; `what` it would open. */
export function refuseWithoutKey(request: Request, key: string, what: string): void {
  if (carriesKey(request, key)) return;
  const realm = 'realm="palimpsest operator"';
  throw new ProblemError(
    'unauthorized',
    'send the operator key as the password of HTTP Basic (with any user name) or as ' +
      `"Authorization: Bearer KEY"; API keys do not open ${what}`,
    { headers: { 'WWW-Authenticate': `Basic ${realm}, charset="UTF-8", Bearer ${realm}` } },
  );
}
