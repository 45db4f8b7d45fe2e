import { setImmediate as nextTurn } from 'node:timers/promises';
import { loadSettings } from '../../app/load-settings.ts';
import { loadView } from '../../app/load-view.ts';
import { renderEntries } from '../../domain/context/render.ts';
import { clearedResults, sumTokens } from '../../domain/context/view.ts';
import { sessionNotFound } from '../../domain/session/create-session.ts';
import { configOf, contextTokens } from '../../domain/session/head.ts';
import { waitFor } from '../compactions/wait.ts';
import { type Api, addEndpoint, refOf } from '../http/endpoint.ts';
import { etagOf, MAX_WAIT_SECONDS, noneMatchHits } from '../http/preconditions.ts';
import { ProblemError, unwrap } from '../http/problem.ts';
import { sessionParams } from '../schemas/common.ts';
import { existingHead } from '../sessions/session-body.ts';
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
      200: {
        description: 'The context, valid for the provider of its format.',
        headers: { ETag: { description: 'The version, in quotes.', schema: { type: 'string' } } },
        content: { 'application/json': { schema: contextBody } },
      },
      304: { description: 'The context is still that of the version in `If-None-Match`.' },
    },
    problems: [404, 409],
    handle: async (call) => {
      const { c, query } = call;
      const ref = refOf(call);
      let head = await existingHead(deps.store, ref);
      if (query.wait === 'compaction' && head.state.running !== null) {
        const isIdle = async () => ((await deps.store.head(ref))?.state.running ? null : true);
        await waitFor(deps.store, ref, isIdle, MAX_WAIT_SECONDS * 1000, c.req.raw.signal);
        head = await existingHead(deps.store, ref);
      }
      const { state, settings } = head;
      const at = query.at ?? state.version;
      if (at > state.version) {
        throw new ProblemError(
          'version_not_found',
          `the session is at version ${state.version}: there is no version ${at} yet`,
        );
      }
      const etag = etagOf(at);
      const headers = { ETag: etag, 'Cache-Control': 'private, no-cache' };
      if (noneMatchHits(c.req.header('if-none-match'), etag)) return c.body(null, 304, headers);
      const make = async () => {
        // Null: erased since the head was read.
        const view = (await loadView(deps.store, ref, at)) ?? unwrap(sessionNotFound());
        await nextTurn();
        const past = at < state.version ? await loadSettings(deps.store, ref, at) : null;
        const config = configOf(past ?? settings, deps.world.server);
        const format = query.format ?? settings.format;
        return {
          session_id: ref.session_id,
          version: at,
          at,
          format,
          items: renderEntries(view.entries, settings.format, format),
          tokens: contextTokens({ ...view.usage, tokens: sumTokens(view.entries) }, config),
          compacted_tool_ids: clearedResults(view),
          base_compaction_id: view.base?.compaction_id ?? null,
        };
      };
      return api.longAnswer(call, make, headers);
    },
  });
}
