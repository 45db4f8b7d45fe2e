import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EventType } from '../domain/session/events.ts';
import type { EventStore, Page, SessionRef, StoredEvent } from './ports/event-store.ts';

/** Bytes of data with which a read of the store ends: other requests get their turn then. */
export const READ_BYTES = 500_000;

/** Bytes of JSON with which a page ends; the event that passes the mark still belongs to it. */
export const PAGE_BYTES = 8_000_000;

export type EventPageQuery = {
  /** Only events with a greater version. */
  after: number;
  limit: number;
  types?: readonly EventType[] | undefined;
};

/**
 * Events after `after`, oldest first: at most `limit`, and fewer when they are large, but at least
 * one if there is one. `next_cursor` is the version to go on after, null when there is nothing more.
 */
export async function eventPage(
  store: EventStore,
  ref: SessionRef,
  { after, limit, types }: EventPageQuery,
): Promise<Page<StoredEvent>> {
  const data: StoredEvent[] = [];
  let bytes = 0;
  let last = after;
  const isFull = () => data.length === limit || bytes >= PAGE_BYTES;
  for (;;) {
    // Of a full page only one event more is read: it says that there is a next page.
    const asked = isFull() ? 1 : limit - data.length;
    const query = { after: last, limit: asked, max_bytes: READ_BYTES, ...(types && { types }) };
    const read = await store.events(ref, query);
    if (read.length === 0) return { data, next_cursor: null };
    for (const event of read) {
      if (isFull()) return { data, next_cursor: String(last) };
      data.push(event);
      bytes += Buffer.byteLength(JSON.stringify(event));
      last = event.version;
    }
    await nextTurn();
  }
}
