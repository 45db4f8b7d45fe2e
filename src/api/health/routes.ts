import { type OpenAPIHono, z } from '@hono/zod-openapi';
import { StoreBusyError } from '../../app/ports/store-busy-error.ts';
import { StoreTroubleError } from '../../app/ports/store-trouble-error.ts';
import type { Probes } from '../app-dependencies.ts';
import { problems } from '../http/documented-problems.ts';
import { addOpenRoute, noQuery } from '../http/endpoint.ts';
import { ProblemError } from '../http/problem.ts';

type Health = { probes: Probes; version: string };

const NEEDED = ['store', 'queue'] as const;

const healthy = z
  .object({
    status: z.literal('ok').describe('The process answers.'),
    version: z.string().describe('The release of the service that runs.'),
  })
  .openapi('Health', { description: 'The process answers.' });
const ready = z
  .object({ status: z.literal('ready').describe('Requests can be served.') })
  .openapi('Readiness', { description: 'Store and queue can be reached.' });
const query = z.object({
  exclude: z.enum(NEEDED).optional().openapi({
    description:
      'Leave this out. An API can accept items without the queue: `exclude=queue` says whether it does.',
  }),
});

/** `/healthz` and `/readyz`: open to everybody, they say nothing about sessions. */
export function addHealthRoutes(app: OpenAPIHono, { probes, version }: Health): void {
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
      ...problems(['invalid_request']),
    },
  });
  addOpenRoute(app, '/healthz', noQuery, (c) =>
    c.json({ status: 'ok', version } satisfies z.input<typeof healthy>),
  );

  app.openAPIRegistry.registerPath({
    method: 'get',
    path: '/readyz',
    operationId: 'readiness',
    tags: ['Service'],
    summary: 'Whether the store and the queue can be reached',
    request: { query },
    responses: {
      200: {
        description: 'They can.',
        content: { 'application/json': { schema: ready } },
      },
      ...problems(['invalid_request', 'unavailable']),
    },
  });
  addOpenRoute(app, '/readyz', query, async (c, { exclude }) => {
    const asked = NEEDED.filter((name) => name !== exclude);
    const troubles = await troublesOf(asked, probes);
    if (troubles.length === 0) return c.json({ status: 'ready' } satisfies z.input<typeof ready>);
    throw new ProblemError('unavailable', troubles.join(' '), { headers: { 'Retry-After': '5' } });
  });
}

/** A sentence for each kind of trouble; none where all is well. */
async function troublesOf(names: readonly (keyof Probes)[], probes: Probes): Promise<string[]> {
  const results = await Promise.allSettled(names.map((name) => probes[name]()));
  const troubles: string[] = [];
  const away: string[] = [];
  for (const [index, result] of results.entries()) {
    if (result.status === 'fulfilled') continue;
    // A store that answers is not away: its operator has to look at the disk, not at the network.
    if (isInTrouble(result.reason)) troubles.push(result.reason.message);
    else away.push(`the ${names[index]}`);
  }
  return away.length === 0 ? troubles : [...troubles, `${away.join(' and ')} cannot be reached`];
}

function isInTrouble(reason: unknown): reason is StoreTroubleError | StoreBusyError {
  return reason instanceof StoreTroubleError || reason instanceof StoreBusyError;
}
