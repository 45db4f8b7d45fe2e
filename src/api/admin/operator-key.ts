import { timingSafeEqual } from 'node:crypto';
import { auth } from 'hono/utils/basic-auth';
import { bearerOf, sha256 } from '../http/auth.ts';

/**
 * Whether a request carries the operator's key: as the password of HTTP Basic under any user name, so
 * that a browser can ask for it, or as a bearer token. Compared in constant time.
 */
export function carriesKey(request: Request, key: string): boolean {
  const presented = auth(request)?.password ?? bearerOf(request.headers);
  return presented !== null && timingSafeEqual(sha256(presented), sha256(key));
}
