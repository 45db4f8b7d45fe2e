import type { EventStore, SessionRef, StoredEvent } from './ports/event-store.ts';

/** The event of a session at a version; undefined when there is none: the session may have been erased. */
export async function eventAt(
  store: EventStore,
  ref: SessionRef,
  version: number,
): Promise<StoredEvent | undefined> {
  const [event] = await store.events(ref, { after: version - 1, up_to: version });
  return event;
}
