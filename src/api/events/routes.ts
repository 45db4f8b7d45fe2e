import { z } from '@hono/zod-openapi';
import type { HonoRequest } from 'hono';
import { findFollowed, listEvents } from '../../app/list-events.ts';
import { readHere } from '../../app/read-here.ts';
import { type Api, addEndpoint, refOf } from '../http/endpoint.ts';
import { eventStream } from '../http/event-stream.ts';
import { ProblemError, unwrap } from '../http/problem.ts';
import { DEFAULT_LIMIT, pageOf, sessionParams } from '../schemas/common.ts';
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
      'the event as JSON. It goes on after `Last-Event-ID`, or after `after`; `limit` does not apply. ' +
      'A version that the session has not reached is 404 then.',
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
    problems: ['session_not_found', 'version_not_found'],
    handle: async (call, answer) => {
      const { req } = call;
      const ref = refOf(call);
      const { limit = DEFAULT_LIMIT, after = 0, cursor = after, types } = call.query;
      if (!req.header('accept')?.includes('text/event-stream')) {
        const page = { after: cursor, limit, types };
        return answer.long(async () => unwrap(await listEvents(readHere(deps), ref, page)));
      }
      const query = { after: lastEventId(req) ?? cursor, types };
      unwrap(await findFollowed(deps, ref, query.after));
      return answer.stream((room) => eventStream(deps.store, ref, query, { room }), {
        'Content-Type': 'text/event-stream',
        'Cache-Control': 'no-store',
        // Else a buffering proxy would hold the events back.
        'X-Accel-Buffering': 'no',
      });
    },
  });
}

function lastEventId(req: HonoRequest): number | null {
  const id = req.header('last-event-id');
  if (id === undefined || id === '') return null;
  if (/^\d{1,15}$/.test(id)) return Number(id);
  throw new ProblemError(
    'invalid_request',
    'Last-Event-ID must be the id of an event of this stream, a version such as 12',
  );
}
