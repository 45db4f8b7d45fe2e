import { setImmediate } from 'node:timers/promises';
import { codecFor, type Format } from '../domain/items/codecs.ts';
import { resultPartText } from '../domain/items/convert.ts';
import type { Item, ToolResult } from '../domain/items/item.ts';
import { callKey } from '../domain/session/call-key.ts';
import { accept, reject } from '../domain/session/errors.ts';
import { READ_BYTES } from './event-page.ts';
import type { EventStore, SessionRef } from './ports/event-store.ts';
import type { Ports } from './ports/ports.ts';
import { type SearchedSession, searchedSessions } from './search/scopes.ts';

/**
 * The original content of a tool result, cleared or not, in a fork also what its parents had; the newest
 * one, when a client has used an id more than once (SPEC section 2). Rejects: session_not_found, not_found.
 */
export async function findToolResult(
  { store }: Pick<Ports, 'store'>,
  ref: SessionRef,
  tool_use_id: string,
) {
  const sessions = await searchedSessions(store, ref);
  if (!sessions.ok) return sessions;
  const found = await resultAmong(store, sessions.value, tool_use_id);
  if (found === null) {
    return reject(
      'not_found',
      'no item of this session holds a result with this tool_use_id: check the id',
    );
  }
  return accept({
    session_id: found.session_id,
    tool_use_id,
    seq: found.seq,
    at: found.at,
    is_error: found.result.is_error,
    content: found.result.content.map(resultPartText).join('\n'),
    item: found.item,
  });
}

/** Read at once; fewer when they are large. */
const EVENTS_PER_READ = 10;

type FoundResult = { seq: number; at: string; item: Item; result: ToolResult };

/** The result of a call in the first of these sessions that holds one, the newest there; null: none does. */
export async function resultAmong(
  store: EventStore,
  sessions: readonly SearchedSession[],
  id: string,
): Promise<(FoundResult & { session_id: string }) | null> {
  for (const { ref, up_to } of sessions) {
    const head = await store.head(ref);
    if (head === null) continue;
    const found = await newestResult(store, ref, head.settings.format, id, up_to);
    if (found !== null) return { ...found, session_id: ref.session_id };
  }
  return null;
}

/** The newest result of a call among the items up to a `seq`; null: none of them holds one. */
async function newestResult(
  store: EventStore,
  ref: SessionRef,
  format: Format,
  id: string,
  last: number,
): Promise<FoundResult | null> {
  const codec = codecFor(format);
  // A placeholder names a long id by its key.
  const key = callKey(id);
  let upTo = last;
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
