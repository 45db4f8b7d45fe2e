import { readHere } from '../../app/read-here.ts';
import { covered } from '../../app/recall/covered.ts';
import { trace } from '../../app/recall/trace.ts';
import { json } from '../http/answer.ts';
import { type Api, addEndpoint, refOf } from '../http/endpoint.ts';
import { unwrap } from '../http/problem.ts';
import { compactionParams, DEFAULT_LIMIT, logPageQuery, pageOf } from '../schemas/common.ts';
import { coveredItem, itemParams, traceBody, traceQuery } from './schemas.ts';

/** Where an item went, and what a compaction took away (SPEC 2, section 21). */
export function addRecallRoutes(api: Api): void {
  const deps = readHere(api.deps);
  addEndpoint(api, {
    method: 'get',
    path: '/sessions/{id}/items/{seq}/trace',
    operationId: 'traceItem',
    tag: 'Items',
    summary: 'Where did an item go?',
    description:
      'In the context word for word, cleared or summarised, by which compaction, and what has happened ' +
      'to it since it was appended.',
    params: itemParams,
    query: traceQuery,
    responses: { 200: json('Where it stands, and its history.', traceBody) },
    problems: ['session_not_found', 'version_not_found', 'not_found'],
    handle: async (call, answer) =>
      answer.long(async () =>
        unwrap(await trace(deps, refOf(call), { seq: call.params.seq, ...call.query })),
      ),
  });

  addEndpoint(api, {
    method: 'get',
    path: '/sessions/{id}/compactions/{cid}/covered',
    operationId: 'listCovered',
    tag: 'Compactions',
    summary: 'The items that a compaction took away, oldest first',
    description:
      'What its summary stands for, or whose results it cleared, with where each is now.',
    params: compactionParams,
    query: logPageQuery,
    responses: {
      200: json('One page; `next_cursor` can be sent as `after` or `cursor`.', pageOf(coveredItem)),
    },
    problems: ['session_not_found', 'compaction_not_found', 'compaction_not_ended'],
    handle: async (call, answer) => {
      const { limit = DEFAULT_LIMIT, after = 0, cursor = after } = call.query;
      const page = { after: cursor, limit };
      return answer.long(async () =>
        unwrap(await covered(deps, refOf(call), call.params.cid, page)),
      );
    },
  });
}
