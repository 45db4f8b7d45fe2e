import { z } from '@hono/zod-openapi';
import { findSession } from '../../app/find.ts';
import { rolloutParts } from '../../app/session-parts.ts';
import { type Api, addEndpoint, noQuery, refOf } from '../http/endpoint.ts';
import { unwrap } from '../http/problem.ts';
import { textStream } from '../http/text-stream.ts';
import { sessionParams } from '../schemas/common.ts';

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
    problems: ['session_not_found'],
    handle: async (call, answer) => {
      const ref = refOf(call);
      const { state } = unwrap(await findSession(deps.store, ref));
      const parts = rolloutParts(deps.store, ref, state.version);
      return answer.stream(
        ({ read, hold }) =>
          textStream(() => read(async () => (await parts.next()).value?.text ?? null), { hold }),
        { 'Content-Type': 'application/x-ndjson' },
      );
    },
  });
}
