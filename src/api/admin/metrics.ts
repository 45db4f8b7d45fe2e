import type { OpenAPIHono } from '@hono/zod-openapi';
import type { AppDependencies } from '../app-dependencies.ts';
import { authenticator } from '../http/auth.ts';
import { problems } from '../http/documented-problems.ts';
import { addOpenRoute, noQuery } from '../http/endpoint.ts';
import { ProblemError } from '../http/problem.ts';
import { refuseWithoutKey } from './operator-key.ts';

/** `/metrics` (SPEC 2, section 27): for the operator, or on a service without keys for this machine. */
export function addMetricsRoute(
  app: OpenAPIHono,
  {
    metrics,
    keys,
    dashboard: { operatorKey },
  }: Pick<AppDependencies, 'metrics' | 'keys' | 'dashboard'>,
): void {
  app.openAPIRegistry.registerPath({
    method: 'get',
    path: '/metrics',
    operationId: 'metrics',
    tags: ['Service'],
    summary: 'What this process has measured, for Prometheus',
    responses: {
      200: {
        description: 'The text format of Prometheus. docs/operations.md explains each metric.',
        content: { 'text/plain': { schema: { type: 'string' } } },
      },
      ...problems([
        'invalid_request',
        'unauthorized',
        'host_not_local',
        'cross_site_request',
        'not_found',
      ]),
    },
  });
  const authenticate = authenticator(keys);
  addOpenRoute(app, '/metrics', noQuery, async (c) => {
    if (operatorKey !== null) refuseWithoutKey(c.req.raw, operatorKey, 'the metrics');
    else if (keys.length > 0) {
      throw new ProblemError(
        'not_found',
        'the metrics are closed: set PALIMPSEST_OPERATOR_KEY to open them',
      );
    } else authenticate(c.req.raw);
    const { type, text } = await metrics.page();
    return c.body(text, 200, { 'Content-Type': type });
  });
}
