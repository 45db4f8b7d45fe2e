import { sessionCost as readCost } from '../../app/session-cost.ts';
import { json } from '../http/answer.ts';
import { type Api, addEndpoint, noQuery, refOf } from '../http/endpoint.ts';
import { unwrap } from '../http/problem.ts';
import { sessionParams } from '../schemas/common.ts';
import { sessionCost } from './schemas.ts';

/** `GET /sessions/{id}/cost` (SPEC section 20). */
export function addCostRoute(api: Api): void {
  const { deps } = api;
  addEndpoint(api, {
    method: 'get',
    path: '/sessions/{id}/cost',
    operationId: 'getCost',
    tag: 'Compactions',
    summary: 'What the compactions of a session have cost and saved',
    params: sessionParams,
    query: noQuery,
    responses: { 200: json('Sums over all compactions.', sessionCost) },
    problems: ['session_not_found'],
    handle: async (call, answer) => answer.json(200, unwrap(await readCost(deps, refOf(call)))),
  });
}
