import type { Message, Normalised } from '../items/item.ts';
import { isUserMessage } from '../items/speaker.ts';

/** A part of a conversation that stays or goes as a whole; a carried one, an earlier summary, stays. */
export type Turn = { items: Normalised[]; is_carried: boolean };

/**
 * Splits a filtered conversation into its turns: a user message with everything up to the next one
 * (SPEC section 13). Attachments go with the user message that they stand before, tool results with
 * the calls that they answer, also where the next user message has been merged with them. What comes
 * before the first user message is a turn of its own, and so is each earlier summary.
 */
export function turnsOf(conversation: readonly Normalised[]): Turn[] {
  const turns: Turn[] = [];
  let attachments: Normalised[] = [];
  const begin = (...items: Normalised[]) => {
    turns.push({ items: [...attachments, ...items], is_carried: false });
    attachments = [];
  };
  const goOn = (...items: Normalised[]) => {
    const last = turns.at(-1);
    if (last === undefined || last.is_carried) return begin(...items);
    for (const item of [...attachments, ...items]) last.items.push(item);
    attachments = [];
  };
  for (const item of conversation) {
    if (item.kind === 'attachment') attachments.push(item);
    if (item.kind !== 'message') continue;
    if (item.is_compact_summary) {
      if (attachments.length > 0) goOn();
      turns.push({ items: [item], is_carried: true });
    } else {
      const { results, spoken } = withoutResults(item);
      if (results !== null) goOn(results);
      if (spoken !== null) begin(spoken);
    }
  }
  if (attachments.length > 0) goOn();
  return turns;
}

/** How many turns of these sizes, oldest first, have to go so that the rest fits; the newest stays. */
export function turnsToDrop(sizes: readonly number[], maxTokens: number): number {
  let total = sizes.reduce((sum, size) => sum + size, 0);
  let dropped = 0;
  while (total > maxTokens && dropped < sizes.length - 1) {
    total -= sizes[dropped] ?? 0;
    dropped++;
  }
  return dropped;
}

/** A message in the part that belongs to the turn before it, and the part that begins a new one. */
function withoutResults(message: Message): { results: Message | null; spoken: Message | null } {
  const { parts } = message;
  const behind = parts.findLastIndex((part) => part.kind === 'tool_result') + 1;
  const spoken = { ...message, parts: parts.slice(behind) };
  if (!isUserMessage(spoken)) return { results: message, spoken: null };
  return { results: behind > 0 ? { ...message, parts: parts.slice(0, behind) } : null, spoken };
}
