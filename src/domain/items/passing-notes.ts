import { beginsNote, OF_ITSELF_BEGINS } from './system-notes.ts';

/**
 * A part of what Claude Code tells in a message of the role `system`: what it says anew from turn to turn,
 * of this `kind`, so that only the newest holds; null for all else.
 */
export type NotePart = { kind: string | null; text: string };

/** Which day it is, with what Claude Code asks for beside it. */
export const DATE_NOTE =
  /^(?:Today's date is|The date has changed\. Today's date is) [^\n.]{1,60}\.?(?: (?:DO NOT|Do not|Don't|Rely) [^\n.]{1,200}\.?)?\s*$/;

/** Notes of one paragraph, in forms that leave no room for anybody's words. */
const PASSING: readonly (readonly [string, RegExp])[] = [
  ['budget', /^<total_tokens>\d{1,15} tokens left<\/total_tokens>$/],
  [
    'style',
    /^[^\n.]{1,80} output style is active\. Remember to follow the specific guidelines for this style\.$/,
  ],
  [
    'model',
    /^You are powered by the model named [^\n]{1,100}\. The exact model ID is [^\n ]{1,200}\.(?: Assistant knowledge cutoff is [^\n.]{1,40}\.)?$/,
  ],
  ['date', DATE_NOTE],
];
/** What a hook adds to a request of the user, which each later request is given anew. */
const OF_REQUEST = /^UserPromptSubmit hook additional context: /;
const MAY_PASS =
  /tokens left<\/total_tokens>|output style is active|You are powered by|Today's date is|UserPromptSubmit hook/;
const MOST_PARAGRAPHS = 5_000;

/** The text in such parts: joined by empty lines they are the text again. */
export function notePartsOf(text: string): NotePart[] {
  if (!MAY_PASS.test(text)) return [{ kind: null, text }];
  const paragraphs = text.split('\n\n', MOST_PARAGRAPHS + 1);
  if (paragraphs.length > MOST_PARAGRAPHS) return [{ kind: null, text }];
  const parts: NotePart[] = [];
  for (const paragraph of paragraphs) {
    const kind = kindOf(paragraph);
    const last = parts.at(-1);
    const isHooks = last?.kind === 'hook' && kind === null && !isOfProgram(paragraph);
    if (last !== undefined && (isHooks || (last.kind === null && kind === null))) {
      last.text += `\n\n${paragraph}`;
    } else parts.push({ kind, text: paragraph });
  }
  return parts;
}

/** The text without the parts of these kinds. */
export function withoutNotes(text: string, isLeftOut: (kind: string) => boolean): string {
  const parts = notePartsOf(text);
  const stays = parts.filter(({ kind }) => kind === null || !isLeftOut(kind));
  if (stays.length === parts.length) return text;
  return stays
    .map((part) => part.text)
    .join('\n\n')
    .trim();
}

function kindOf(paragraph: string): string | null {
  const words = paragraph.trim();
  if (OF_REQUEST.test(words)) return 'hook';
  return PASSING.find(([, pattern]) => pattern.test(words))?.[0] ?? null;
}

function isOfProgram(paragraph: string): boolean {
  return beginsNote(paragraph, 0) || OF_ITSELF_BEGINS.test(paragraph);
}
