import { listPins } from '../../app/list-pins.ts';
import { pin } from '../../app/pin.ts';
import { readHere } from '../../app/read-here.ts';
import { unpin } from '../../app/unpin.ts';
import { json, REPLAYED } from '../http/answer.ts';
import { BODY_PROBLEMS } from '../http/documented-problems.ts';
import { type Api, addEndpoint, noQuery, refOf } from '../http/endpoint.ts';
import { readRepeatable, replayedHeader } from '../http/idempotency.ts';
import { unwrap } from '../http/problem.ts';
import { idempotencyHeader, pageOf, sessionParams } from '../schemas/common.ts';
import { pinParams } from '../schemas/pins.ts';
import { pinBody, pinned, pinShown } from './schemas.ts';

const tag = 'Context';

/** `/sessions/{id}/pins` (SPEC section 20). */
export function addPinRoutes(api: Api): void {
  const { deps } = api;
  addEndpoint(api, {
    method: 'post',
    path: '/sessions/{id}/pins',
    operationId: 'addPin',
    tag,
    summary: 'Keep a text or an item in every context, word for word',
    description:
      'No compaction clears or summarises what is pinned: it stands where it was said, and behind the ' +
      'initial context once that is covered. What a compaction has taken away before comes back. An ' +
      'item that is pinned already is not pinned twice.',
    params: sessionParams,
    query: noQuery,
    headers: idempotencyHeader,
    body: { required: true, content: { 'application/json': { schema: pinBody } } },
    responses: {
      201: json('The pin, and where the context stands now.', pinned, REPLAYED),
    },
    problems: [
      'session_not_found',
      'not_found',
      'not_pinnable',
      'version_mismatch',
      'idempotency_mismatch',
      ...BODY_PROBLEMS,
    ],
    handle: async (call, answer) => {
      const { body, idempotency } = await readRepeatable(call.req, deps.limits, pinBody);
      const outcome = await pin(deps, refOf(call), body, idempotency);
      const { pinned, replayed } = unwrap(outcome);
      return answer.json(201, pinned, replayedHeader(replayed));
    },
  });

  addEndpoint(api, {
    method: 'get',
    path: '/sessions/{id}/pins',
    operationId: 'listPins',
    tag,
    summary: 'What is pinned, in the order in which it stands in the context',
    params: sessionParams,
    query: noQuery,
    responses: { 200: json('All pins of the session.', pageOf(pinShown)) },
    problems: ['session_not_found'],
    handle: async (call, answer) =>
      answer.json(200, unwrap(await listPins(readHere(deps), refOf(call)))),
  });

  addEndpoint(api, {
    method: 'delete',
    path: '/sessions/{id}/pins/{pin_id}',
    operationId: 'removePin',
    tag,
    summary: 'Remove a pin',
    description:
      'What was pinned stands in the context as far as compactions have left it there: an item that ' +
      'was covered meanwhile goes.',
    params: pinParams,
    query: noQuery,
    responses: { 204: { description: 'It is pinned no more.' } },
    problems: ['session_not_found', 'pin_not_found', 'version_mismatch'],
    handle: async (call, answer) => {
      unwrap(await unpin(deps, refOf(call), call.params.pin_id));
      return answer.empty(204);
    },
  });
}
