import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EventQuery, EventStore, SessionRef, StoredEvent } from './ports/event-store.ts';

export type ItemEvent = Extract<StoredEvent, { type: 'item.appended' }>;

/** All events that a query asks for, oldest first, in pages of its `limit` and `max_bytes`. */
export async function* eventPages(
  store: Pick<EventStore, 'events'>,
  ref: SessionRef,
  query: EventQuery,
): AsyncGenerator<readonly StoredEvent[], void> {
  const { up_to = Number.POSITIVE_INFINITY } = query;
  for (let after = query.after ?? 0; after < up_to; ) {
    const page = await store.events(ref, { ...query, after });
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    after = last.version;
    // The store reads synchronously: without a pause a long log would hold up all other requests.
    if (after < up_to) await nextTurn();
  }
}

/** The items among them. */
export async function* itemEvents(
  store: Pick<EventStore, 'events'>,
  ref: SessionRef,
  query: Omit<EventQuery, 'types'>,
): AsyncGenerator<ItemEvent, void> {
  for await (const page of eventPages(store, ref, { ...query, types: ['item.appended'] })) {
    for (const event of page) if (event.type === 'item.appended') yield event;
  }
}
