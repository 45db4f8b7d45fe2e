import { z } from '@hono/zod-openapi';
import { loadView } from '../../db/load-view.ts';
import { requestCompaction } from '../../domain/session/compaction-commands.ts';
import { sessionNotFound } from '../../domain/session/create-session.ts';
import { compactionBody, existingCompaction } from '../compaction-body.ts';
import { dryRunBody } from '../dry-run.ts';
import { type Api, addEndpoint, noQuery, refOf } from '../endpoint.ts';
import { readJson } from '../json-body.ts';
import { preferredWait } from '../preconditions.ts';
import { ProblemError, unwrap } from '../problem.ts';
import { preferHeader, sessionParams } from '../schemas/common.ts';
import { compactBody, compaction, dryRun } from '../schemas/compaction.ts';
import { existingHead } from '../session-body.ts';
import { prepareTokenizer } from '../tokenizer.ts';
import { waitFor } from '../wait.ts';

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
      'One runs per session: while one is under way, that one is answered. With `Prefer: wait=N` the ' +
      'answer is held until it has ended, for at most N seconds.',
    params: sessionParams,
    query: noQuery,
    headers: preferHeader,
    body: { content: { 'application/json': { schema: compactBody } } },
    responses: {
      200: {
        description: 'The compaction that has ended within the wait, or what a dry run has found.',
        headers: { 'Preference-Applied': { schema: { type: 'string' } } },
        content: { 'application/json': { schema: z.union([compaction, dryRun]) } },
      },
      202: {
        description: 'The compaction that is queued or running now.',
        headers: { Location: { schema: { type: 'string' } } },
        content: { 'application/json': { schema: compaction } },
      },
    },
    problems: [404, 409, 413, 415],
    handle: async (call) => {
      const { c } = call;
      const ref = refOf(call);
      const body = await readJson(c.req.raw, deps.limits, compactBody);
      const { mode = 'auto', trigger = 'manual', instructions, focus } = body;
      if (mode === 'remote') {
        throw new ProblemError(
          'invalid_request',
          'remote compaction is not available for this session: use mode "auto", "micro" or "full"',
          { errors: [{ path: 'mode', message: 'must be auto, micro or full' }] },
        );
      }
      const compaction_id = deps.newId();
      const command = requestCompaction(deps.world, {
        compaction_id,
        mode,
        trigger,
        ...(instructions === undefined ? {} : { instructions }),
        ...(focus === undefined ? {} : { focus }),
      });
      if (body.dry_run === true) {
        const head = await existingHead(deps.store, ref);
        // Refused where the request itself would be.
        unwrap(command(head));
        await prepareTokenizer(deps, head.settings.config);
        const { version } = head.state;
        // Null: erased since the head was read.
        const view = (await loadView(deps.store, ref, version)) ?? unwrap(sessionNotFound());
        return c.json(dryRunBody(deps.world, head, view, { mode, trigger }));
      }
      const at = deps.clock.now().toISOString();
      const { id } = unwrap(await deps.store.commit(ref, command, { at })).value;
      if (id === compaction_id) deps.dispatch({ ref, compaction_id });
      c.header('Location', `/sessions/${ref.session_id}/compactions/${id}`);
      const seconds = preferredWait(c.req.header('prefer'));
      if (seconds !== null) {
        c.header('Preference-Applied', `wait=${seconds}`);
        const ended = async () => {
          const row = await existingCompaction(deps.store, ref, id);
          return row.status === 'ended' ? row : null;
        };
        const row = await waitFor(deps.store, ref, ended, seconds * 1000, c.req.raw.signal);
        if (row !== null) return c.json(compactionBody(ref, row), 200);
      }
      return c.json(compactionBody(ref, await existingCompaction(deps.store, ref, id)), 202);
    },
  });
}
