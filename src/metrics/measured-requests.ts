import type { OpenAPIHono } from '@hono/zod-openapi';
import { getPath } from 'hono/utils/url';
import type { Record } from './registry.ts';

type Fetch = (request: Request, bindings?: object) => Response | Promise<Response>;

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** What an app answers, with each request told to `record` by the pattern of its path. */
export function measuredRequests(
  app: Pick<OpenAPIHono, 'fetch' | 'router'>,
  record: Record,
): Fetch {
  return async (request, bindings) => {
    const started = performance.now();
    const response = await app.fetch(request, bindings);
    const value = (performance.now() - started) / 1000;
    const method = METHODS.has(request.method) ? request.method : 'other';
    const labels = { method, route: patternOf(app.router, request) };
    const counted = { ...labels, status: String(response.status) };
    record({ metric: 'palimpsest_http_requests_total', labels: counted, value: 1 });
    record({ metric: 'palimpsest_http_request_duration_seconds', labels, value });
    return response;
  };
}

/** One pattern for all that is nowhere: such paths are what clients make up. */
function patternOf(router: OpenAPIHono['router'], request: Request): string {
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const [handlers] = router.match(method, getPath(request));
  const route = handlers.at(-1)?.[0];
  return Array.isArray(route) ? route[1].path : 'none';
}
