import type { Message, Normalised, ToolCall, ToolResult } from '../items/item.ts';
import { resultText } from '../items/message-text.ts';
import { callsByResult, pairedParts } from '../items/pairing.ts';
import {
  mayHoldNote,
  type StandingNote,
  standingNotesBehind,
  standingNotesIn,
} from '../items/standing-notes.ts';

/**
 * `texts`: the notes behind the opening that no later one stands for, in their order; `overtaken`: what in
 * the opening is nothing but a note that a later one stands for.
 */
export type NewestNotes = { texts: string[]; overtaken: ReadonlySet<Normalised> };

/**
 * What programs have told beside what others say, and what still holds. `opening` is how many of the
 * covered items open the conversation, `after` the items behind the cut, which stay as they are.
 */
export function newestNotes(
  covered: readonly Normalised[],
  opening: number,
  after: readonly Normalised[],
): NewestNotes {
  const all = [...covered, ...after];
  const told = new Set<string>();
  const texts: string[] = [];
  const overtaken = new Set<Normalised>();
  let calls: Calls | null = null;
  const callOf = (result: ToolResult) => {
    calls ??= callsByResult(pairedParts(all));
    return calls.get(result);
  };
  for (const [at, item] of [...all.entries()].reverse()) {
    if (item.kind !== 'message') continue;
    for (const { text, about } of notesOf(item, callOf).reverse()) {
      const isOvertaken = about.every((one) => told.has(one));
      for (const one of about) told.add(one);
      if (at < opening && isOvertaken && isAlone(item, text)) overtaken.add(item);
      if (at >= opening && at < covered.length && !isOvertaken) texts.unshift(text);
    }
  }
  return { texts, overtaken };
}

type Calls = ReturnType<typeof callsByResult>;

function notesOf(
  message: Message,
  callOf: (result: ToolResult) => ToolCall | undefined,
): StandingNote[] {
  const behind = message.parts.flatMap((part) => {
    if (part.kind !== 'tool_result' || !mayHoldNote(resultText(part))) return [];
    const call = callOf(part);
    return call === undefined ? [] : standingNotesBehind(call, part);
  });
  return [...behind, ...standingNotesIn(message)];
}

function isAlone({ parts }: Message, note: string): boolean {
  const [only] = parts;
  return parts.length === 1 && only?.kind === 'text' && only.text.trim() === note;
}
