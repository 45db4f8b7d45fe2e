import { z } from '@hono/zod-openapi';
import type { EventStore, SessionRef } from '../../db/event-store.ts';
import { rolloutWriter } from '../../domain/session/rollout.ts';
import { type Api, addEndpoint, noQuery, refOf } from '../endpoint.ts';
import { eventPage } from '../event-page.ts';
import { sessionParams } from '../schemas/common.ts';
import { existingHead } from '../session-body.ts';

/** Events per pull: what is in memory for one slow client. */
const PAGE = 100;

/** `/sessions/{id}/rollout`: the audit trail (SPEC section 14). */
export function addRolloutRoute(api: Api): void {
  const { deps } = api;
  addEndpoint(api, {
    method: 'get',
    path: '/sessions/{id}/rollout',
    operationId: 'getRollout',
    tag: 'Events',
    summary: 'The audit trail as JSON lines',
    params: sessionParams,
    query: noQuery,
    responses: {
      200: {
        description:
          'One record per line: `session_meta`, `response_item`, `event_msg`, `compacted`, up to the ' +
          'version that the session has now.',
        content: { 'application/x-ndjson': { schema: z.string() } },
      },
    },
    problems: [404],
    handle: async (call) => {
      const ref = refOf(call);
      const head = await existingHead(deps.store, ref);
      return call.c.body(rolloutStream(deps.store, ref, head.state.version), 200, {
        'Content-Type': 'application/x-ndjson',
      });
    },
  });
}

function rolloutStream(
  store: EventStore,
  ref: SessionRef,
  upTo: number,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const recordsOf = rolloutWriter(ref.session_id);
  let after = 0;
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        for (;;) {
          const { events } = await eventPage(store, ref, { after, up_to: upTo, limit: PAGE });
          const last = events.at(-1);
          if (last === undefined) return controller.close();
          after = last.version;
          const lines = events
            .flatMap(recordsOf)
            .map((record) => `${JSON.stringify(record)}\n`)
            .join('');
          // A page of events without a line must not end the pull, or nobody would ask again.
          if (lines !== '') return controller.enqueue(encoder.encode(lines));
        }
      },
    },
    { highWaterMark: 0 },
  );
}
