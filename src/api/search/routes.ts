import type { z } from '@hono/zod-openapi';
import { search } from '../../app/search/search.ts';
import { json } from '../http/answer.ts';
import { type Api, addEndpoint, noParams } from '../http/endpoint.ts';
import { unwrap } from '../http/problem.ts';
import { sessionParams } from '../schemas/common.ts';
import { DEFAULT_HITS, searchAnswer, searchQuery } from './schemas.ts';

const tag = 'Search';
const responses = { 200: json('The hits, best first.', searchAnswer) };
const description =
  'Finds messages, calls, results, reasoning, attachments and summaries, whatever became of them. ' +
  'Waits until what was appended before is indexed.';

/** `/search` and `/sessions/{id}/search` (SPEC 2, section 21). */
export function addSearchRoutes(api: Api): void {
  const { deps } = api;
  const found = async (
    tenant: string,
    session: string | null,
    query: z.infer<typeof searchQuery>,
  ) => {
    const { limit = DEFAULT_HITS } = query;
    return unwrap(await search(deps, tenant, session, { ...query, limit }));
  };
  addEndpoint(api, {
    method: 'get',
    path: '/sessions/{id}/search',
    operationId: 'searchSession',
    tag,
    summary: 'Search everything that a session ever held',
    description,
    params: sessionParams,
    query: searchQuery,
    responses,
    problems: ['session_not_found'],
    handle: async ({ tenant, params, query }, answer) =>
      answer.long(() => found(tenant, params.id, query)),
  });
  addEndpoint(api, {
    method: 'get',
    path: '/search',
    operationId: 'search',
    tag,
    summary: 'Search all sessions of the tenant',
    description,
    params: noParams,
    query: searchQuery,
    responses,
    problems: [],
    handle: async ({ tenant, query }, answer) => answer.long(() => found(tenant, null, query)),
  });
}
