import type { Entry } from '../context/entry.ts';
import type { View } from '../context/view.ts';
import { codecFor } from '../items/codecs.ts';
import type { Message, Normalised } from '../items/item.ts';

/** An entry with its normalised view; `original` is the view before any edit of tool results. */
export type Material = { entry: Entry; item: Normalised; original: Normalised };

/** The entries of a context, normalised once for all the planning steps. */
export function materialOf(view: View): Material[] {
  const codec = codecFor(view.format);
  return view.entries.map((entry) => {
    const item = codec.normalise(entry.item);
    const unedited = entry.seq === null ? undefined : view.originals.get(entry.seq);
    return { entry, item, original: unedited ? codec.normalise(unedited) : item };
  });
}

/** A message that the user wrote: not a tool result, not a summary, not a synthetic message. */
export function isUserMessage(item: Normalised): item is Message {
  return (
    item.kind === 'message' &&
    item.role === 'user' &&
    !item.is_meta &&
    !item.is_compact_summary &&
    item.parts.some((part) => part.kind === 'text' || part.kind === 'image') &&
    !item.parts.some((part) => part.kind === 'tool_result')
  );
}

/** Written by user or agent themselves: nothing synthetic, no summary, no error text. */
export function isGenuine(message: Message): boolean {
  return !message.is_meta && !message.is_compact_summary && !message.is_api_error_message;
}

/** What a message says in words, verbatim. */
export function messageText({ parts }: Message): string {
  return parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n');
}
