import type { OpaqueContent } from '../../app/opaque-content.ts';
import { type ApiKey, knownKeys, LOCAL_TENANT, refuseOtherSites } from './auth.ts';
import { ProblemError } from './problem.ts';

/** Who asks, and which headers hold a key of ours, which no upstream is to see. */
export type Who = { tenant: string; owner: string; dropped: ReadonlySet<string> };

const NONE: ReadonlySet<string> = new Set();

/**
 * With keys: whoever sends one of them, in any header. Without: everybody on this machine, each with the
 * sessions of their own credential for the upstream. The function that comes back throws ProblemError.
 */
export function whoAsks(keys: readonly ApiKey[], opaque: OpaqueContent): (request: Request) => Who {
  if (keys.length === 0) {
    return (request) => {
      refuseOtherSites(request);
      const { headers } = request;
      const credential = ['authorization', 'x-api-key', 'api-key'].map((name) => headers.get(name));
      const isNone = credential.every((each) => each === null);
      return {
        tenant: LOCAL_TENANT,
        owner: isNone ? '' : opaque.fingerprint(JSON.stringify(credential)),
        dropped: NONE,
      };
    };
  }
  const tenantOf = knownKeys(keys);
  return ({ headers }) => {
    const dropped = new Set<string>();
    let tenant: string | null = null;
    for (const [name, value] of headers) {
      const owner = credentialsIn(value)
        .map(tenantOf)
        .find((known) => known !== null);
      if (owner === undefined) continue;
      dropped.add(name);
      if (tenant === null || name === 'x-palimpsest-key') tenant = owner;
    }
    if (tenant !== null) return { tenant, owner: '', dropped };
    throw new ProblemError(
      'unauthorized',
      headers.has('x-palimpsest-key')
        ? 'the key in "x-palimpsest-key" is none of this service: check it, or ask its operator for another'
        : 'send a key of this service as "x-palimpsest-key: KEY", beside the credential of your provider',
    );
  };
}

/** What a header may hold that is a key: all of it, or what stands behind the name of a scheme. */
function credentialsIn(value: string): string[] {
  const [, scheme = '', credential] = /^(\S+) +(\S+)$/.exec(value) ?? [];
  if (credential === undefined) return [value];
  if (scheme.toLowerCase() !== 'basic') return [value, credential];
  const pair = Buffer.from(credential, 'base64').toString();
  const colon = pair.indexOf(':');
  return colon < 0
    ? [value, credential, pair]
    : [value, credential, pair.slice(0, colon), pair.slice(colon + 1)];
}
