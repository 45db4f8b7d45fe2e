import { OpenAPIHono } from '@hono/zod-openapi';
import { ProblemError, problemResponse } from './problem.ts';
import { addHealthRoutes, type Health } from './routes/health.ts';

/** What a process answers that only works on jobs (`ROLE=worker`): whether it is well. */
export function createHealthApp(health: Health): OpenAPIHono {
  const app = new OpenAPIHono();
  addHealthRoutes(app, health);
  app.notFound(() =>
    problemResponse(
      new ProblemError(
        'not_found',
        'this process runs compactions (ROLE=worker) and answers only /healthz and /readyz: ask an API',
      ),
    ),
  );
  app.onError((error) => {
    if (error instanceof ProblemError) return problemResponse(error);
    throw error;
  });
  return app;
}
