import type { z } from '@hono/zod-openapi';
import { type ObserveSignal, observeSignal } from '../../domain/session/observe-signal.ts';
import { type Api, addEndpoint, noQuery, refOf } from '../http/endpoint.ts';
import { readIdempotency } from '../http/idempotency.ts';
import { readJson } from '../http/json-body.ts';
import { unwrap } from '../http/problem.ts';
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
      200: {
        description: 'The signals that count now, and what follows from this one.',
        headers: {
          'Idempotency-Replayed': {
            description: '`true` when this is the answer that an earlier request got.',
            schema: { type: 'string', enum: ['true'] },
          },
        },
        content: { 'application/json': { schema: observed } },
      },
    },
    problems: [404, 413, 415, 422],
    handle: async (call) => {
      const { c } = call;
      const ref = refOf(call);
      const body = await readJson(c.req.raw, deps.limits, signalBody);
      const idempotency = readIdempotency(c, JSON.stringify(body));
      const now = deps.clock.now();
      const at = now.toISOString();
      const compaction_id = deps.newId();
      const command = observeSignal(deps.world, {
        ...reported(body),
        compaction_id,
        packet_prompt: deps.packetPrompt,
        now_ms: now.getTime(),
        at,
      });
      const options = idempotency === null ? { at } : { at, idempotency };
      const { value, replayed } = unwrap(await deps.store.commit(ref, command, options));
      const { packet, ...rest } = value;
      if (replayed) {
        c.header('Idempotency-Replayed', 'true');
      } else {
        if (value.compaction?.id === compaction_id) deps.dispatch({ ref, compaction_id });
        if (packet !== null) deps.awaitPacket(ref, packet.deadline_ms);
      }
      return c.json({
        session_id: ref.session_id,
        ...rest,
        packet: packet && {
          prompt: packet.prompt,
          deadline: new Date(packet.deadline_ms).toISOString(),
        },
      });
    },
  });
}

type Reported = Pick<
  ObserveSignal,
  'signal' | 'needs_follow_up' | 'queued_user_messages' | 'review_mode' | 'completed_steps'
>;

/** What a body says; of messages that wait, only how many there are. */
function reported(body: z.infer<typeof signalBody>): Reported {
  const { signal, queued_user_messages: queued, ...rest } = body;
  return {
    signal,
    ...(rest.needs_follow_up !== undefined && { needs_follow_up: rest.needs_follow_up }),
    ...(queued !== undefined && { queued_user_messages: countOf(queued) }),
    ...(rest.review_mode !== undefined && { review_mode: rest.review_mode }),
    ...(rest.completed_steps !== undefined && { completed_steps: rest.completed_steps }),
  };
}

function countOf(messages: number | boolean | readonly unknown[]): number {
  return typeof messages === 'object' ? messages.length : Number(messages);
}
