import { keepRoom } from '../../app/keep-room.ts';
import { sync } from '../../app/sync.ts';
import { syncedContext } from '../../app/synced-context.ts';
import { json, REPLAYED } from '../http/answer.ts';
import { BODY_PROBLEMS } from '../http/documented-problems.ts';
import { type Api, addEndpoint, noQuery, refOf } from '../http/endpoint.ts';
import { readIdempotency, replayedHeader } from '../http/idempotency.ts';
import { jsonOf, readText } from '../http/json-body.ts';
import { MAX_WAIT_SECONDS, readIfMatch } from '../http/preconditions.ts';
import { ProblemError, unwrap } from '../http/problem.ts';
import { sessionParams } from '../schemas/common.ts';
import { HISTORY_FACTOR, syncBody, synced, syncHeaders } from './schemas.ts';

/** `POST /sessions/{id}/sync` (SPEC 2, section 22). */
export function addSyncRoute(api: Api): void {
  const { deps } = api;
  addEndpoint(api, {
    method: 'post',
    path: '/sessions/{id}/sync',
    operationId: 'syncSession',
    tag: 'Items',
    summary: 'The whole history in, the context out',
    description:
      'For clients that hold the whole conversation: appends what is new of it, and answers with what ' +
      'to send to the model. Creates the session with the defaults of the server when the id is new. ' +
      'Known items are found by what they say. A history with another past goes on in a fork.',
    params: sessionParams,
    query: noQuery,
    headers: syncHeaders,
    body: { required: true, content: { 'application/json': { schema: syncBody } } },
    responses: {
      200: json('What was new, and the context.', synced, REPLAYED),
    },
    problems: [
      'session_not_found',
      'history_diverged',
      'version_mismatch',
      'invalid_item',
      'invalid_config',
      'idempotency_mismatch',
      ...BODY_PROBLEMS,
    ],
    handle: async (call, answer) => {
      const { req } = call;
      const expected = readIfMatch(req.header('if-match'));
      const body = await readText(req.raw, deps.limits);
      const asked = jsonOf(body, deps.limits, syncBody);
      const { items, format, wait, overhead = 0, on_divergence = 'fork' } = asked;
      refuseTooMany(items.length, deps.limits.items_per_request * HISTORY_FACTOR);
      const idempotency = readIdempotency(req, body.text);
      const request = { items, format, on_divergence, expected, idempotency };
      const { synced: done, replayed } = unwrap(await sync(deps, refOf(call), request));
      const ref = { tenant: call.tenant, session_id: done.session_id };
      const room = overhead === 0 ? null : unwrap(await keepRoom(deps, ref, overhead));
      const note = done.note ?? room?.note ?? null;
      const isHeld = wait === 'compaction' || wait === true;
      const wait_seconds = isHeld ? MAX_WAIT_SECONDS : 0;
      return answer.long(
        async () => ({
          ...done,
          note,
          ...unwrap(await syncedContext(deps, ref, wait_seconds, req.raw.signal)),
        }),
        replayedHeader(replayed),
      );
    },
  });
}

/** Throws ProblemError (413). */
function refuseTooMany(items: number, most: number): void {
  if (items <= most) return;
  throw new ProblemError(
    'body_too_large',
    `a history may have ${most} items, and this one has ${items}: compact it, or begin a new session`,
  );
}
