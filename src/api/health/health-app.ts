import { OpenAPIHono } from '@hono/zod-openapi';
import type { AppDependencies } from '../app-dependencies.ts';
import { ProblemError, problemResponse } from '../http/problem.ts';
import { problemOf } from '../http/problem-of.ts';
import { addHealthRoutes } from './routes.ts';

/** What a process answers that only works on jobs (`ROLE=worker`): whether it is well. */
export function createHealthApp(
  deps: Pick<AppDependencies, 'probes' | 'version' | 'log'>,
): OpenAPIHono {
  const app = new OpenAPIHono();
  addHealthRoutes(app, deps);
  app.notFound(() =>
    problemResponse(
      new ProblemError(
        'not_found',
        'this process runs compactions (ROLE=worker) and answers only /healthz and /readyz: send this request to an API process',
      ),
    ),
  );
  app.onError((error, c) => problemResponse(problemOf(error, c, deps.log)));
  return app;
}
