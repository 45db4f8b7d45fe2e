import type { Codec } from '../items/codec.ts';
import type { Item } from '../items/item.ts';
import { isInstructing, leadingInstructions, openingOf } from '../items/leading-instructions.ts';
import { rewrittenKind } from '../items/operator.ts';
import type { Entry } from '../session/entry.ts';

/**
 * A context with the instructions at its head as the client tells them now: the log has those that it told
 * first. What programs tell there, in tags, is kept as it is: a later one may stand for it. So is a note such
 * as on the date, where the history has a later one.
 */
export function withInstructionsAsTold(
  codec: Codec,
  entries: readonly Entry[],
  history: readonly Item[],
): Entry[] {
  const end = entries.findIndex(({ item }) => !isInstructing(item));
  const head = entries.slice(0, end === -1 ? entries.length : end);
  let next = 0;
  for (const [place, item] of history.slice(0, leadingInstructions(history)).entries()) {
    const opening = isNewest(codec, item, history, place) ? openingOf(item) : null;
    if (opening === null) continue;
    const at = head.findIndex(({ item }, at) => at >= next && openingOf(item) === opening);
    const entry = head[at];
    if (entry === undefined) continue;
    head[at] = { ...entry, item };
    next = at + 1;
  }
  return [...head, ...entries.slice(head.length)];
}

/** `place`: where the item stands in the history. */
function isNewest(codec: Codec, item: Item, history: readonly Item[], place: number): boolean {
  const kind = kindOf(codec, item);
  if (kind === null) return true;
  return (
    kind.startsWith('note ') &&
    !history.some((one, at) => at > place && isInstructing(one) && kindOf(codec, one) === kind)
  );
}

/** The kind of what a program writes anew; null for the instructions of whoever runs the agent. */
function kindOf(codec: Codec, item: Item): string | null {
  const normalised = codec.normalise(item);
  return normalised.kind === 'message' ? rewrittenKind(normalised) : null;
}
