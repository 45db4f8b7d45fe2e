import { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { createQueueDashboard, DASHBOARD_PATH } from './admin/queue-dashboard.ts';
import type { AppDependencies } from './app-dependencies.ts';
import { authenticator } from './auth.ts';
import type { Api, Gate } from './endpoint.ts';
import { longAnswers } from './long-answers.ts';
import {
  isOpenAiPath,
  OpenAiError,
  openAiErrorOf,
  openAiErrorResponse,
} from './openai-compatible/errors.ts';
import { addResponsesCompactRoute } from './openai-compatible/responses-compact.ts';
import { ProblemError, problemResponse } from './problem.ts';
import { problemOf } from './problem-of.ts';
import { rateLimiter } from './rate-limit.ts';
import { addCompactRoute } from './routes/compact.ts';
import { addCompactionRoutes } from './routes/compactions.ts';
import { addContextRoute } from './routes/context.ts';
import { addEventsRoute } from './routes/events.ts';
import { addForkRoute } from './routes/fork.ts';
import { addHealthRoutes } from './routes/health.ts';
import { addItemRoutes } from './routes/items.ts';
import { addPacketRoute } from './routes/packet.ts';
import { addProfilesRoute } from './routes/profiles.ts';
import { addReferenceRoutes } from './routes/reference.ts';
import { addRolloutRoute } from './routes/rollout.ts';
import { addSessionRoutes } from './routes/sessions.ts';
import { addSignalRoute } from './routes/signals.ts';
import { addToolResultRoute } from './routes/tool-results.ts';

/** The REST API of SPEC section 2 as an app that does not listen yet. */
export function createApp(deps: AppDependencies): OpenAPIHono {
  const app = new OpenAPIHono();
  const api: Api = { app, deps, gate: gateOf(deps), longAnswer: longAnswers() };
  registerKeys(app);
  addSessionRoutes(api);
  addItemRoutes(api);
  addContextRoute(api);
  addCompactRoute(api);
  addCompactionRoutes(api);
  addEventsRoute(api);
  addRolloutRoute(api);
  addToolResultRoute(api);
  addForkRoute(api);
  addSignalRoute(api);
  addPacketRoute(api);
  addProfilesRoute(api);
  addResponsesCompactRoute(api);
  addHealthRoutes(app, deps);
  addReferenceRoutes(api);
  app.route(DASHBOARD_PATH, createQueueDashboard(deps.dashboard));
  app.notFound((c) => unrouted(app, c));
  app.onError((error, c) =>
    error instanceof OpenAiError
      ? openAiErrorResponse(error)
      : errorResponse(problemOf(error, c, deps.log), c),
  );
  return app;
}

function gateOf(deps: AppDependencies): Gate {
  const authenticate = authenticator(deps.keys);
  const takeFromBudget = rateLimiter(deps.limits.rate_per_minute_per_key, () =>
    deps.clock.now().getTime(),
  );
  return (request) => {
    const tenant = authenticate(request);
    takeFromBudget(tenant);
    return tenant;
  };
}

function registerKeys({ openAPIRegistry }: OpenAPIHono): void {
  openAPIRegistry.registerComponent('securitySchemes', 'bearer', {
    type: 'http',
    scheme: 'bearer',
  });
  openAPIRegistry.registerComponent('securitySchemes', 'api_key', {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
  });
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Under `/v1` errors have the shape of OpenAI's, whoever finds them. */
function errorResponse(problem: ProblemError, c: Context): Response {
  return isOpenAiPath(c.req.path)
    ? openAiErrorResponse(openAiErrorOf(problem))
    : problemResponse(problem);
}

/** No route: another method of a path that exists, or a path that does not. */
function unrouted(app: OpenAPIHono, c: Context): Response {
  const { path, method } = c.req;
  const served = METHODS.filter((other) => app.router.match(other, path)[0].length > 0);
  if (served.length === 0 || served.includes(method)) {
    return errorResponse(
      new ProblemError('not_found', 'there is nothing at this path: /docs lists what there is'),
      c,
    );
  }
  const allow = [...served, ...(served.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
  if (method === 'OPTIONS') return c.body(null, 204, { Allow: allow });
  return errorResponse(
    new ProblemError('method_not_allowed', `this path takes ${allow}, not ${method}`, {
      headers: { Allow: allow },
    }),
    c,
  );
}
