import { z } from '@hono/zod-openapi';
import { compact } from '../../app/compact.ts';
import { dryRun } from '../../app/dry-run.ts';
import { json, LOCATION, PREFERENCE_APPLIED, REPLAYED } from '../http/answer.ts';
import { BODY_PROBLEMS } from '../http/documented-problems.ts';
import { type Api, addEndpoint, noQuery, refOf } from '../http/endpoint.ts';
import { readIdempotency, replayedHeader } from '../http/idempotency.ts';
import { readJson } from '../http/json-body.ts';
import { preferenceApplied, preferredWait } from '../http/preconditions.ts';
import { unwrap } from '../http/problem.ts';
import { withoutUndefined } from '../http/validation.ts';
import { idempotencyHeader, preferHeader, sessionParams } from '../schemas/common.ts';
import { compactBody, dryRunBody, requestedCompaction } from './schemas.ts';

/** `POST /sessions/{id}/compact` (SPEC section 2). */
export function addCompactRoute(api: Api): void {
  const { deps } = api;
  addEndpoint(api, {
    method: 'post',
    path: '/sessions/{id}/compact',
    operationId: 'compact',
    tag: 'Compactions',
    summary: 'Request a compaction',
    description:
      'A session has at most one at a time: while one is under way, the answer is that one. With ' +
      '`Prefer: wait=N` the answer is held until it has ended, for at most N seconds. With `propose` ' +
      'it ends with a proposal: the context stays as it is until that is applied.',
    params: sessionParams,
    query: noQuery,
    headers: z.object({ ...preferHeader.shape, ...idempotencyHeader.shape }),
    body: { content: { 'application/json': { schema: compactBody } } },
    responses: {
      200: json(
        'The compaction, which has ended at once or within the wait; or what a dry run has found.',
        z.union([requestedCompaction, dryRunBody]),
        { ...LOCATION, ...PREFERENCE_APPLIED, ...REPLAYED },
      ),
      202: json('The compaction that is queued or running now.', requestedCompaction, {
        ...LOCATION,
        ...REPLAYED,
      }),
    },
    problems: [
      'session_not_found',
      'compaction_disabled',
      'compaction_not_proposable',
      'compaction_under_way',
      'idempotency_mismatch',
      ...BODY_PROBLEMS,
    ],
    handle: async (call, answer) => {
      const { req } = call;
      const ref = refOf(call);
      const body = await readJson(req.raw, deps.limits, compactBody);
      const { mode = 'auto', trigger = 'manual', instructions, focus } = body;
      const propose = body.propose === true ? (true as const) : undefined;
      const asked = withoutUndefined({ mode, trigger, instructions, focus, propose });
      if (body.dry_run === true) return answer.json(200, unwrap(await dryRun(deps, ref, asked)));
      const wait_seconds = preferredWait(req.header('prefer'));
      const idempotency = readIdempotency(req, JSON.stringify(body));
      const how = { wait_seconds, idempotency };
      const requested = unwrap(await compact(deps, ref, asked, how, req.raw.signal));
      const { compaction, is_under_way, replayed } = requested;
      return answer.json(is_under_way ? 202 : 200, compaction, {
        Location: `/sessions/${ref.session_id}/compactions/${compaction.id}`,
        ...preferenceApplied(wait_seconds),
        ...replayedHeader(replayed),
      });
    },
  });
}
