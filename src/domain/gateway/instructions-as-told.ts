import type { Codec } from '../items/codec.ts';
import type { Item } from '../items/item.ts';
import { isInstructing, leadingInstructions } from '../items/leading-instructions.ts';
import { rewrittenKind } from '../items/operator.ts';
import type { Entry } from '../session/entry.ts';

/**
 * A context with the instructions at its head as the client tells them now: the log has those that it told
 * first. What programs tell there, in tags, is kept as it is, and so is what the session began with.
 */
export function withInstructionsAsTold(
  codec: Codec,
  entries: readonly Entry[],
  history: readonly Item[],
): Entry[] {
  const end = entries.findIndex(({ item }) => !isInstructing(item));
  const head = entries.slice(0, end === -1 ? entries.length : end);
  const told = history
    .slice(0, leadingInstructions(history))
    .filter((item) => isPlain(codec, item));
  const known = head
    .filter(({ item, origin }) => OF_CLIENT.has(origin) && isPlain(codec, item))
    .slice(0, told.length);
  const now = new Map(known.map((entry, at) => [entry, told[at]]));
  return entries.map((entry) => {
    const item = now.get(entry);
    return item === undefined ? entry : { ...entry, item };
  });
}

const OF_CLIENT: ReadonlySet<Entry['origin']> = new Set(['log', 'preserved', 'instructions']);

function isPlain(codec: Codec, item: Item): boolean {
  const normalised = codec.normalise(item);
  return normalised.kind === 'message' && rewrittenKind(normalised) === null;
}
