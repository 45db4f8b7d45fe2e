import { z } from '@hono/zod-openapi';
import { apply } from '../../app/apply-proposal.ts';
import { cancel } from '../../app/cancel.ts';
import { compact } from '../../app/compact.ts';
import { discard } from '../../app/discard-proposal.ts';
import { fork } from '../../app/fork.ts';
import { type PinWish, pin } from '../../app/pin.ts';
import type { SessionRef } from '../../app/ports/event-store.ts';
import { revert } from '../../app/revert.ts';
import { unpin } from '../../app/unpin.ts';
import type { Outcome } from '../../domain/session/errors.ts';
import { ProblemError, unwrap } from '../http/problem.ts';
import { withoutUndefined } from '../http/validation.ts';
import {
  compactionParams,
  idSchema,
  MAX_VERSION,
  sessionParams,
  wholeNumber,
} from '../schemas/common.ts';
import { LONGEST_PIN_TEXT, pinParams } from '../schemas/pins.ts';
import { addAction, noFields, type Site, sessionRef } from './page.tsx';
import type { Done } from './parts/notice.tsx';
import { COMPACT_MODES } from './parts/session-actions.tsx';
import { compactionPath, itemPath, sessionPath, withQuery } from './paths.ts';

const compactForm = z.object({
  mode: z.enum(COMPACT_MODES).optional(),
  focus: z.string().max(2_000).optional(),
  propose: z.literal('yes').optional(),
});

const forkForm = z.object({
  at: wholeNumber(1, MAX_VERSION, 'The version.').optional(),
  as: idSchema.optional(),
});

const seq = wholeNumber(1, MAX_VERSION, 'The item.').optional();
const pinForm = z.object({ seq, text: z.string().max(LONGEST_PIN_TEXT).optional() });
const unpinForm = z.object({ seq });

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
  addAction(site, {
    path: '/inspect/sessions/:id/pins',
    params: sessionParams,
    form: pinForm,
    run: async (call) => {
      const ref = sessionRef(call);
      unwrap(await pin(deps, ref, wishOf(call.query), null));
      return pinPlace(ref, call.query.seq, 'pinned');
    },
  });
  addAction(site, {
    path: '/inspect/sessions/:id/pins/:pin_id/remove',
    params: pinParams,
    form: unpinForm,
    run: async (call) => {
      const ref = sessionRef(call);
      unwrap(await unpin(deps, ref, call.params.pin_id));
      return pinPlace(ref, call.query.seq, 'unpinned');
    },
  });
  onCompaction(site, 'revert', 'reverted', (ref, id) => revert(deps, ref, id));
  onCompaction(site, 'cancel', 'cancelled', (ref, id) => cancel(deps, ref, id));
  onCompaction(site, 'apply', 'applied', (ref, id) => apply(deps, ref, id, null));
  onCompaction(site, 'discard', 'discarded', (ref, id) => discard(deps, ref, id, null));
}

/** Throws ProblemError (400) where there is nothing to pin. */
function wishOf({ seq, text = '' }: z.infer<typeof pinForm>): PinWish {
  if (seq !== undefined) return { seq };
  if (text.trim() === '') throw new ProblemError('invalid_request', 'say what is to be pinned');
  // Browsers end the lines of a field as Windows does.
  return { text: text.replaceAll('\r\n', '\n') };
}

/** Where a form about a pin stood: on the page of an item, or on the timeline. */
function pinPlace({ session_id }: SessionRef, seq: number | undefined, done: Done): string {
  const page = seq === undefined ? sessionPath(session_id) : itemPath(session_id, seq);
  return withQuery(page, { done });
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
