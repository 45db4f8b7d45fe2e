import { findProposal } from '../../app/proposal.ts';
import { contextVersion, readContext, readContextWithOrigins } from '../../app/read-context.ts';
import { json } from '../http/answer.ts';
import { type Api, addEndpoint, refOf } from '../http/endpoint.ts';
import { etagOf, MAX_WAIT_SECONDS, noneMatchHits } from '../http/preconditions.ts';
import { ProblemError, unwrap } from '../http/problem.ts';
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
    problems: [
      'session_not_found',
      'version_not_found',
      'compaction_not_found',
      'proposal_not_open',
      'answer_too_large',
    ],
    handle: async (call, answer) => {
      const { req, query } = call;
      const ref = refOf(call);
      const { format, origins = false, at: past, proposal: id } = query;
      if (id !== undefined && past !== undefined) {
        throw new ProblemError(
          'invalid_request',
          'send one of "at" and "proposal": a proposal is for the newest context',
        );
      }
      const open = id === undefined ? null : unwrap(await findProposal(deps.store, ref, id));
      const proposal = open && { id: open.row.id, candidate: open.proposed.data.candidate };
      const wanted = {
        at: past,
        wait_seconds: query.wait === undefined ? 0 : MAX_WAIT_SECONDS,
      };
      const at = unwrap(await contextVersion(deps, ref, wanted, req.raw.signal));
      const etag = etagOf(at);
      const headers = { ETag: etag, 'Cache-Control': 'private, no-cache' };
      if (noneMatchHits(req.header('if-none-match'), etag)) return answer.empty(304, headers);
      const shown = { at, format, proposal };
      const read = origins ? readContextWithOrigins : readContext;
      return answer.long(async () => unwrap(await read(deps, ref, shown)), headers);
    },
  });
}
