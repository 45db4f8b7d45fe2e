import type { View } from '../context/view.ts';
import { atomsOf } from '../items/atoms.ts';
import type { Codec } from '../items/codec.ts';
import { isHidden } from '../items/hidden-rounds.ts';
import type { Item } from '../items/item.ts';
import type { EventType } from '../session/events.ts';
import type { State } from '../session/head.ts';

/**
 * Whether a context is another one than the history that the client holds, so that it has to take its
 * place. `base`: the event that the context is built on, if any; what the client has compacted itself it
 * sends itself, but not what is pinned.
 */
export function isInForce(
  codec: Codec,
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
        codec,
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

/** Clients tell what was answered without what says nothing, such as the state that it was in. */
function isSame(codec: Codec, one: readonly Item[], other: readonly Item[]): boolean {
  const said = (items: readonly Item[]) =>
    items.flatMap((item) => atomsOf(codec, item).map(({ text }) => text));
  return JSON.stringify(said(one)) === JSON.stringify(said(other));
}
