import { z } from '@hono/zod-openapi';
import type { Api } from '../endpoint.ts';
import { ProblemError } from '../problem.ts';
import { problems } from '../schemas/problem.ts';

const healthy = z.object({ status: z.literal('ok'), version: z.string() }).openapi('Health');
const ready = z.object({ status: z.literal('ready') }).openapi('Readiness');

/** `/healthz` and `/readyz`: open to everybody, they say nothing about sessions. */
export function addHealthRoutes({ app, deps }: Api): void {
  app.openAPIRegistry.registerPath({
    method: 'get',
    path: '/healthz',
    operationId: 'health',
    tags: ['Service'],
    summary: 'Whether the process answers',
    responses: {
      200: {
        description: 'It does.',
        content: { 'application/json': { schema: healthy } },
      },
    },
  });
  app.get('/healthz', (c) => c.json({ status: 'ok', version: deps.version }));

  app.openAPIRegistry.registerPath({
    method: 'get',
    path: '/readyz',
    operationId: 'readiness',
    tags: ['Service'],
    summary: 'Whether the store and the queue can be reached',
    responses: {
      200: {
        description: 'Both can.',
        content: { 'application/json': { schema: ready } },
      },
      ...problems([503]),
    },
  });
  app.get('/readyz', async (c) => {
    try {
      await deps.ready();
    } catch {
      throw new ProblemError('unavailable', 'the store or the queue cannot be reached', {
        headers: { 'Retry-After': '5' },
      });
    }
    return c.json({ status: 'ready' });
  });
}
