import type { Item } from '../../src/domain/items/item.ts';
import type { EventType } from '../../src/domain/session/events.ts';
import type { SessionLab } from '../support/session-lab.ts';

/** Appends items and runs the compaction that they request; whether they have requested one. */
export async function post(lab: SessionLab, ...items: Item[]): Promise<boolean> {
  const appended = await lab.append(items);
  if (!appended.ok) throw new Error(appended.rejection.detail);
  const { compaction } = appended.value;
  if (compaction === null) return false;
  await lab.work(compaction.id);
  return true;
}

/** How often events of this type stand in the log. */
export async function countOf(lab: SessionLab, type: EventType): Promise<number> {
  return (await lab.events()).filter((event) => event.type === type).length;
}
