import { changeSession } from '../../app/change-session.ts';
import { createSession } from '../../app/create-session.ts';
import { eraseSession } from '../../app/erase-session.ts';
import { listSessions } from '../../app/list-sessions.ts';
import { readSession } from '../../app/read-session.ts';
import { json, LOCATION } from '../http/answer.ts';
import { BODY_PROBLEMS } from '../http/documented-problems.ts';
import { type Api, addEndpoint, noParams, noQuery, refOf } from '../http/endpoint.ts';
import { readJson } from '../http/json-body.ts';
import { unwrap } from '../http/problem.ts';
import { withoutUndefined } from '../http/validation.ts';
import { DEFAULT_LIMIT, pageOf, pageQuery, sessionParams } from '../schemas/common.ts';
import {
  changedSession,
  changeSessionBody,
  createSessionBody,
  listedSession,
  sessionState,
} from './schemas.ts';

const tag = 'Sessions';

/** `/sessions` and `/sessions/{id}` (SPEC section 2). */
export function addSessionRoutes(api: Api): void {
  const { deps } = api;
  addEndpoint(api, {
    method: 'post',
    path: '/sessions',
    operationId: 'createSession',
    tag,
    summary: 'Create a session',
    params: noParams,
    query: noQuery,
    body: { content: { 'application/json': { schema: createSessionBody } } },
    responses: {
      201: json('The new session.', changedSession, LOCATION),
    },
    problems: ['session_exists', 'invalid_item', 'invalid_config', ...BODY_PROBLEMS],
    handle: async ({ req, tenant }, answer) => {
      const body = await readJson(req.raw, deps.limits, createSessionBody);
      const created = unwrap(await createSession(deps, tenant, withoutUndefined(body)));
      return answer.json(201, created, { Location: `/sessions/${created.id}` });
    },
  });

  addEndpoint(api, {
    method: 'get',
    path: '/sessions',
    operationId: 'listSessions',
    tag,
    summary: 'List the sessions of this key, newest first',
    params: noParams,
    query: pageQuery,
    responses: { 200: json('One page.', pageOf(listedSession)) },
    problems: [],
    handle: async ({ tenant, query }, answer) => {
      const { limit = DEFAULT_LIMIT, cursor } = query;
      return answer.json(200, await listSessions(deps, tenant, { limit, cursor }));
    },
  });

  addEndpoint(api, {
    method: 'get',
    path: '/sessions/{id}',
    operationId: 'getSession',
    tag,
    summary: 'The state of a session',
    params: sessionParams,
    query: noQuery,
    responses: {
      200: json('Counts, context levels, configuration and what is under way.', sessionState),
    },
    problems: ['session_not_found'],
    handle: async (call, answer) => answer.json(200, unwrap(await readSession(deps, refOf(call)))),
  });

  addEndpoint(api, {
    method: 'patch',
    path: '/sessions/{id}',
    operationId: 'changeSession',
    tag,
    summary: 'Change the settings of a session',
    description:
      'Fields that are not named stay as they are; `config` is merged field by field, `metadata` is ' +
      'replaced. Recorded as an event: history is never rewritten. Another `model` does not change ' +
      '`context_window`: send both.',
    params: sessionParams,
    query: noQuery,
    body: { required: true, content: { 'application/json': { schema: changeSessionBody } } },
    responses: { 200: json('The session after the change.', changedSession) },
    problems: ['session_not_found', 'invalid_config', ...BODY_PROBLEMS],
    handle: async (call, answer) => {
      const body = await readJson(call.req.raw, deps.limits, changeSessionBody);
      const changed = await changeSession(deps, refOf(call), withoutUndefined(body));
      return answer.json(200, unwrap(changed));
    },
  });

  addEndpoint(api, {
    method: 'delete',
    path: '/sessions/{id}',
    operationId: 'eraseSession',
    tag,
    summary: 'Erase a session with everything in it',
    params: sessionParams,
    query: noQuery,
    responses: { 204: { description: 'Every row is gone; the id can be used again.' } },
    problems: ['session_not_found'],
    handle: async (call, answer) => {
      unwrap(await eraseSession(deps, refOf(call)));
      return answer.empty(204);
    },
  });
}
