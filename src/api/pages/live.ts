import { z } from '@hono/zod-openapi';
import { findSession } from '../../app/find.ts';
import { eventStream } from '../http/event-stream.ts';
import { unwrap } from '../http/problem.ts';
import { MAX_VERSION, sessionParams, wholeNumber } from '../schemas/common.ts';
import { addPage, type Site, sessionRef } from './page.tsx';

/** `/inspect/sessions/:id/live`: that something happened, not what: the page is read anew then. */
export function addLivePage(site: Site): void {
  const { deps, streamRoom } = site.api;
  addPage(site, {
    path: '/inspect/sessions/:id/live',
    params: sessionParams,
    query: z.object({ after: wholeNumber(0, MAX_VERSION, 'The version that is shown.') }),
    render: async (call) => {
      const ref = sessionRef(call);
      const { version } = unwrap(await findSession(deps.store, ref)).state;
      const last = Number(call.c.req.header('last-event-id') ?? '');
      const seen = Number.isSafeInteger(last) && last > 0 ? last : call.query.after;
      // What was seen of a session that was erased and made anew says nothing of this one.
      const after = seen > version ? 0 : seen;
      const room = streamRoom({ c: call.c, tenant: ref.tenant });
      return new Response(eventStream(deps.store, ref, { after }, { room, frame: 'version' }), {
        headers: {
          'Content-Type': 'text/event-stream',
          'Cache-Control': 'no-store',
          'X-Accel-Buffering': 'no',
        },
      });
    },
  });
}
