import type { View } from '../context/view.ts';
import { isHidden } from '../items/hidden-rounds.ts';
import type { Item } from '../items/item.ts';
import { toldText } from '../items/told-text.ts';
import type { EventType } from '../session/events.ts';
import type { State } from '../session/head.ts';

/**
 * Whether a context is another one than the history that the client holds, so that it has to take its
 * place. `base`: the event that the context is built on, if any; what the client has compacted itself it
 * sends itself, but not what is pinned.
 */
export function isInForce(
  { edits, entries }: Pick<View, 'edits' | 'entries'>,
  base: EventType | null,
  history: readonly Item[],
): boolean {
  if (edits.size > 0 || entries.some(({ origin }) => origin === 'pinned')) return true;
  if (entries.some(({ item }) => isHidden(item))) return true;
  switch (base) {
    case null:
    case 'compaction.observed':
      return false;
    case 'session.forked':
      return !isSame(
        entries.map(({ item }) => item),
        history,
      );
    default:
      return true;
  }
}

/** Whether nothing has ever changed a context but appends: then it is the history that its client holds. */
export function isOnlyAppended({ base, compacted_version }: State): boolean {
  return base === null && compacted_version === 0;
}

function isSame(one: readonly Item[], other: readonly Item[]): boolean {
  return one.length === other.length && one.map(toldText).join() === other.map(toldText).join();
}
