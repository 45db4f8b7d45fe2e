import { serveStatic } from '@hono/node-server/serve-static';
import type { Queue } from 'bullmq';
import { Hono } from 'hono';
import { z } from 'zod';
import { ProblemError, problemResponse } from '../http/problem.ts';
import { queryReader } from '../http/query.ts';
import { refuseWithoutKey } from './operator-key.ts';

/** Where the app is to be mounted: its pages name their parts by absolute paths. */
export const DASHBOARD_PATH = '/admin/queues';

/**
 * The pages set styles in attributes, and ask for a font from elsewhere that they do without. Scripts
 * come from here only.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** What the pages put into their own addresses and into the requests behind them; they check the values. */
const PAGE_QUERY = z.object(
  Object.fromEntries(
    [
      ...['activeQueue', 'status', 'page', 'jobsPerPage', 'queueName'],
      ...['queue', 'metric', 'granularity', 'from', 'to', 'percentiles'],
      ...['root', 'depth', 'maxChildren'],
    ].map((name) => [name, z.string().optional()]),
  ),
);

export type QueueDashboardDependencies = {
  /** The queue and how to ask whether it can be reached; null: jobs run in the process. */
  jobs: { queue: Queue; ping: () => Promise<void> } | null;
  /** Opens the dashboard; null: nobody may see it. */
  operatorKey: string | null;
};

/**
 * The dashboard of the job queue, to be mounted at DASHBOARD_PATH. It shows and changes nothing: the
 * log is the truth, and compactions are cancelled through the API. Answers problems itself: 404 where
 * there is nothing to show, 400 for a parameter that no page has, 401 without the operator's key, 405 for what would change something, 503
 * when the queue cannot be reached.
 */
export function createQueueDashboard({ jobs, operatorKey }: QueueDashboardDependencies): Hono {
  const app = new Hono();
  if (jobs === null)
    return refusing(app, 'there is no queue: without REDIS_URL, jobs run inside the service');
  if (operatorKey === null) {
    return refusing(app, 'the dashboard is closed: set PALIMPSEST_OPERATOR_KEY to open it');
  }
  const readQuery = queryReader(PAGE_QUERY);
  app.onError((error) => {
    if (error instanceof ProblemError) return problemResponse(error);
    throw error;
  });
  app.use('*', async (c, next) => {
    refuseWithoutKey(c.req.raw, operatorKey, 'the dashboard');
    if (!['GET', 'HEAD'].includes(c.req.method)) return problemResponse(readOnly());
    readQuery(c.req.url);
    // The page's own link leads there.
    if (c.req.path === `${DASHBOARD_PATH}/`) return c.redirect(DASHBOARD_PATH);
    await next();
    c.header('Content-Security-Policy', CONTENT_SECURITY_POLICY);
    c.header('X-Content-Type-Options', 'nosniff');
    c.header('Referrer-Policy', 'no-referrer');
  });
  app.use('/api/*', async (_c, next) => {
    try {
      // The queue itself would wait for as long as it cannot be reached.
      await jobs.ping();
    } catch (error) {
      const why = error instanceof Error ? error.message : 'the queue cannot be reached';
      return problemResponse(new ProblemError('unavailable', why));
    }
    await next();
  });
  let board: Promise<Hono> | null = null;
  return app.all('*', async (c) => {
    board ??= boardOf(jobs.queue);
    return (await board).fetch(c.req.raw);
  });
}

/** The packages belong to the queue, and are installed where there is one. */
async function boardOf(queue: Queue): Promise<Hono> {
  const [{ createBullBoard }, { BullMQAdapter }, { HonoAdapter }] = await Promise.all([
    import('@bull-board/api'),
    import('@bull-board/api/bullMQAdapter'),
    import('@bull-board/hono'),
  ]);
  const adapter = new HonoAdapter(serveStatic).setBasePath(DASHBOARD_PATH);
  createBullBoard({
    queues: [new BullMQAdapter(queue, { readOnlyMode: true })],
    serverAdapter: adapter,
    options: { uiConfig: { boardTitle: 'Palimpsest queue' } },
  });
  return new Hono().route(DASHBOARD_PATH, adapter.registerPlugin());
}

function refusing(app: Hono, detail: string): Hono {
  return app.all('*', () => problemResponse(new ProblemError('not_found', detail)));
}

function readOnly(): ProblemError {
  return new ProblemError(
    'method_not_allowed',
    'the dashboard is read-only: cancel compactions through the API',
    { headers: { Allow: 'GET, HEAD' } },
  );
}
