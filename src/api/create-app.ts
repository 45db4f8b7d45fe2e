import { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { Gateway } from '../app/gateway/gateway.ts';
import { turnTasks } from '../app/gateway/turn-tasks.ts';
import { OpaqueContent } from '../app/opaque-content.ts';
import { GATEWAY_TOOLS, lookUpTool } from '../mcp/look-up.ts';
import { addMetricsRoute } from './admin/metrics.ts';
import { createQueueDashboard, DASHBOARD_PATH } from './admin/queue-dashboard.ts';
import type { AppDependencies } from './app-dependencies.ts';
import { addCompactRoute } from './compactions/compact.ts';
import { addCompactionRoutes } from './compactions/routes.ts';
import { addContextRoute } from './context/routes.ts';
import { addCostRoute } from './costs/routes.ts';
import { addEventsRoute } from './events/routes.ts';
import { problemAnswer } from './gateway/errors.ts';
import type { Relay } from './gateway/relay.ts';
import { otherProtocol, pathWithVersion, serveElsewhere } from './gateway/routes.ts';
import { openConnections } from './gateway/send.ts';
import { addHealthRoutes } from './health/routes.ts';
import { authenticator } from './http/auth.ts';
import { registerProblems } from './http/documented-problems.ts';
import type { Api, Gate } from './http/endpoint.ts';
import { longAnswers } from './http/long-answers.ts';
import { ProblemError, problemResponse } from './http/problem.ts';
import { problemOf } from './http/problem-of.ts';
import { rateLimiter } from './http/rate-limit.ts';
import { whoAsks } from './http/who.ts';
import { addItemRoutes } from './items/routes.ts';
import { addLedgerRoute } from './ledger/routes.ts';
import { addMcpRoutes } from './mcp/routes.ts';
import {
  isOpenAiPath,
  OpenAiError,
  openAiErrorOf,
  openAiErrorResponse,
} from './openai-compatible/errors.ts';
import {
  addResponsesCompactRoute,
  compactResponse,
} from './openai-compatible/responses-compact.ts';
import { addPacketRoute } from './packets/routes.ts';
import { addPages } from './pages/pages.ts';
import { addPinRoutes } from './pins/routes.ts';
import { addProfilesRoute } from './profiles/routes.ts';
import { addRecallRoutes } from './recall/routes.ts';
import { addReferenceRoutes } from './reference/routes.ts';
import { addRolloutRoute } from './rollouts/routes.ts';
import { addSearchRoutes } from './search/routes.ts';
import { addForkRoute } from './sessions/fork.ts';
import { addSessionRoutes } from './sessions/routes.ts';
import { addSignalRoute } from './signals/routes.ts';
import { addSyncRoute } from './sync/routes.ts';
import { addToolResultRoute } from './tool-results/routes.ts';

/** The REST API of SPEC section 2 as an app that does not listen yet. */
export function createApp(deps: AppDependencies): OpenAPIHono {
  const app = new OpenAPIHono();
  const admit = admission(deps);
  const gate = gateOf(deps, admit);
  const api: Api = { app, deps, gate, ...longAnswers(deps.elsewhere) };
  const opaque = new OpaqueContent(deps.compactionSecret, deps.keys, deps.storedSecret);
  registerKeys(app);
  registerProblems(app);
  if (deps.hasInspector) addPages(api, admit);
  addSessionRoutes(api);
  addItemRoutes(api);
  addContextRoute(api);
  addSyncRoute(api);
  addPinRoutes(api);
  addLedgerRoute(api);
  addCompactRoute(api);
  addCompactionRoutes(api);
  addCostRoute(api);
  addEventsRoute(api);
  addRolloutRoute(api);
  addToolResultRoute(api);
  addSearchRoutes(api);
  addRecallRoutes(api);
  addForkRoute(api);
  addSignalRoute(api);
  addPacketRoute(api);
  addProfilesRoute(api);
  addResponsesCompactRoute(api, opaque);
  addMcpRoutes(api);
  addHealthRoutes(app, deps);
  addMetricsRoute(app, deps);
  addReferenceRoutes(api);
  app.route(DASHBOARD_PATH, createQueueDashboard(deps.dashboard));
  const relay = relayOf(deps, opaque, admit);
  app.notFound((c) => unrouted(app, relay, c));
  app.onError((error, c) =>
    error instanceof OpenAiError
      ? openAiErrorResponse(error)
      : errorResponse(problemOf(error, c, deps.log), c),
  );
  return app;
}

/** Takes a request from the budget of its tenant, and notes whose body it has. Throws ProblemError (429). */
type Admit = (request: Request, tenant: string) => void;

function admission({ limits, clock }: AppDependencies): Admit {
  const takeFromBudget = rateLimiter(limits.rate_per_minute_per_key, () => clock.now().getTime());
  return (request, tenant) => {
    takeFromBudget(tenant);
    limits.room?.admit(request, tenant);
  };
}

function gateOf(deps: AppDependencies, admit: Admit): Gate {
  const authenticate = authenticator(deps.keys);
  return (request) => {
    const tenant = authenticate(request);
    admit(request, tenant);
    return tenant;
  };
}

function relayOf(deps: AppDependencies, opaque: OpaqueContent, admit: Admit): Relay {
  const { upstreams, wait_seconds, proxies = null } = deps.gateway;
  const own = { ...deps, opaque, offered: GATEWAY_TOOLS };
  const tasks = turnTasks(own, lookUpTool(deps), deps.turnsElsewhere ?? null);
  const asks = whoAsks(deps.keys, opaque);
  return {
    gateway: new Gateway({ ...own, ...tasks, wait_seconds, onTurn: deps.onTurn }),
    upstreams,
    connections: openConnections(proxies),
    who: (request) => {
      const who = asks(request);
      admit(request, who.tenant);
      return who;
    },
    newId: deps.newId,
    room: deps.limits.room,
    compact: async (request, upstream) => {
      const { tenant } = asks(request);
      const asked = { request, tenant, upstream };
      const { body, headers } = await compactResponse(deps, opaque, asked);
      return Response.json(body, { headers });
    },
    log: deps.log,
  };
}

function registerKeys({ openAPIRegistry }: OpenAPIHono): void {
  openAPIRegistry.registerComponent('securitySchemes', 'bearer', {
    type: 'http',
    scheme: 'bearer',
    description: 'One of the keys of PALIMPSEST_API_KEYS; without keys the service asks for none.',
  });
  openAPIRegistry.registerComponent('securitySchemes', 'api_key', {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'The same key in another header.',
  });
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Under `/v1` errors have the shape of OpenAI's, whoever finds them. */
function errorResponse(problem: ProblemError, c: Context): Response {
  return isOpenAiPath(c.req.path)
    ? openAiErrorResponse(openAiErrorOf(problem))
    : problemResponse(problem);
}

/** The path of ours that is most likely meant: without a slash at its end, a prefix, or capitals. */
function nearPath(app: OpenAPIHono, path: string): string | null {
  const bare = path.replace(/(?<=[^/])\/+$/, '');
  const plain = bare.replace(/^(?:\/api)?(?:\/v\d)?(\/[^/]+)/i, (_, first: string) =>
    first.toLowerCase(),
  );
  const meant = [bare, plain, plain.replace(/^\/session(?=\/|$)/, '/sessions')];
  const isServed = (one: string) =>
    METHODS.some((method) => app.router.match(method, one)[0].length > 0);
  return meant.find((one) => one !== path && isServed(one)) ?? null;
}

/** What whoever asks at a path that does not exist should do. */
function insteadOf(app: OpenAPIHono, path: string): string {
  const near = nearPath(app, path);
  if (near !== null) return `did you mean ${near}?`;
  const meant = pathWithVersion(path);
  if (meant !== null) {
    return `set the base URL so that this becomes ${meant}, which the gateway serves`;
  }
  const other = otherProtocol(path);
  return other === null
    ? '/docs lists what there is'
    : `it belongs to the protocol of ${other}, which the gateway does not speak: it serves /v1/messages, /v1/chat/completions and /v1/responses`;
}

/** No route: another method of a path that exists, one of the gateway, or a path that does not exist. */
function unrouted(app: OpenAPIHono, relay: Relay, c: Context): Response | Promise<Response> {
  const { path, method } = c.req;
  const served = METHODS.filter((other) => app.router.match(other, path)[0].length > 0);
  if (served.length === 0 || served.includes(method)) {
    const passed = serveElsewhere(relay, c);
    if (passed !== null) return passed;
    const problem = new ProblemError(
      'not_found',
      `there is nothing at this path: ${insteadOf(app, path)}`,
    );
    // SDKs show the words of an error only in the shape of their provider's.
    return pathWithVersion(path) === null
      ? errorResponse(problem, c)
      : problemAnswer(path.includes('/messages'), problem);
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
