import type { EventQuery } from '../app/ports/event-store.ts';

export const EVENT_COLUMNS = 'version, type, at, schema_version, data, hash';

/** Which events: all, those of the types, or those of types that the small index holds. */
export type EventSelection = 'all' | 'of_types' | 'without_items';

export function selectionOf(types: EventQuery['types']): EventSelection {
  if (!types) return 'all';
  return types.includes('item.appended') ? 'of_types' : 'without_items';
}
