import { ServerResponse } from 'node:http';
import type { Context } from 'hono';
import type { Relay } from './relay.ts';
import { serve } from './serve.ts';

/** Some SDKs write `/openai` before it themselves, as that of Groq does. */
const PATH = /^(?:\/u\/([A-Za-z0-9-]{1,40}))?(?:\/openai)?\/v1(?=\/)/;

/**
 * Answers what this service has no route for: everything else below `/v1`, and below `/u/NAME/v1` for
 * further upstreams (SPEC 2, section 23). Null for any other path.
 */
export function serveElsewhere(relay: Relay, c: Context): Promise<Response> | null {
  const { pathname, search } = new URL(c.req.url);
  const found = PATH.exec(pathname);
  if (found === null) return null;
  const rest = pathname.slice(found[0].length) + search;
  return serve(relay, { request: c.req.raw, named: found[1] ?? null, rest, cut: cutOf(c) });
}

const WITHOUT_VERSION =
  /^((?:\/u\/[A-Za-z0-9-]{1,40})?)(\/(?:messages|chat\/completions|responses|models)(?:\/.*)?)$/s;

/** The path that a client means whose base URL lacks the `/v1`; null for what no client of models asks. */
export function pathWithVersion(path: string): string | null {
  const found = WITHOUT_VERSION.exec(path);
  return found === null ? null : `${found[1]}/v1${found[2]}`;
}

function cutOf({ env }: Context): (() => void) | null {
  const outgoing: unknown = env?.outgoing;
  return outgoing instanceof ServerResponse ? () => outgoing.destroy() : null;
}
