import { fork } from '../../app/fork.ts';
import { json, LOCATION } from '../http/answer.ts';
import { BODY_PROBLEMS } from '../http/documented-problems.ts';
import { type Api, addEndpoint, noQuery, refOf } from '../http/endpoint.ts';
import { readJson } from '../http/json-body.ts';
import { unwrap } from '../http/problem.ts';
import { sessionParams } from '../schemas/common.ts';
import { forkBody, forkedSession } from './schemas.ts';

/** `POST /sessions/{id}/fork` (SPEC section 2). */
export function addForkRoute(api: Api): void {
  const { deps } = api;
  addEndpoint(api, {
    method: 'post',
    path: '/sessions/{id}/fork',
    operationId: 'forkSession',
    tag: 'Sessions',
    summary: 'A new session whose context equals this one at a version',
    description: 'Its settings are those that the parent has now. The parent is not changed.',
    params: sessionParams,
    query: noQuery,
    body: { content: { 'application/json': { schema: forkBody } } },
    responses: {
      201: json('The new session.', forkedSession, LOCATION),
    },
    problems: ['session_not_found', 'version_not_found', 'session_exists', ...BODY_PROBLEMS],
    handle: async (call, answer) => {
      const body = await readJson(call.req.raw, deps.limits, forkBody);
      const forked = unwrap(await fork(deps, refOf(call), body));
      return answer.json(201, forked, { Location: `/sessions/${forked.id}` });
    },
  });
}
