import { contextVersion, readContext } from '../../app/read-context.ts';
import { json } from '../http/answer.ts';
import { type Api, addEndpoint, refOf } from '../http/endpoint.ts';
import { etagOf, MAX_WAIT_SECONDS, noneMatchHits } from '../http/preconditions.ts';
import { unwrap } from '../http/problem.ts';
import { sessionParams } from '../schemas/common.ts';
import { contextBody, contextHeaders, contextQuery } from './schemas.ts';

/** `/sessions/{id}/context` (SPEC sections 2 and 4). */
export function addContextRoute(api: Api): void {
  const { deps } = api;
  addEndpoint(api, {
    method: 'get',
    path: '/sessions/{id}/context',
    operationId: 'getContext',
    tag: 'Context',
    summary: 'The items to send to the model',
    params: sessionParams,
    query: contextQuery,
    headers: contextHeaders,
    responses: {
      200: json('The context, valid for the provider of its format.', contextBody, {
        ETag: { description: 'The version, in quotes.', schema: { type: 'string' } },
      }),
      304: { description: 'The context is still that of the version in `If-None-Match`.' },
    },
    problems: [404, 409],
    handle: async (call, answer) => {
      const { req, query } = call;
      const ref = refOf(call);
      const wanted = {
        at: query.at,
        wait_seconds: query.wait === undefined ? 0 : MAX_WAIT_SECONDS,
      };
      const at = unwrap(await contextVersion(deps, ref, wanted, req.raw.signal));
      const etag = etagOf(at);
      const headers = { ETag: etag, 'Cache-Control': 'private, no-cache' };
      if (noneMatchHits(req.header('if-none-match'), etag)) return answer.empty(304, headers);
      const { format } = query;
      return answer.long(async () => unwrap(await readContext(deps, ref, { at, format })), headers);
    },
  });
}
