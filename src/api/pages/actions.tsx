import { z } from '@hono/zod-openapi';
import { apply } from '../../app/apply-proposal.ts';
import { cancel } from '../../app/cancel.ts';
import { compact } from '../../app/compact.ts';
import { discard } from '../../app/discard-proposal.ts';
import { fork } from '../../app/fork.ts';
import type { SessionRef } from '../../app/ports/event-store.ts';
import { revert } from '../../app/revert.ts';
import type { Outcome } from '../../domain/session/errors.ts';
import { unwrap } from '../http/problem.ts';
import { withoutUndefined } from '../http/validation.ts';
import {
  compactionParams,
  idSchema,
  MAX_VERSION,
  sessionParams,
  wholeNumber,
} from '../schemas/common.ts';
import { addAction, noFields, type Site, sessionRef } from './page.tsx';
import type { Done } from './parts/notice.tsx';
import { COMPACT_MODES } from './parts/session-actions.tsx';
import { compactionPath, sessionPath, withQuery } from './paths.ts';

const compactForm = z.object({
  mode: z.enum(COMPACT_MODES).optional(),
  focus: z.string().max(2_000).optional(),
  propose: z.literal('yes').optional(),
});

const forkForm = z.object({
  at: wholeNumber(1, MAX_VERSION, 'The version.').optional(),
  as: idSchema.optional(),
});

/** What the forms of the pages do; each answers with the page that shows what came of it. */
export function addActions(site: Site): void {
  const { deps } = site.api;
  addAction(site, {
    path: '/inspect/sessions/:id/compact',
    params: sessionParams,
    form: compactForm,
    run: async (call) => {
      const ref = sessionRef(call);
      const { mode = 'auto', focus, propose: wish } = call.query;
      const propose = wish === undefined ? undefined : (true as const);
      const asked = withoutUndefined({ mode, trigger: 'manual' as const, focus, propose });
      const how = { wait_seconds: null, idempotency: null };
      const { compaction } = unwrap(await compact(deps, ref, asked, how, call.c.req.raw.signal));
      const done: Done = propose === undefined ? 'requested' : 'proposed';
      return withQuery(compactionPath(ref.session_id, compaction.id), { done });
    },
  });
  addAction(site, {
    path: '/inspect/sessions/:id/fork',
    params: sessionParams,
    form: forkForm,
    run: async (call) => {
      const { at, as: id } = call.query;
      const forked = unwrap(await fork(deps, sessionRef(call), { at, id }));
      return withQuery(sessionPath(forked.id), { done: 'forked' });
    },
  });
  onCompaction(site, 'revert', 'reverted', (ref, id) => revert(deps, ref, id));
  onCompaction(site, 'cancel', 'cancelled', (ref, id) => cancel(deps, ref, id));
  onCompaction(site, 'apply', 'applied', (ref, id) => apply(deps, ref, id, null));
  onCompaction(site, 'discard', 'discarded', (ref, id) => discard(deps, ref, id, null));
}

function onCompaction(
  site: Site,
  name: string,
  done: Done,
  act: (ref: SessionRef, id: string) => Promise<Outcome<unknown>>,
): void {
  addAction(site, {
    path: `/inspect/sessions/:id/compactions/:cid/${name}`,
    params: compactionParams,
    form: noFields,
    run: async (call) => {
      const ref = sessionRef(call);
      const { cid } = call.params;
      unwrap(await act(ref, cid));
      return withQuery(compactionPath(ref.session_id, cid), { done });
    },
  });
}
