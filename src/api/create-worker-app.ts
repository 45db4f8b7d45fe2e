import { OpenAPIHono } from '@hono/zod-openapi';
import { addMetricsRoute } from './admin/metrics.ts';
import type { AppDependencies } from './app-dependencies.ts';
import { addHealthRoutes } from './health/routes.ts';
import { ProblemError, problemResponse } from './http/problem.ts';
import { problemOf } from './http/problem-of.ts';

/** What a process answers that only works on jobs (`ROLE=worker`): whether it is well, and what it has measured. */
export function createWorkerApp(
  deps: Pick<AppDependencies, 'probes' | 'version' | 'log' | 'metrics' | 'keys' | 'dashboard'>,
): OpenAPIHono {
  const app = new OpenAPIHono();
  addHealthRoutes(app, deps);
  addMetricsRoute(app, deps);
  app.notFound(() =>
    problemResponse(
      new ProblemError(
        'not_found',
        'this process runs compactions (ROLE=worker) and answers only /healthz, /readyz and /metrics: send this request to an API process',
      ),
    ),
  );
  app.onError((error, c) => problemResponse(problemOf(error, c, deps.log)));
  return app;
}
