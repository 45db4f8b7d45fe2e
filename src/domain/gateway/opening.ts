import type { Codec } from '../items/codec.ts';
import type { Item } from '../items/item.ts';
import { isStandingContext } from '../items/speaker.ts';
import { isJsonObject, type Json } from '../json.ts';

/**
 * The history with each message at its head taken apart that holds project instructions or surroundings
 * beside other words: compactions keep whole messages of the former, and summarise the latter (SPEC 2,
 * section 23). The head ends with the first answer.
 */
export function splitOpening(codec: Codec, history: readonly Item[]): Item[] {
  const end = history.findIndex((item) => item.role === 'assistant' || item.role === undefined);
  const head = end === -1 ? history : history.slice(0, end);
  const rest = end === -1 ? [] : history.slice(end);
  return [...head.flatMap((item) => split(codec, item)), ...rest];
}

function split(codec: Codec, item: Item): Item[] {
  const { content } = item;
  if (item.role !== 'user' || !Array.isArray(content) || content.length < 2) return [item];
  const pieces: { isStanding: boolean; blocks: Json[] }[] = [];
  for (const block of content) {
    const isStanding = isJsonObject(block) && isStandingBlock(codec, item, block);
    const last = pieces.at(-1);
    if (last?.isStanding === isStanding) last.blocks.push(block);
    else pieces.push({ isStanding, blocks: [block] });
  }
  if (pieces.length === 1) return [item];
  const { id: _, ...rest } = item;
  return pieces.map(({ blocks }) => ({ ...rest, content: blocks }));
}

function isStandingBlock(codec: Codec, item: Item, block: Json): boolean {
  const alone = { role: item.role ?? 'user', content: [block] };
  if (codec.check(alone).length > 0) return false;
  const message = codec.normalise(alone);
  return message.kind === 'message' && isStandingContext(message);
}
