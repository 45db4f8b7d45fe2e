import { forkCommand } from '../../app/fork-session.ts';
import { type Api, addEndpoint, noQuery, refOf } from '../http/endpoint.ts';
import { readJson } from '../http/json-body.ts';
import { unwrap } from '../http/problem.ts';
import { sessionParams } from '../schemas/common.ts';
import { forkBody, forkedSession } from './schemas.ts';
import { existingHead, stateBody } from './session-body.ts';

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
      201: {
        description: 'The new session.',
        headers: { Location: { schema: { type: 'string' } } },
        content: { 'application/json': { schema: forkedSession } },
      },
    },
    problems: [404, 409, 413, 415],
    handle: async (call) => {
      const { c } = call;
      const parent = refOf(call);
      const body = await readJson(c.req.raw, deps.limits, forkBody);
      const head = await existingHead(deps.store, parent);
      const version = body.at ?? head.state.version;
      const command = unwrap(await forkCommand(deps.store, parent, head, version));
      const ref = { tenant: parent.tenant, session_id: body.id ?? deps.newId() };
      const at = deps.clock.now().toISOString();
      const forked = unwrap(await deps.store.commit(ref, command, { at })).value;
      c.header('Location', `/sessions/${ref.session_id}`);
      const forked_from = { session_id: parent.session_id, version };
      return c.json({ ...stateBody(ref, forked, deps.world), forked_from }, 201);
    },
  });
}
