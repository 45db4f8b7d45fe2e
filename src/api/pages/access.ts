import { createHmac, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import type { AppDependencies } from '../app-dependencies.ts';
import { authenticator, LOCAL_TENANT } from '../http/auth.ts';
import { ProblemError } from '../http/problem.ts';

export const COOKIE = 'palimpsest';
/** How long a log-in lasts. */
export const COOKIE_SECONDS = 12 * 3600;

/** Who looks at a page; `token` proves that a form came from one of our pages. */
export type Visitor = { tenant: string; token: string; hasCookie: boolean };

/**
 * Log-ins without a store: the cookie names a tenant and its end, sealed with a secret that is derived
 * from the tenant's own keys, so that every process reads it and a key that is taken away ends it. It
 * never holds the key itself, and the derivation is slow: a cookie does not help to guess a key.
 */
export class Access {
  readonly #deps: Pick<AppDependencies, 'keys' | 'storedSecret' | 'compactionSecret' | 'clock'>;
  readonly #authenticate: (request: Request) => string;
  readonly #secrets = new Map<string, Promise<Buffer>>();
  /** For forms where nothing is set and nothing is kept: then there is this process only. */
  readonly #own = randomBytes(32);

  constructor(deps: Pick<AppDependencies, 'keys' | 'storedSecret' | 'compactionSecret' | 'clock'>) {
    this.#deps = deps;
    this.#authenticate = authenticator(deps.keys);
  }

  get asksForKey(): boolean {
    return this.#deps.keys.length > 0;
  }

  /** Throws ProblemError: 401 without a log-in or a key, 403 as `authenticator` says. */
  async visitor(c: Context): Promise<Visitor> {
    if (this.asksForKey && !c.req.raw.headers.has('authorization')) {
      const cookie = getCookie(c, COOKIE);
      const tenant = cookie === undefined ? null : await this.#tenantOf(cookie);
      if (cookie !== undefined && tenant !== null) {
        return { tenant, token: await this.#tokenOf(tenant, cookie), hasCookie: true };
      }
    }
    const tenant = this.#authenticate(c.req.raw);
    return { tenant, token: await this.#tokenOf(tenant, ''), hasCookie: false };
  }

  /** The cookie of the tenant whose key this is. Throws ProblemError (401). */
  async logIn(key: string): Promise<string> {
    const headers = { authorization: `Bearer ${key}` };
    const tenant = this.#authenticate(new Request('http://localhost/', { headers }));
    const ends = this.#now() + COOKIE_SECONDS * 1000;
    const text = `${tenant}~${ends}~${randomBytes(12).toString('base64url')}`;
    return `${text}~${this.#seal(await this.#secretOf(tenant), `cookie ${text}`)}`;
  }

  /** Throws ProblemError (403) for what may have come from a page of another site. */
  refuseForeign(request: Request): void {
    if (request.headers.get('sec-fetch-site') === 'same-origin') return;
    const origin = request.headers.get('origin');
    // Only programs send none, which have no cookies of anybody.
    if (origin === null) return;
    if (URL.canParse(origin) && new URL(origin).host === new URL(request.url).host) return;
    throw new ProblemError(
      'cross_site_request',
      'this form was sent from a page of another site: open the page of the inspector and use its own',
    );
  }

  /** Throws ProblemError (403) for a form without the token of the visitor. */
  refuseForged({ token }: Visitor, given: string): void {
    if (isSame(given, token)) return;
    throw new ProblemError(
      'form_outdated',
      'this form was made by an older page, or before you logged in: go back, reload the page, and try again',
    );
  }

  async #tenantOf(cookie: string): Promise<string | null> {
    const [tenant = '', ends = '', nonce = '', seal = ''] = cookie.split('~');
    if (!this.#deps.keys.some(({ name }) => name === tenant)) return null;
    const text = `cookie ${tenant}~${ends}~${nonce}`;
    if (!isSame(seal, this.#seal(await this.#secretOf(tenant), text))) return null;
    return Number(ends) > this.#now() ? tenant : null;
  }

  async #tokenOf(tenant: string, cookie: string): Promise<string> {
    return this.#seal(await this.#secretOf(tenant), `form ${tenant} ${cookie}`);
  }

  #seal(secret: Buffer, text: string): string {
    return createHmac('sha256', secret).update(text).digest('base64url');
  }

  #secretOf(tenant: string): Promise<Buffer> {
    const known = this.#secrets.get(tenant);
    if (known !== undefined) return known;
    const made = this.#makeSecret(tenant);
    this.#secrets.set(tenant, made);
    return made;
  }

  #makeSecret(tenant: string): Promise<Buffer> {
    const { keys, compactionSecret, storedSecret } = this.#deps;
    if (tenant === LOCAL_TENANT && keys.length === 0) {
      const given = compactionSecret ?? storedSecret;
      return Promise.resolve(
        given === null ? this.#own : createHmac('sha256', given).update('pages').digest(),
      );
    }
    const own = keys.filter(({ name }) => name === tenant).map(({ key }) => key);
    return new Promise((resolve, reject) => {
      scrypt(own.sort().join('\n'), `palimpsest pages ${tenant}`, 32, (error, secret) =>
        error === null ? resolve(secret) : reject(error),
      );
    });
  }

  #now(): number {
    return this.#deps.clock.now().getTime();
  }
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
