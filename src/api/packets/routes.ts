import { withTokenizer } from '../../app/tokenizer.ts';
import { receivePacket } from '../../domain/session/packet-commands.ts';
import { compactionBody, existingCompaction } from '../compactions/compaction-body.ts';
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
      202: {
        description: 'The compaction, which is queued now.',
        headers: { Location: { schema: { type: 'string' } } },
        content: { 'application/json': { schema: receivedPacket } },
      },
    },
    problems: [404, 409, 413, 415],
    handle: async (call) => {
      const { c } = call;
      const ref = refOf(call);
      const { text } = await readJson(c.req.raw, deps.limits, packetBody);
      const command = receivePacket(deps.world, { compaction_id: deps.newId(), text });
      const at = deps.clock.now().toISOString();
      const commit = () => deps.store.commit(ref, command, { at });
      const received = unwrap(await withTokenizer(deps, ref, commit)).value;
      const { compaction_id, is_truncated } = received;
      deps.dispatch({ ref, compaction_id });
      c.header('Location', `/sessions/${ref.session_id}/compactions/${compaction_id}`);
      const row = await existingCompaction(deps.store, ref, compaction_id);
      return c.json({ ...compactionBody(ref, row), packet: { is_truncated } }, 202);
    },
  });
}
