import { countedItems } from '../../app/tokenizer.ts';
import type { ConfigOverrides } from '../../domain/policy/config.ts';
import { DEFAULT_CONTEXT_WINDOW } from '../../domain/policy/profiles.ts';
import {
  configureSession,
  createSession,
  type NewSession,
  sessionNotFound,
} from '../../domain/session/create-session.ts';
import type { EventData } from '../../domain/session/events.ts';
import type { AppDependencies } from '../app-dependencies.ts';
import { type Api, addEndpoint, noParams, noQuery, refOf } from '../http/endpoint.ts';
import { readJson } from '../http/json-body.ts';
import { ProblemError, unwrap } from '../http/problem.ts';
import { DEFAULT_LIMIT, pageOf, pageQuery, sessionParams } from '../schemas/common.ts';
import {
  changedSession,
  changeSessionBody,
  createSessionBody,
  sessionState,
  sessionSummary,
} from './schemas.ts';
import { existingHead, stateBody, summaryBody } from './session-body.ts';

const tag = 'Sessions';

/** `/sessions` and `/sessions/{id}` (SPEC section 2). */
export function addSessionRoutes(api: Api): void {
  addCreateSession(api);
  addListSessions(api);
  addGetSession(api);
  addChangeSession(api);
  addEraseSession(api);
}

/** What an append to a new id creates; `POST /sessions` starts from the same. */
export function defaultSession(): NewSession {
  return {
    format: 'anthropic',
    profile: 'default',
    config: {},
    model: null,
    context_window: DEFAULT_CONTEXT_WINDOW,
    initial_context: [],
    metadata: {},
  };
}

function addCreateSession(api: Api): void {
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
      201: {
        description: 'The new session.',
        headers: { Location: { schema: { type: 'string' } } },
        content: { 'application/json': { schema: changedSession } },
      },
    },
    problems: [409, 413, 415],
    handle: async ({ c, tenant }) => {
      const { id, ...chosen } = await readJson(c.req.raw, deps.limits, createSessionBody);
      refuseModel(deps, chosen.config ?? {});
      const ref = { tenant, session_id: id ?? deps.newId() };
      const session: NewSession = {
        ...defaultSession(),
        ...withoutUndefined(chosen),
        context_window: chosen.context_window ?? windowOf(deps, chosen.model),
      };
      const counted = await countedItems(deps, session, session.initial_context);
      const at = deps.clock.now().toISOString();
      const command = createSession(deps.world, { ...session, counted });
      const outcome = await deps.store.commit(ref, command, { at });
      const head = unwrap(outcome).value;
      c.header('Location', `/sessions/${ref.session_id}`);
      const note = windowNote(deps, chosen, session.context_window);
      return c.json({ ...stateBody(ref, head, deps.world), note }, 201);
    },
  });
}

function addListSessions(api: Api): void {
  const { deps } = api;
  addEndpoint(api, {
    method: 'get',
    path: '/sessions',
    operationId: 'listSessions',
    tag,
    summary: 'List the sessions of this key, newest first',
    params: noParams,
    query: pageQuery,
    responses: {
      200: {
        description: 'One page.',
        content: { 'application/json': { schema: pageOf(sessionSummary) } },
      },
    },
    problems: [],
    handle: async ({ c, tenant, query }) => {
      const { limit = DEFAULT_LIMIT, cursor } = query;
      const page = await deps.store.sessions(tenant, {
        limit,
        ...(cursor === undefined ? {} : { cursor }),
      });
      const data = page.data.map(({ ref, head }) => summaryBody(ref, head, deps.world));
      return c.json({ data, next_cursor: page.next_cursor });
    },
  });
}

function addGetSession(api: Api): void {
  const { deps } = api;
  addEndpoint(api, {
    method: 'get',
    path: '/sessions/{id}',
    operationId: 'getSession',
    tag,
    summary: 'The state of a session',
    params: sessionParams,
    query: noQuery,
    responses: {
      200: {
        description: 'Counts, context levels, configuration and what is under way.',
        content: { 'application/json': { schema: sessionState } },
      },
    },
    problems: [404],
    handle: async (call) => {
      const ref = refOf(call);
      const head = await existingHead(deps.store, ref);
      return call.c.json(stateBody(ref, head, deps.world));
    },
  });
}

function addChangeSession(api: Api): void {
  const { deps } = api;
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
    responses: {
      200: {
        description: 'The session after the change.',
        content: { 'application/json': { schema: changedSession } },
      },
    },
    problems: [404, 413, 415],
    handle: async (call) => {
      const ref = refOf(call);
      const body = await readJson(call.c.req.raw, deps.limits, changeSessionBody);
      // Together with what is there: one may name the model and the other its provider.
      const { settings } = await existingHead(deps.store, ref);
      if (body.config !== undefined) refuseModel(deps, { ...settings.config, ...body.config });
      const change: EventData['session.configured'] = withoutUndefined(body);
      const at = deps.clock.now().toISOString();
      const outcome = await deps.store.commit(
        ref,
        configureSession(deps.world, change, deps.newId()),
        { at },
      );
      const head = unwrap(outcome).value;
      const note = windowNote(deps, body, head.settings.context_window);
      return call.c.json({ ...stateBody(ref, head, deps.world), note });
    },
  });
}

function addEraseSession(api: Api): void {
  const { deps } = api;
  addEndpoint(api, {
    method: 'delete',
    path: '/sessions/{id}',
    operationId: 'eraseSession',
    tag,
    summary: 'Erase a session with everything in it',
    params: sessionParams,
    query: noQuery,
    responses: { 204: { description: 'Every row is gone; the id can be used again.' } },
    problems: [404],
    handle: async (call) => {
      const ref = refOf(call);
      const head = await deps.store.head(ref);
      if (!(await deps.store.erase(ref))) unwrap(sessionNotFound());
      const running = head?.state.running;
      if (running) deps.cancelJob(running.id);
      return call.c.body(null, 204);
    },
  });
}

/** Throws ProblemError (invalid_config) for a model that the session may not name. */
function refuseModel(deps: AppDependencies, config: ConfigOverrides): void {
  const refusal = deps.modelRefusal(config);
  if (refusal !== null) throw new ProblemError('invalid_config', refusal);
}

function windowOf(deps: AppDependencies, model: string | undefined): number {
  return (model === undefined ? null : deps.contextWindowOf(model)) ?? DEFAULT_CONTEXT_WINDOW;
}

/** Says when a model came without its window, and the one in force may be another than the model's. */
function windowNote(
  deps: AppDependencies,
  {
    model,
    context_window,
  }: { model?: string | null | undefined; context_window?: number | undefined },
  inForce: number,
): string | null {
  if (model === undefined || model === null || context_window !== undefined) return null;
  const known = deps.contextWindowOf(model);
  if (known === inForce) return null;
  const change = 'change it with PATCH /sessions/:id and {"context_window": TOKENS}';
  return known === null
    ? `the model "${model}" is unknown, so its context window is taken to be ${inForce} tokens: if it is another, ${change}`
    : `the context window stays at ${inForce} tokens, and the model "${model}" has ${known}: ${change}`;
}

/** Absent fields are absent, not undefined: what is stored is then what was sent. */
function withoutUndefined<T extends object>(body: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(body).filter(([, value]) => value !== undefined);
  // The filter has just taken out every undefined.
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> };
}
