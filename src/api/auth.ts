import { createHash, timingSafeEqual } from 'node:crypto';
import type { ApiKey } from './app-dependencies.ts';
import { ProblemError } from './problem.ts';

/** The tenant of everything when no keys are configured. */
const LOCAL_TENANT = 'local';

/**
 * Who a request comes from, by its headers: the name of its key (SPEC section 19). The function that
 * comes back throws ProblemError (401) without a valid key, 403 for pages of other web sites.
 */
export function authenticator(keys: readonly ApiKey[]): (headers: Headers) => string {
  if (keys.length === 0) return localTenant;
  const known = keys.map(({ name, key }) => ({ name, digest: sha256(key) }));
  return (headers) => {
    const presented = presentedKey(headers);
    if (presented === null) {
      throw unauthorized('send your key as "Authorization: Bearer KEY" or as "x-api-key: KEY"');
    }
    const digest = sha256(presented);
    let tenant: string | null = null;
    // All keys are compared, and digests of equal length, so that the time tells nothing.
    for (const candidate of known) {
      if (timingSafeEqual(candidate.digest, digest)) tenant = candidate.name;
    }
    if (tenant === null) throw unauthorized('the key is not one of those that the server knows');
    return tenant;
  };
}

/** Without keys any web page that is open on this machine could reach the service: browsers say so. */
function localTenant(headers: Headers): string {
  if (headers.get('sec-fetch-site') === 'cross-site') {
    throw new ProblemError(
      'cross_site_request',
      'a web page of another site may not use this service while it asks for no key: set ' +
        'PALIMPSEST_API_KEYS and send a key',
    );
  }
  return LOCAL_TENANT;
}

function presentedKey(headers: Headers): string | null {
  const authorization = headers.get('authorization');
  if (authorization === null) return headers.get('x-api-key');
  return /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? null;
}

function unauthorized(detail: string): ProblemError {
  return new ProblemError('unauthorized', detail, {
    headers: { 'WWW-Authenticate': 'Bearer realm="palimpsest"' },
  });
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
