import { append } from '../../app/append.ts';
import { listItems } from '../../app/list-items.ts';
import { readHere } from '../../app/read-here.ts';
import { json, PREFERENCE_APPLIED, REPLAYED } from '../http/answer.ts';
import { BODY_PROBLEMS } from '../http/documented-problems.ts';
import { type Api, addEndpoint, noQuery, refOf } from '../http/endpoint.ts';
import { readIdempotency, replayedHeader } from '../http/idempotency.ts';
import { readText } from '../http/json-body.ts';
import { preferenceApplied, preferredWait, readIfMatch } from '../http/preconditions.ts';
import { unwrap } from '../http/problem.ts';
import { DEFAULT_LIMIT, logPageQuery, pageOf, sessionParams } from '../schemas/common.ts';
import { postedItem } from '../schemas/item.ts';
import { postedItems, relocated } from './posted-items.ts';
import { appendBody, appended, appendHeaders, logItem } from './schemas.ts';

const tag = 'Items';

/** `/sessions/{id}/items` (SPEC section 2). */
export function addItemRoutes(api: Api): void {
  const { deps } = api;
  addEndpoint(api, {
    method: 'post',
    path: '/sessions/{id}/items',
    operationId: 'appendItems',
    tag,
    summary: 'Append items, all or nothing',
    description:
      'Takes one item, an array, `{"items": […]}`, or one item per line as `application/x-ndjson`. ' +
      'Creates the session with the defaults of the server when the id is new. When the context has ' +
      'reached its threshold, or a message is a command, the same write requests a compaction; with ' +
      '`Prefer: wait=N` the answer is held until that has ended, for at most N seconds.',
    params: sessionParams,
    query: noQuery,
    headers: appendHeaders,
    body: {
      required: true,
      content: {
        'application/json': { schema: appendBody },
        'application/x-ndjson': { schema: postedItem },
      },
    },
    responses: {
      201: json('What was appended, and where the context stands now.', appended, {
        ...REPLAYED,
        ...PREFERENCE_APPLIED,
      }),
    },
    problems: [
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
      const posted = postedItems(body, deps.limits);
      const idempotency = readIdempotency(req, body.text);
      const wait_seconds = preferredWait(req.header('prefer'));
      // Whoever does not wait need not be told that the client has gone: a signal takes its time to make.
      const wait = wait_seconds === null ? null : { seconds: wait_seconds, signal: req.raw.signal };
      const request = { items: posted.items, expected, idempotency, wait };
      const outcome = await append(deps, refOf(call), request);
      const { appended, replayed } = unwrap(relocated(outcome, posted));
      return answer.json(201, appended, {
        ...replayedHeader(replayed),
        ...preferenceApplied(wait_seconds),
      });
    },
  });

  addEndpoint(api, {
    method: 'get',
    path: '/sessions/{id}/items',
    operationId: 'listItems',
    tag,
    summary: 'The raw log, oldest first',
    description: 'Every item ever appended, also what was compacted away.',
    params: sessionParams,
    query: logPageQuery,
    responses: {
      200: json('One page; `next_cursor` can be sent as `after` or `cursor`.', pageOf(logItem)),
    },
    problems: ['session_not_found'],
    handle: async (call, answer) => {
      const { limit = DEFAULT_LIMIT, after = 0, cursor = after } = call.query;
      const page = { after: cursor, limit };
      return answer.long(async () => unwrap(await listItems(readHere(deps), refOf(call), page)));
    },
  });
}
