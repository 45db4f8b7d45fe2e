import { setImmediate } from 'node:timers/promises';
import { READ_BYTES } from '../../app/event-page.ts';
import type { EventStore, SessionRef } from '../../app/ports/event-store.ts';
import { codecFor } from '../../domain/items/codecs.ts';
import { resultPartText } from '../../domain/items/convert.ts';
import type { Format, Item, ToolResult } from '../../domain/items/item.ts';
import { callKey } from '../../domain/session/call-key.ts';
import { type Api, addEndpoint, noQuery, refOf } from '../http/endpoint.ts';
import { ProblemError } from '../http/problem.ts';
import { sessionParams } from '../schemas/common.ts';
import { existingHead } from '../sessions/session-body.ts';
import { toolResult, toolResultParams } from './schemas.ts';

/** `/sessions/{id}/tool-results/{tool_use_id}` (SPEC section 2). */
export function addToolResultRoute(api: Api): void {
  const { deps } = api;
  addEndpoint(api, {
    method: 'get',
    path: '/sessions/{id}/tool-results/{tool_use_id}',
    operationId: 'getToolResult',
    tag: 'Items',
    summary: 'The original content of a tool result, cleared or not',
    description: 'The newest one, when a client has used an id more than once.',
    params: sessionParams.extend(toolResultParams),
    query: noQuery,
    responses: {
      200: {
        description: 'The result as it was appended.',
        content: { 'application/json': { schema: toolResult } },
      },
    },
    problems: [404],
    handle: async (call) => {
      const ref = refOf(call);
      const { tool_use_id } = call.params;
      const { settings } = await existingHead(deps.store, ref);
      return api.longAnswer(call, async () => {
        const found = await findResult(deps.store, ref, settings.format, tool_use_id);
        if (found === null) {
          throw new ProblemError(
            'not_found',
            'no item of this session holds a result with this tool_use_id: check the id, and in a ' +
              'fork ask its parent for results that a compaction had already summarised there',
          );
        }
        return {
          session_id: ref.session_id,
          tool_use_id,
          seq: found.seq,
          at: found.at,
          is_error: found.result.is_error,
          content: found.result.content.map(resultPartText).join('\n'),
          item: found.item,
        };
      });
    },
  });
}

/** Read at once; fewer when they are large. */
const EVENTS_PER_READ = 10;

type Found = { seq: number; at: string; item: Item; result: ToolResult };

async function findResult(
  store: EventStore,
  ref: SessionRef,
  format: Format,
  id: string,
): Promise<Found | null> {
  const codec = codecFor(format);
  // A placeholder names a long id by its key.
  const key = callKey(id);
  let upTo = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const events = await store.events(ref, {
      types: ['item.appended'],
      up_to: upTo,
      limit: EVENTS_PER_READ,
      max_bytes: READ_BYTES,
      newest_first: true,
    });
    for (const event of events) {
      upTo = event.version - 1;
      if (event.type !== 'item.appended') continue;
      const { item } = event.data;
      const normalised = codec.normalise(item);
      if (normalised.kind !== 'message') continue;
      for (const part of normalised.parts) {
        if (part.kind !== 'tool_result' || callKey(part.call_id) !== key) continue;
        return { seq: event.version, at: event.at, item, result: part };
      }
    }
    if (events.length === 0) return null;
    // The store reads synchronously: without a pause a long log would hold up all other requests.
    await setImmediate();
  }
}
