import { createHash, createHmac, randomBytes } from 'node:crypto';
import { ProblemError } from './problem.ts';

export type ApiKey = { name: string; key: string };

/** The tenant of everything when no keys are configured. */
export const LOCAL_TENANT = 'local';

/**
 * Who a request comes from: the name of its key (SPEC section 19). The function that comes back
 * throws ProblemError: 401 without a valid key; when no keys are configured, 403 for requests that a
 * page of another web site may have caused.
 */
export function authenticator(keys: readonly ApiKey[]): (request: Request) => string {
  if (keys.length === 0) {
    return (request) => {
      refuseOtherSites(request);
      return LOCAL_TENANT;
    };
  }
  const tenantOf = knownKeys(keys);
  return ({ headers }) => {
    const presented = presentedKey(headers);
    if (presented === null) {
      throw unauthorized('send your key as "Authorization: Bearer KEY" or as "x-api-key: KEY"');
    }
    const tenant = tenantOf(presented);
    if (tenant === null)
      throw unauthorized(
        'the server does not know this key: check it, or ask the operator for another',
      );
    return tenant;
  };
}

/**
 * Whose key a text is; null: nobody's. One look-up however many keys there are: a header is tried for each
 * key that it may hold, and anybody may send thousands. What is looked up has been hashed with a secret of
 * this process, so that the time it takes tells nothing of any key.
 */
export function knownKeys(keys: readonly ApiKey[]): (presented: string) => string | null {
  const secret = randomBytes(32);
  const digest = (key: string) => createHmac('sha256', secret).update(key).digest('base64');
  const owners = new Map(keys.map(({ name, key }) => [digest(key), name]));
  return (presented) => owners.get(digest(presented)) ?? null;
}

/** A URL or an origin on this machine; the names are those that the service may listen on without keys. */
const LOOPBACK = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?(?:\/|$)/i;

/**
 * Without keys any web page that is open on this machine could reach the service. Browsers tell whose
 * page asks, but one whose host name was made to resolve to this machine counts as the same site:
 * only the host that it asks for gives it away. Throws ProblemError.
 */
export function refuseOtherSites({ url, headers }: Request): void {
  // The server makes the URL out of the Host header.
  if (!LOOPBACK.test(url)) {
    throw new ProblemError(
      'host_not_local',
      'without API keys the service answers only at localhost, 127.0.0.1 and [::1]: use one of ' +
        'these in the address, or set PALIMPSEST_API_KEYS and send a key',
    );
  }
  const origin = headers.get('origin');
  const isForeign = origin !== null && !LOOPBACK.test(origin);
  if (isForeign || headers.get('sec-fetch-site') === 'cross-site') {
    throw new ProblemError(
      'cross_site_request',
      'without API keys the service refuses requests from web pages of other sites: set ' +
        'PALIMPSEST_API_KEYS and send a key',
    );
  }
}

function presentedKey(headers: Headers): string | null {
  const own = headers.get('x-palimpsest-key');
  if (own !== null) return own;
  return headers.has('authorization') ? bearerOf(headers) : headers.get('x-api-key');
}

function unauthorized(detail: string): ProblemError {
  return new ProblemError('unauthorized', detail, {
    headers: { 'WWW-Authenticate': 'Bearer realm="palimpsest"' },
  });
}

/** The token of an `Authorization: Bearer` header. */
export function bearerOf(headers: Headers): string | null {
  return /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1] ?? null;
}

/** Digests are of equal length, so that comparing them takes the same time whatever they are of. */
export function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
