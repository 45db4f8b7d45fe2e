import { cancelCompaction } from '../../domain/session/compaction-commands.ts';
import { sessionNotFound } from '../../domain/session/create-session.ts';
import { CONTEXT_CHANGES } from '../../domain/session/events.ts';
import { revertCommand, revertCompaction } from '../../domain/session/revert-compaction.ts';
import { type Api, addEndpoint, noQuery, refOf } from '../http/endpoint.ts';
import { readJson } from '../http/json-body.ts';
import { ProblemError, unwrap } from '../http/problem.ts';
import {
  compactionParams,
  DEFAULT_LIMIT,
  pageOf,
  pageQuery,
  sessionParams,
} from '../schemas/common.ts';
import { compaction } from '../schemas/compaction.ts';
import { existingHead, levelsOf } from '../sessions/session-body.ts';
import { compactionBody, detailBody, existingCompaction, ownEvents } from './compaction-body.ts';
import { diffOf } from './diff.ts';
import { compactionDetail, compactionDiff, noFields, reverted } from './schemas.ts';

const tag = 'Compactions';

/** `/sessions/{id}/compactions` and below (SPEC section 2). */
export function addCompactionRoutes(api: Api): void {
  addListCompactions(api);
  addGetCompaction(api);
  addDiff(api);
  addRevert(api);
  addCancel(api);
}

function addListCompactions(api: Api): void {
  const { deps } = api;
  addEndpoint(api, {
    method: 'get',
    path: '/sessions/{id}/compactions',
    operationId: 'listCompactions',
    tag,
    summary: 'All compactions, newest first',
    params: sessionParams,
    query: pageQuery,
    responses: {
      200: {
        description: 'One page.',
        content: { 'application/json': { schema: pageOf(compaction) } },
      },
    },
    problems: [404],
    handle: async (call) => {
      const ref = refOf(call);
      const { limit = DEFAULT_LIMIT, cursor } = call.query;
      await existingHead(deps.store, ref);
      const page = await deps.store.compactions(ref, {
        limit,
        ...(cursor === undefined ? {} : { cursor }),
      });
      const data = page.data.map((row) => compactionBody(ref, row));
      return call.c.json({ data, next_cursor: page.next_cursor });
    },
  });
}

function addGetCompaction(api: Api): void {
  const { deps } = api;
  addEndpoint(api, {
    method: 'get',
    path: '/sessions/{id}/compactions/{cid}',
    operationId: 'getCompaction',
    tag,
    summary: 'One compaction in full',
    params: compactionParams,
    query: noQuery,
    responses: {
      200: {
        description: 'Everything that its events say.',
        content: { 'application/json': { schema: compactionDetail } },
      },
    },
    problems: [404, 409],
    handle: async (call) => {
      const ref = refOf(call);
      await existingHead(deps.store, ref);
      const row = await existingCompaction(deps.store, ref, call.params.cid);
      return api.longAnswer(call, async () =>
        detailBody(ref, row, await ownEvents(deps.store, ref, row)),
      );
    },
  });
}

function addDiff(api: Api): void {
  const { deps } = api;
  addEndpoint(api, {
    method: 'get',
    path: '/sessions/{id}/compactions/{cid}/diff',
    operationId: 'diffCompaction',
    tag,
    summary: 'The context before and after',
    params: compactionParams,
    query: noQuery,
    responses: {
      200: {
        description: 'What was kept, cleared, removed and added, with tokens each.',
        content: { 'application/json': { schema: compactionDiff } },
      },
    },
    problems: [404, 409],
    handle: async (call) => {
      const ref = refOf(call);
      await existingHead(deps.store, ref);
      const row = await existingCompaction(deps.store, ref, call.params.cid);
      const { ended_version } = row;
      if (ended_version === null) {
        throw new ProblemError(
          'compaction_not_ended',
          `the compaction is ${row.status}: ask again when its status is "ended"`,
        );
      }
      return api.longAnswer(call, async () => {
        const diff = await diffOf(deps.store, ref, { ...row, ended_version });
        // Null: erased since the row was read.
        return diff ?? unwrap(sessionNotFound());
      });
    },
  });
}

function addRevert(api: Api): void {
  const { deps } = api;
  addEndpoint(api, {
    method: 'post',
    path: '/sessions/{id}/compactions/{cid}/revert',
    operationId: 'revertCompaction',
    tag,
    summary: 'Undo a compaction',
    description:
      'Recorded as an event: the context becomes what it would be without that compaction, including the items appended since.',
    params: compactionParams,
    query: noQuery,
    body: { content: { 'application/json': { schema: noFields } } },
    responses: {
      200: {
        description: 'The compaction, and where the context stands now.',
        content: { 'application/json': { schema: reverted } },
      },
    },
    problems: [404, 409, 413, 415],
    handle: async (call) => {
      const ref = refOf(call);
      const { cid } = call.params;
      await readJson(call.c.req.raw, deps.limits, noFields);
      const head = await existingHead(deps.store, ref);
      const row = await existingCompaction(deps.store, ref, cid);
      if (row.status !== 'ended') {
        throw new ProblemError(
          'compaction_not_revertible',
          `this compaction is ${row.status}: cancel it, or wait for its end and then revert it`,
        );
      }
      const events = await deps.store.events(ref, {
        types: CONTEXT_CHANGES,
        after: row.requested_version,
      });
      const command = revertCompaction(unwrap(revertCommand(cid, events, head)));
      const at = deps.clock.now().toISOString();
      const after = unwrap(await deps.store.commit(ref, command, { at })).value;
      return call.c.json({
        compaction: compactionBody(ref, await existingCompaction(deps.store, ref, cid)),
        version: after.state.version,
        context: levelsOf(after, deps.world),
      });
    },
  });
}

function addCancel(api: Api): void {
  const { deps } = api;
  addEndpoint(api, {
    method: 'post',
    path: '/sessions/{id}/compactions/{cid}/cancel',
    operationId: 'cancelCompaction',
    tag,
    summary: 'Cancel a compaction that is queued or running',
    params: compactionParams,
    query: noQuery,
    body: { content: { 'application/json': { schema: noFields } } },
    responses: {
      200: {
        description: 'The cancelled compaction; the context stays as it is.',
        content: { 'application/json': { schema: compaction } },
      },
    },
    problems: [404, 409, 413, 415],
    handle: async (call) => {
      const ref = refOf(call);
      const { cid } = call.params;
      await readJson(call.c.req.raw, deps.limits, noFields);
      await existingHead(deps.store, ref);
      await existingCompaction(deps.store, ref, cid);
      const at = deps.clock.now().toISOString();
      unwrap(await deps.store.commit(ref, cancelCompaction(cid), { at }));
      deps.cancelJob(cid);
      return call.c.json(compactionBody(ref, await existingCompaction(deps.store, ref, cid)));
    },
  });
}
