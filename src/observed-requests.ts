import type { OpenAPIHono } from '@hono/zod-openapi';
import { getPath } from 'hono/utils/url';
import type { Logger } from 'pino';
import { gatewayRoute } from './api/gateway/routes.ts';
import { idSchema } from './api/schemas/common.ts';
import type { Facts, Span, Tracer } from './app/ports/tracer.ts';
import type { Record } from './metrics/registry.ts';

type Fetch = (request: Request, bindings?: object) => Response | Promise<Response>;

/** Who is told of requests. */
type Told = { record: Record; log: Logger; tracer: Tracer };

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** What machines ask every few seconds: it would hide the rest of the log, and of the traces. */
const PROBES = new Set(['/healthz', '/readyz', '/metrics']);

/**
 * What an app answers, with each request measured, told in one line of the log, and traced: by the
 * pattern of its path and by ids. Never by its path or query, which may hold anything.
 */
export function observedRequests(
  app: Pick<OpenAPIHono, 'fetch' | 'router'>,
  { record, log, tracer }: Told,
): Fetch {
  return async (request, bindings) => {
    const started = performance.now();
    const method = METHODS.has(request.method) ? request.method : 'other';
    const { route, ids } = routeOf(app.router, request);
    const isProbe = PROBES.has(route);
    const answered = async (span: Span | null) => {
      const response = await app.fetch(request, bindings);
      const told = idsOf(ids, response);
      for (const [name, id] of Object.entries(told)) span?.add({ [`palimpsest.${name}`]: id });
      span?.add({ 'http.response.status_code': response.status });
      if (response.status >= 500) span?.fail();
      return { response, told };
    };
    const { response, told } = isProbe
      ? await answered(null)
      : await tracer.span(
          `${method} ${route}`,
          {
            kind: 'server',
            parent: request.headers.get('traceparent') ?? undefined,
            facts: { 'http.request.method': method, 'http.route': route },
          },
          answered,
        );
    const ms = performance.now() - started;
    const { status } = response;
    const counted = { method, route, status: String(status) };
    record({ metric: 'palimpsest_http_requests_total', labels: counted, value: 1 });
    const labels = { method, route };
    record({ metric: 'palimpsest_http_request_duration_seconds', labels, value: ms / 1000 });
    const level = isProbe ? 'debug' : 'info';
    if (log.isLevelEnabled(level)) {
      log[level]({ method, route, status, ms: Math.round(ms), ...told }, 'request');
    }
    return response;
  };
}

/** The pattern, the same one for all that is nowhere: such paths are what clients make up. */
function routeOf(router: OpenAPIHono['router'], request: Request): { route: string; ids: Facts } {
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const path = getPath(request);
  const [handlers, stash] = router.match(method, path);
  const [found, params] = handlers.at(-1) ?? [];
  const route = Array.isArray(found) ? found[1].path : (gatewayRoute(path) ?? 'none');
  // The id itself, or its place among all that the pattern has found.
  const at = route.includes('/sessions/:id') ? params?.id : undefined;
  const id = typeof at === 'number' ? stash?.[at] : at;
  return { route, ids: id !== undefined && isId(id) ? { session_id: id } : {} };
}

/** With the session that the gateway has found. */
function idsOf(ids: Facts, response: Response): Facts {
  const found = response.headers.get('palimpsest-session');
  return found !== null && isId(found) ? { ...ids, session_id: found } : ids;
}

/** Anything else in its place is a mistake, which might be a secret. */
function isId(text: string): boolean {
  return idSchema.safeParse(text).success;
}
