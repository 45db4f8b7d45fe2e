import type { EventRow } from '../app/ports/event-store.ts';
import type { NotedItem } from '../app/ports/gateway-keys.ts';
import { decodeEvent } from './event-codec.ts';

/** What a key of the gateway names, from the row of its event. Throws for an event of another type. */
export function notedItem({
  key,
  session_id,
  ...row
}: EventRow & Omit<NotedItem, 'item'>): NotedItem {
  const { type, data } = decodeEvent(row);
  if (type !== 'item.appended') throw new Error(`a key of the gateway names an event "${type}"`);
  return { key, session_id, item: data.item };
}
