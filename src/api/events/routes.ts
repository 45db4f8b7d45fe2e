import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { eventPage } from '../../app/event-page.ts';
import { type Api, addEndpoint, refOf } from '../http/endpoint.ts';
import { ProblemError } from '../http/problem.ts';
import { DEFAULT_LIMIT, pageOf, sessionParams } from '../schemas/common.ts';
import { existingHead } from '../sessions/session-body.ts';
import { eventStream } from './event-stream.ts';
import { event, eventsHeaders, eventsQuery } from './schemas.ts';

/** `/sessions/{id}/events`: pages, or a live stream (SPEC section 2). */
export function addEventsRoute(api: Api): void {
  const { deps } = api;
  addEndpoint(api, {
    method: 'get',
    path: '/sessions/{id}/events',
    operationId: 'listEvents',
    tag: 'Events',
    summary: 'The event log, oldest first',
    description:
      'With `Accept: text/event-stream` a live stream: `id` is the version, `event` the type, `data` ' +
      'the event as JSON. It goes on after `Last-Event-ID`, or after `after`; `limit` does not apply.',
    params: sessionParams,
    query: eventsQuery,
    headers: eventsHeaders,
    responses: {
      200: {
        description: 'One page; `next_cursor` can be sent as `after` or `cursor`. Or the stream.',
        content: {
          'application/json': { schema: pageOf(event) },
          'text/event-stream': { schema: z.string() },
        },
      },
    },
    problems: [404],
    handle: async (call) => {
      const { c } = call;
      const ref = refOf(call);
      const { limit = DEFAULT_LIMIT, after = 0, cursor = after, types } = call.query;
      await existingHead(deps.store, ref);
      if (c.req.header('accept')?.includes('text/event-stream')) {
        const stream = eventStream(deps.store, ref, { after: lastEventId(c) ?? cursor, types });
        return c.body(stream, 200, {
          'Content-Type': 'text/event-stream',
          'Cache-Control': 'no-store',
          // Else a buffering proxy would hold the events back.
          'X-Accel-Buffering': 'no',
        });
      }
      return api.longAnswer(call, async () => {
        const page = await eventPage(deps.store, ref, { after: cursor, limit, types });
        return { data: page.events, next_cursor: page.next_cursor };
      });
    },
  });
}

function lastEventId(c: Context): number | null {
  const id = c.req.header('last-event-id');
  if (id === undefined || id === '') return null;
  if (/^\d{1,15}$/.test(id)) return Number(id);
  throw new ProblemError(
    'invalid_request',
    'Last-Event-ID must be the id of an event of this stream, a version such as 12',
  );
}
