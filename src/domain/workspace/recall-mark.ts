import { counted } from '../counted.ts';

/** How the note begins that stands in place of a result which the session has a way to recall. */
const OPENING = '[Old tool result cleared: ';
/** No provider takes longer names of tools. */
const LONGEST_NAME = 64;

/** How an agent gets at the original of a result (SPEC 2, section 21); `id` is that of its call. */
export function recallOf(id: string): string {
  // Quoted as JSON: whoever sends the id must not end the note.
  return `Original: recall(${JSON.stringify(id)})`;
}

/** The note that stands in place of a result of so many lines. */
export function recallNote(lines: number, tool: string, id: string): string {
  const name = tool.replaceAll(/[^\w.:/-]/g, '').slice(0, LONGEST_NAME);
  const of = name === '' ? '' : ` of ${name}`;
  return `${OPENING}${counted(lines, 'line')}${of}. ${recallOf(id)}]`;
}

/** Whether a text is such a note: nothing of the original stands in it. */
export function isRecallNote(text: string): boolean {
  return text.startsWith(OPENING);
}
