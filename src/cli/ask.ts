import type { z } from 'zod';
import { packageVersion } from '../package-version.ts';
import { problemIn, refusal, safeJson, type Target, TargetError } from './target.ts';

/** An answer of the API: its text as it came, and what it says. */
export type Answer<T> = { text: string; value: T };

type Asked = { body?: unknown; headers?: Record<string, string> };

/**
 * What the API answers; with a body it is a POST. Throws TargetError, in words for people, when it
 * refuses or when its answer is not the one that this release knows.
 */
export async function ask<T>(
  target: Target,
  schema: z.ZodType<T>,
  path: string,
  { body, headers = {} }: Asked = {},
): Promise<Answer<T>> {
  const response = await target.request(
    path,
    body === undefined
      ? { headers }
      : {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify(body),
        },
  );
  const text = await response.text();
  if (response.ok) {
    const parsed = schema.safeParse(safeJson(text));
    if (parsed.success) return { text, value: parsed.data };
    throw (
      (await otherRelease(target)) ?? new TargetError(`${target.place} answers ${path} strangely`)
    );
  }
  const type = problemIn(text)?.type?.replace('urn:palimpsest:problem:', '');
  const inWords = type === undefined ? null : inOurWords(type, target, path);
  if (inWords !== null) throw inWords;
  const refused = refusal(response.status, text);
  if (type !== undefined && !MAY_BE_NEW.has(type)) throw refused;
  throw (await otherRelease(target, type === undefined ? null : refused)) ?? refused;
}

/** How a service refuses, among other things, what only another release knows. */
const MAY_BE_NEW = new Set(['not-found', 'method-not-allowed', 'invalid-request']);

/** Refusals that say more where the command is known than where only the request is. */
function inOurWords(type: string, { place, local }: Target, path: string): TargetError | null {
  const [, , session = '', , compaction = ''] = path.split(/[/?]/).map(decodeURIComponent);
  switch (type) {
    case 'session-not-found':
      return new TargetError(
        `there is no session "${session}" in ${place}: "palimpsest list" shows those that there are` +
          (local === null ? '' : ', --tenant NAME those of a key'),
      );
    case 'compaction-not-found':
      return new TargetError(
        `session "${session}" has no compaction "${compaction}": "palimpsest show ${session}" lists them`,
      );
    case 'unauthorized':
      return new TargetError(
        process.env.PALIMPSEST_API_KEY
          ? `${place} does not know the key in PALIMPSEST_API_KEY: check it, or ask its operator for another`
          : `${place} wants a key: set PALIMPSEST_API_KEY to yours`,
      );
    default:
      return null;
  }
}

/**
 * Why a service may answer what this release does not know; null where it is of this release. `refused`:
 * what it says itself, which may have another reason.
 */
async function otherRelease(
  target: Target,
  refused: TargetError | null = null,
): Promise<TargetError | null> {
  if (target.local !== null) return null;
  const ours = packageVersion();
  const theirs = await releaseOf(target);
  if (theirs === ours) return null;
  const said = refused === null ? '' : `${refused.message}. `;
  return new TargetError(
    theirs === null
      ? `${target.place} is no Palimpsest service: check --url (or PALIMPSEST_URL)`
      : `${said}${target.place} is Palimpsest ${theirs} and this command is of ${ours}, which do not understand ` +
          'each other in everything: use the command of the same release',
  );
}

/** The release of the service behind a target; null when none of ours answers. */
export async function releaseOf(target: Target): Promise<string | null> {
  const response = await target.request('/healthz');
  const body = safeJson(await response.text());
  const isOurs = response.ok && typeof body === 'object' && body !== null && 'version' in body;
  return isOurs && typeof body.version === 'string' ? body.version : null;
}
