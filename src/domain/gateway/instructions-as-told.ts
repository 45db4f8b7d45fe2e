import type { Codec } from '../items/codec.ts';
import type { Item } from '../items/item.ts';
import { isInstructing, leadingInstructions, openingOf } from '../items/leading-instructions.ts';
import { rewrittenKind } from '../items/operator.ts';
import type { Entry } from '../session/entry.ts';

/**
 * A context with the instructions at its head as the client tells them now: the log has those that it told
 * first. What programs tell there, in tags, is kept as it is: a later one may stand for it.
 */
export function withInstructionsAsTold(
  codec: Codec,
  entries: readonly Entry[],
  history: readonly Item[],
): Entry[] {
  const end = entries.findIndex(({ item }) => !isInstructing(item));
  const head = entries.slice(0, end === -1 ? entries.length : end);
  let next = 0;
  for (const item of history.slice(0, leadingInstructions(history))) {
    const opening = isPlain(codec, item) ? openingOf(item) : null;
    if (opening === null) continue;
    const at = head.findIndex(({ item }, at) => at >= next && openingOf(item) === opening);
    const entry = head[at];
    if (entry === undefined) continue;
    head[at] = { ...entry, item };
    next = at + 1;
  }
  return [...head, ...entries.slice(head.length)];
}

function isPlain(codec: Codec, item: Item): boolean {
  const normalised = codec.normalise(item);
  return normalised.kind === 'message' && rewrittenKind(normalised) === null;
}
