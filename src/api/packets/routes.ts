import { receivePacket } from '../../app/receive-packet.ts';
import { json, LOCATION } from '../http/answer.ts';
import { BODY_PROBLEMS } from '../http/documented-problems.ts';
import { type Api, addEndpoint, noQuery, refOf } from '../http/endpoint.ts';
import { readJson } from '../http/json-body.ts';
import { unwrap } from '../http/problem.ts';
import { sessionParams } from '../schemas/common.ts';
import { packetBody, receivedPacket } from './schemas.ts';

/** `POST /sessions/{id}/packet` (SPEC sections 2 and 12). */
export function addPacketRoute(api: Api): void {
  const { deps } = api;
  addEndpoint(api, {
    method: 'post',
    path: '/sessions/{id}/packet',
    operationId: 'postPacket',
    tag: 'Signals',
    summary: 'Hand in the continuation packet that the agent has written',
    description:
      'Taken once after each `packet.requested`. It starts the compaction that the packet is ' +
      'for, and is appended when that has completed.',
    params: sessionParams,
    query: noQuery,
    body: { required: true, content: { 'application/json': { schema: packetBody } } },
    responses: {
      202: json('The compaction, which is queued now.', receivedPacket, LOCATION),
    },
    problems: ['session_not_found', 'packet_not_requested', ...BODY_PROBLEMS],
    handle: async (call, answer) => {
      const ref = refOf(call);
      const { text } = await readJson(call.req.raw, deps.limits, packetBody);
      const received = unwrap(await receivePacket(deps, ref, text));
      const Location = `/sessions/${ref.session_id}/compactions/${received.id}`;
      return answer.json(202, received, { Location });
    },
  });
}
