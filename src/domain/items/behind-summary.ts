import { atomsOf } from './atoms.ts';
import type { Codec } from './codec.ts';
import type { Item, Message } from './item.ts';
import { utterancesOf } from './speaker.ts';

/** No client joins more; what has more blocks is not read twice. */
const MOST_BLOCKS = 1_000;

/**
 * Where a message comes apart in which a client tells its own summary and, in blocks behind it, what was
 * said before or has been said since, as clients do that join neighbouring messages of one role: the
 * blocks that its pieces begin at. The first piece ends with the summary, each other one with a block in
 * which something is said; what programs tell stands before or behind that. Null for any other message.
 */
export function cutsBehindSummary(codec: Codec, item: Item): number[] | null {
  const { content } = item;
  if (!Array.isArray(content) || content.length < 2 || content.length > MOST_BLOCKS) return null;
  const message = codec.normalise(item);
  if (message.kind !== 'message' || message.role === 'assistant') return null;
  if (message.parts.length !== content.length) return null;
  const behind = lastSummaryOf(message) + 1;
  if (behind === 0) return null;
  const cuts = [0];
  let from = behind;
  for (let at = behind; at < content.length; at++) {
    if (!isSaid(codec, item, at)) continue;
    cuts.push(from);
    from = at + 1;
  }
  return cuts.length === 1 ? null : cuts;
}

/** These blocks of a message: not the message that its id names. */
export function blocksOf({ id: _, ...item }: Item, from: number, to?: number): Item {
  const { content } = item;
  return Array.isArray(content) ? { ...item, content: content.slice(from, to) } : item;
}

function lastSummaryOf(message: Message): number {
  return utterancesOf(message).findLastIndex((said) =>
    said.some(({ speaker }) => speaker === 'summary'),
  );
}

function isSaid(codec: Codec, item: Item, at: number): boolean {
  return atomsOf(codec, blocksOf(item, at, at + 1)).some(({ isFirm }) => isFirm);
}
