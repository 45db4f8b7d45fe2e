import type { StoredEvent } from '../ports/event-store.ts';

/** When an item was said as its client tells it, else when the event was appended; in milliseconds. */
export function saidAtMs({ type, data, at }: StoredEvent): number {
  const told = type === 'item.appended' ? data.occurred_at : undefined;
  return Date.parse(told ?? at);
}
