import { z } from '@hono/zod-openapi';
import { findSession } from '../../app/find.ts';
import type { EventStore, SessionRef } from '../../app/ports/event-store.ts';
import { rolloutWriter } from '../../domain/session/rollout.ts';
import { type Api, addEndpoint, noQuery, refOf } from '../http/endpoint.ts';
import { unwrap } from '../http/problem.ts';
import { textStream } from '../http/text-stream.ts';
import { sessionParams } from '../schemas/common.ts';

/** What is in memory for one slow client: so many events, and fewer when they are large. */
const PAGE = 100;
const PART_BYTES = 65_536;

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
    handle: async (call, answer) => {
      const ref = refOf(call);
      const { state } = unwrap(await findSession(deps.store, ref));
      return answer.stream(rolloutStream(deps.store, ref, state.version), {
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
  const recordsOf = rolloutWriter(ref.session_id);
  let after = 0;
  return textStream(async () => {
    const query = { after, up_to: upTo, limit: PAGE, max_bytes: PART_BYTES };
    const events = await store.events(ref, query);
    const last = events.at(-1);
    if (last === undefined) return null;
    after = last.version;
    return events
      .flatMap(recordsOf)
      .map((record) => `${JSON.stringify(record)}\n`)
      .join('');
  });
}
