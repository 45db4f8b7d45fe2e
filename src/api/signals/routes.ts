import type { z } from '@hono/zod-openapi';
import { observe } from '../../app/observe.ts';
import type { Reported } from '../../domain/session/observe-signal.ts';
import { json, REPLAYED } from '../http/answer.ts';
import { BODY_PROBLEMS } from '../http/documented-problems.ts';
import { type Api, addEndpoint, noQuery, refOf } from '../http/endpoint.ts';
import { readRepeatable, replayedHeader } from '../http/idempotency.ts';
import { unwrap } from '../http/problem.ts';
import { withoutUndefined } from '../http/validation.ts';
import { idempotencyHeader, sessionParams } from '../schemas/common.ts';
import { observed, signalBody } from './schemas.ts';

/** `POST /sessions/{id}/signals` (SPEC section 11). */
export function addSignalRoute(api: Api): void {
  const { deps } = api;
  addEndpoint(api, {
    method: 'post',
    path: '/sessions/{id}/signals',
    operationId: 'postSignal',
    tag: 'Signals',
    summary: 'Report where a turn stands, or that something is finished',
    description:
      'Useful with `auto_compact_trigger: "tiers"` (profile rawr): after `sampling_complete` with ' +
      '`needs_follow_up`, and after `turn_complete`, the same write may request a compaction.',
    params: sessionParams,
    query: noQuery,
    headers: idempotencyHeader,
    body: { required: true, content: { 'application/json': { schema: signalBody } } },
    responses: {
      200: json('The signals that count now, and what follows from this one.', observed, REPLAYED),
    },
    problems: ['session_not_found', 'idempotency_mismatch', ...BODY_PROBLEMS],
    handle: async (call, answer) => {
      const { body, idempotency } = await readRepeatable(call.req, deps.limits, signalBody);
      const outcome = await observe(deps, refOf(call), reported(body), idempotency);
      const { observed, replayed } = unwrap(outcome);
      return answer.json(200, observed, replayedHeader(replayed));
    },
  });
}

/** What a body says; of messages that wait, only how many there are. */
function reported(body: z.infer<typeof signalBody>): Reported {
  const { queued_user_messages: queued } = body;
  const queued_user_messages = queued === undefined ? undefined : countOf(queued);
  return withoutUndefined({ ...body, queued_user_messages });
}

function countOf(messages: number | boolean | readonly unknown[]): number {
  return typeof messages === 'object' ? messages.length : Number(messages);
}
