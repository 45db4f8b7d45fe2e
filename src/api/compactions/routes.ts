import { apply } from '../../app/apply-proposal.ts';
import { cancel } from '../../app/cancel.ts';
import { diff } from '../../app/diff.ts';
import { discard } from '../../app/discard-proposal.ts';
import { listCompactions } from '../../app/list-compactions.ts';
import { readCompaction } from '../../app/read-compaction.ts';
import { readHere } from '../../app/read-here.ts';
import { revert } from '../../app/revert.ts';
import { json, REPLAYED } from '../http/answer.ts';
import { BODY_PROBLEMS } from '../http/documented-problems.ts';
import { type Api, addEndpoint, noQuery, refOf } from '../http/endpoint.ts';
import { readRepeatable, replayedHeader } from '../http/idempotency.ts';
import { readJson } from '../http/json-body.ts';
import { unwrap } from '../http/problem.ts';
import {
  compactionParams,
  DEFAULT_LIMIT,
  idempotencyHeader,
  pageOf,
  pageQuery,
  sessionParams,
} from '../schemas/common.ts';
import { compaction, costedCompaction } from '../schemas/compaction.ts';
import { compactionDetail } from './detail.ts';
import { applied, compactionDiff, noFields, revertBody, reverted } from './schemas.ts';

const tag = 'Compactions';

/** `/sessions/{id}/compactions` and below (SPEC section 2). */
export function addCompactionRoutes(api: Api): void {
  const { deps } = api;
  addEndpoint(api, {
    method: 'get',
    path: '/sessions/{id}/compactions',
    operationId: 'listCompactions',
    tag,
    summary: 'All compactions, newest first',
    params: sessionParams,
    query: pageQuery,
    responses: { 200: json('One page.', pageOf(costedCompaction)) },
    problems: ['session_not_found'],
    handle: async (call, answer) => {
      const { limit = DEFAULT_LIMIT, cursor } = call.query;
      return answer.json(200, unwrap(await listCompactions(deps, refOf(call), { limit, cursor })));
    },
  });

  addEndpoint(api, {
    method: 'get',
    path: '/sessions/{id}/compactions/{cid}',
    operationId: 'getCompaction',
    tag,
    summary: 'One compaction in full',
    params: compactionParams,
    query: noQuery,
    responses: { 200: json('Everything that its events say.', compactionDetail) },
    problems: ['session_not_found', 'compaction_not_found', 'answer_too_large'],
    handle: async (call, answer) =>
      answer.long(async () =>
        unwrap(await readCompaction(readHere(deps), refOf(call), call.params.cid)),
      ),
  });

  addEndpoint(api, {
    method: 'get',
    path: '/sessions/{id}/compactions/{cid}/diff',
    operationId: 'diffCompaction',
    tag,
    summary: 'The context before and after',
    params: compactionParams,
    query: noQuery,
    responses: {
      200: json('What was kept, cleared, removed and added, with tokens each.', compactionDiff),
    },
    problems: [
      'session_not_found',
      'compaction_not_found',
      'compaction_not_ended',
      'proposal_not_open',
      'answer_too_large',
    ],
    handle: async (call, answer) =>
      answer.long(async () => unwrap(await diff(deps, refOf(call), call.params.cid))),
  });

  addEndpoint(api, {
    method: 'post',
    path: '/sessions/{id}/compactions/{cid}/revert',
    operationId: 'revertCompaction',
    tag,
    summary: 'Undo a compaction',
    description:
      'Recorded as an event: the context becomes what it would be without that compaction, including the items appended since. One that a later compaction builds on needs `cascade`.',
    params: compactionParams,
    query: noQuery,
    body: { content: { 'application/json': { schema: revertBody } } },
    responses: { 200: json('The compaction, and where the context stands now.', reverted) },
    problems: [
      'session_not_found',
      'compaction_not_found',
      'compaction_not_revertible',
      ...BODY_PROBLEMS,
    ],
    handle: async (call, answer) => {
      const { cascade = false } = await readJson(call.req.raw, deps.limits, revertBody);
      const { cid } = call.params;
      return answer.json(200, unwrap(await revert(deps, refOf(call), cid, { cascade })));
    },
  });

  addEndpoint(api, {
    method: 'post',
    path: '/sessions/{id}/compactions/{cid}/apply',
    operationId: 'applyCompaction',
    tag,
    summary: 'Apply a proposal',
    description:
      'Puts the candidate in place as it was made, with the items appended since behind it. Refused ' +
      'when another compaction has changed the context since, or is under way.',
    params: compactionParams,
    query: noQuery,
    headers: idempotencyHeader,
    body: { content: { 'application/json': { schema: noFields } } },
    responses: {
      200: json('The compaction, and where the context stands now.', applied, REPLAYED),
    },
    problems: [
      'session_not_found',
      'compaction_not_found',
      'compaction_disabled',
      'proposal_not_open',
      'compaction_not_applicable',
      'idempotency_mismatch',
      ...BODY_PROBLEMS,
    ],
    handle: async (call, answer) => {
      const { idempotency } = await readRepeatable(call.req, deps.limits, noFields);
      const outcome = await apply(deps, refOf(call), call.params.cid, idempotency);
      const { applied, replayed } = unwrap(outcome);
      return answer.json(200, applied, replayedHeader(replayed));
    },
  });

  addEndpoint(api, {
    method: 'post',
    path: '/sessions/{id}/compactions/{cid}/discard',
    operationId: 'discardCompaction',
    tag,
    summary: 'Discard a proposal',
    params: compactionParams,
    query: noQuery,
    headers: idempotencyHeader,
    body: { content: { 'application/json': { schema: noFields } } },
    responses: {
      200: json('The discarded proposal; the context stays as it is.', compaction, REPLAYED),
    },
    problems: [
      'session_not_found',
      'compaction_not_found',
      'proposal_not_open',
      'idempotency_mismatch',
      ...BODY_PROBLEMS,
    ],
    handle: async (call, answer) => {
      const { idempotency } = await readRepeatable(call.req, deps.limits, noFields);
      const outcome = await discard(deps, refOf(call), call.params.cid, idempotency);
      const { compaction, replayed } = unwrap(outcome);
      return answer.json(200, compaction, replayedHeader(replayed));
    },
  });

  addEndpoint(api, {
    method: 'post',
    path: '/sessions/{id}/compactions/{cid}/cancel',
    operationId: 'cancelCompaction',
    tag,
    summary: 'Cancel a compaction that is queued or running',
    params: compactionParams,
    query: noQuery,
    body: { content: { 'application/json': { schema: noFields } } },
    responses: { 200: json('The cancelled compaction; the context stays as it is.', compaction) },
    problems: [
      'session_not_found',
      'compaction_not_found',
      'compaction_not_cancellable',
      ...BODY_PROBLEMS,
    ],
    handle: async (call, answer) => {
      await readJson(call.req.raw, deps.limits, noFields);
      return answer.json(200, unwrap(await cancel(deps, refOf(call), call.params.cid)));
    },
  });
}
