import { findToolResult } from '../../app/find-tool-result.ts';
import { readHere } from '../../app/read-here.ts';
import { json } from '../http/answer.ts';
import { type Api, addEndpoint, noQuery, refOf } from '../http/endpoint.ts';
import { unwrap } from '../http/problem.ts';
import { sessionParams } from '../schemas/common.ts';
import { toolResult, toolResultParams } from './schemas.ts';

/** `/sessions/{id}/tool-results/{tool_use_id}` (SPEC section 2). */
export function addToolResultRoute(api: Api): void {
  const { deps } = api;
  addEndpoint(api, {
    method: 'get',
    path: '/sessions/{id}/tool-results/{tool_use_id}',
    operationId: 'getToolResult',
    tag: 'Items',
    summary: 'The original content of a tool result, cleared or not',
    description: 'The newest one, when a client has used an id more than once.',
    params: sessionParams.extend(toolResultParams),
    query: noQuery,
    responses: { 200: json('The result as it was appended.', toolResult) },
    problems: ['session_not_found', 'not_found'],
    handle: async (call, answer) =>
      answer.long(async () =>
        unwrap(await findToolResult(readHere(deps), refOf(call), call.params.tool_use_id)),
      ),
  });
}
