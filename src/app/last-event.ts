import type { EventOf, EventType, SessionEvent } from '../domain/session/events.ts';

/** The last event of a type among events that come oldest first; null when there is none. */
export function lastEvent<T extends EventType>(
  events: readonly SessionEvent[],
  type: T,
): EventOf<T> | null {
  // The type is what narrows the event; TypeScript cannot see that through the generic.
  return (events.findLast((event) => event.type === type) as EventOf<T> | undefined) ?? null;
}
