import { z } from 'zod';
import type { Item } from '../items/item.ts';

/** When an item was said, where the client tells it: ISO 8601. */
export const occurredAtSchema = z.iso.datetime({ offset: true });

/** When its client says that an item was said; undefined where that is no time of an event. */
export function occurredAt({ timestamp }: Item): string | undefined {
  return timestamp === undefined ? undefined : occurredAtSchema.safeParse(timestamp).data;
}
