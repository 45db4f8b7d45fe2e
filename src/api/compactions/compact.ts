import { z } from '@hono/zod-openapi';
import { loadView } from '../../app/load-view.ts';
import type { CompactionRow } from '../../app/ports/event-store.ts';
import { prepareTokenizer } from '../../app/tokenizer.ts';
import { planRequest } from '../../domain/compaction/plan.ts';
import { remoteModel } from '../../domain/compaction/remote.ts';
import { requestCompaction } from '../../domain/session/compaction-commands.ts';
import { sessionNotFound } from '../../domain/session/create-session.ts';
import type { Head } from '../../domain/session/head.ts';
import { type Api, addEndpoint, noQuery, refOf } from '../http/endpoint.ts';
import { readJson } from '../http/json-body.ts';
import { preferredWait } from '../http/preconditions.ts';
import { ProblemError, unwrap } from '../http/problem.ts';
import { preferHeader, sessionParams } from '../schemas/common.ts';
import { existingHead } from '../sessions/session-body.ts';
import { existingCompaction, ownEvents, requestedBody } from './compaction-body.ts';
import { dryRunBody } from './dry-run.ts';
import { compactBody, dryRun, requestedCompaction } from './schemas.ts';
import { waitForEnd } from './wait.ts';

/** Said where a wish for the summary comes too late for the one that is being written. */
const NOT_USED =
  'another compaction was under way already and goes on as it was requested, without this focus or ' +
  'these instructions: ask again once it has ended';

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
      '`Prefer: wait=N` the answer is held until it has ended, for at most N seconds.',
    params: sessionParams,
    query: noQuery,
    headers: preferHeader,
    body: { content: { 'application/json': { schema: compactBody } } },
    responses: {
      200: {
        description:
          'The compaction, which has ended at once or within the wait; or what a dry run has found.',
        headers: {
          Location: { schema: { type: 'string' } },
          'Preference-Applied': { schema: { type: 'string' } },
        },
        content: { 'application/json': { schema: z.union([requestedCompaction, dryRun]) } },
      },
      202: {
        description: 'The compaction that is queued or running now.',
        headers: { Location: { schema: { type: 'string' } } },
        content: { 'application/json': { schema: requestedCompaction } },
      },
    },
    problems: [404, 409, 413, 415],
    handle: async (call) => {
      const { c } = call;
      const ref = refOf(call);
      const body = await readJson(c.req.raw, deps.limits, compactBody);
      const { mode = 'auto', trigger = 'manual', instructions, focus } = body;
      if (mode === 'remote') refuseWithoutProvider(await existingHead(deps.store, ref));
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
        const { events } = unwrap(command(head));
        await prepareTokenizer(deps, head.settings.config);
        const { version } = head.state;
        // Null: erased since the head was read.
        const view = (await loadView(deps.store, ref, version)) ?? unwrap(sessionNotFound());
        const attribution = { path: 'request' } as const;
        const wanted = planRequest({ mode, trigger, attribution, before: null }, body);
        const skipped = events.find((event) => event.type === 'compaction.skipped');
        return c.json(dryRunBody(deps.world, head, view, wanted, skipped?.data ?? null));
      }
      const at = deps.clock.now().toISOString();
      const { id, is_under_way } = unwrap(await deps.store.commit(ref, command, { at })).value;
      if (is_under_way && id === compaction_id) deps.dispatch({ ref, compaction_id });
      c.header('Location', `/sessions/${ref.session_id}/compactions/${id}`);
      const answer = async (row: CompactionRow) => {
        const isToTell = trigger === 'tool' && row.status === 'ended';
        const events = isToTell ? await ownEvents(deps.store, ref, row) : null;
        const isDropped = id !== compaction_id && (focus ?? instructions) !== undefined;
        return requestedBody(ref, row, events, isDropped ? NOT_USED : null);
      };
      const seconds = preferredWait(c.req.header('prefer'));
      if (seconds !== null) {
        c.header('Preference-Applied', `wait=${seconds}`);
        const row = await waitForEnd(deps.store, ref, id, seconds, c.req.raw.signal);
        if (row !== null) return c.json(await answer(row), 200);
      }
      const row = await existingCompaction(deps.store, ref, id);
      return c.json(await answer(row), is_under_way ? 202 : 200);
    },
  });
}

/** Throws ProblemError (400) when no provider can compact the session (SPEC section 13). */
function refuseWithoutProvider({ settings }: Head): void {
  const { reason } = remoteModel(settings);
  if (reason === null) return;
  const detail =
    `remote compaction is not available for this session: ${reason}; use mode "auto", "micro" or ` +
    '"full"';
  const errors = [{ path: 'mode', message: 'must be auto, micro or full' }];
  throw new ProblemError('invalid_request', detail, { errors });
}
