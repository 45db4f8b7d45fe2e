import { codecFor, type Format } from '../domain/items/codecs.ts';
import type { Item } from '../domain/items/item.ts';
import { compactionCommand } from '../domain/policy/commands.ts';

/** Small, so that compactions happen about where they would have happened in the real session. */
const ITEMS_PER_APPEND = 8;

/**
 * The items as they are appended. Recorded `usage` is left out: it measures the context of the tool
 * that recorded the session, before and after its own compactions, and would stand for ours.
 */
export function importedItems(transcript: { items: readonly Item[] }): Item[] {
  return transcript.items.map((item) => {
    const { usage: _recorded, ...rest } = item;
    return 'usage' in item ? rest : item;
  });
}

/**
 * The items in the portions in which they are appended. None ends with a compaction command that
 * something follows: what was said in the past is plain text, and only the last item is looked at.
 */
export function* batches({ items, format }: { items: Item[]; format: Format }) {
  const codec = codecFor(format);
  for (let start = 0, end = 0; start < items.length; start = end) {
    end = Math.min(items.length, start + ITEMS_PER_APPEND);
    const endsWithCommand = () =>
      items.slice(end - 1, end).some((item) => compactionCommand(codec.normalise(item)) !== null);
    while (end < items.length && endsWithCommand()) end++;
    yield items.slice(start, end);
  }
}

/** A name as a session id (SPEC section 2): other characters become `-`, at most 128 of them. */
export function sessionId(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9._:-]+/g, '-').slice(0, 128);
}
