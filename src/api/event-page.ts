import type { EventStore, SessionRef, StoredEvent } from '../db/event-store.ts';
import type { EventType } from '../domain/session/events.ts';

/**
 * Events per read of the store. An event can be as large as a request body, so this many of the
 * largest are in memory for one page, whatever its `limit`.
 */
export const EVENTS_PER_READ = 10;

/** Bytes of JSON with which a page ends; the event that passes the mark still belongs to it. */
const PAGE_BYTES = 8_000_000;

type PageQuery = {
  /** Only events with a greater version. */
  after: number;
  limit: number;
  up_to?: number;
  types?: readonly EventType[] | undefined;
};

/**
 * Events behind `after`, oldest first: at most `limit`, and fewer when they are large, but at least
 * one if there is one. `next_cursor` is the version to go on behind, null when there is nothing more.
 */
export async function eventPage(
  store: EventStore,
  ref: SessionRef,
  { after, limit, up_to, types }: PageQuery,
): Promise<{ events: StoredEvent[]; next_cursor: string | null }> {
  const filter = { ...(up_to === undefined ? {} : { up_to }), ...(types && { types }) };
  const events: StoredEvent[] = [];
  let bytes = 0;
  let last = after;
  const isFull = () => events.length === limit || bytes >= PAGE_BYTES;
  for (;;) {
    // Of a full page only one event more is read: it says that there is a next page.
    const asked = isFull() ? 1 : Math.min(EVENTS_PER_READ, limit - events.length);
    const read = await store.events(ref, { ...filter, after: last, limit: asked });
    for (const event of read) {
      if (isFull()) return { events, next_cursor: String(last) };
      events.push(event);
      bytes += Buffer.byteLength(JSON.stringify(event));
      last = event.version;
    }
    if (read.length < asked) return { events, next_cursor: null };
  }
}
