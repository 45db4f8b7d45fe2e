import { createHash, timingSafeEqual } from 'node:crypto';
import { auth } from 'hono/utils/basic-auth';

/**
 * Whether a request carries the operator's key: as the password of HTTP Basic under any user name, so
 * that a browser can ask for it, or as a bearer token. Compared in constant time.
 */
export function carriesKey(request: Request, key: string): boolean {
  const presented = auth(request)?.password ?? bearerOf(request);
  // Digests are of equal length, so that the time tells nothing.
  return presented !== null && timingSafeEqual(sha256(presented), sha256(key));
}

function bearerOf({ headers }: Request): string | null {
  return /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1] ?? null;
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
