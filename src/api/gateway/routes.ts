import { ServerResponse } from 'node:http';
import type { Context } from 'hono';
import { protocolOf } from '../../domain/gateway/protocol.ts';
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

/** What logs and metrics call a path that goes to the gateway: of what only passes through, no more than that. */
export function gatewayRoute(path: string): string | null {
  const found = PATH.exec(path);
  if (found === null) return null;
  const rest = path.slice(found[0].length);
  return `${found[1] === undefined ? '' : '/u/:name'}/v1${protocolOf(rest) === null ? '/*' : rest}`;
}

const WITHOUT_VERSION =
  /^((?:\/u\/[A-Za-z0-9-]{1,40})?)(\/(?:messages|chat\/completions|responses|models)(?:\/.*)?)$/s;

/** The path that a client means whose base URL lacks the `/v1`; null for what no client of models asks. */
export function pathWithVersion(path: string): string | null {
  const found = WITHOUT_VERSION.exec(path);
  return found === null ? null : `${found[1]}/v1${found[2]}`;
}

/** Of other providers: where the clients of models that speak these send their requests. */
const OTHER_PROTOCOLS: readonly { path: RegExp; name: string }[] = [
  { path: /^\/v1(?:beta|alpha)\/models\/[^/]{1,200}:\w{1,60}$/, name: 'the Gemini API' },
  { path: /^\/api\/(?:chat|generate)$/, name: 'Ollama' },
  { path: /^\/model\/[^/]{1,300}\/(?:converse|invoke)(?:-\w{1,60})*$/, name: 'Bedrock' },
];

/** Whose protocol a request for a model speaks at this path; null for those that are served, and any other. */
export function otherProtocol(path: string): string | null {
  return OTHER_PROTOCOLS.find((one) => one.path.test(path))?.name ?? null;
}

function cutOf({ env }: Context): (() => void) | null {
  const outgoing: unknown = env?.outgoing;
  return outgoing instanceof ServerResponse ? () => outgoing.destroy() : null;
}
