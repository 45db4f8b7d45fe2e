import type { Part, Utterance } from './item.ts';

// What Gemini CLI and Qwen Code put below the words of a user who names files with `@`: the files, with a
// heading and a last line, in texts of their own or in the same one.

const HEADING = '--- Content from referenced files ---';
const LAST_LINE = '--- End of content ---';
const FILES = /(?:^|\n)--- Content from referenced files ---\n{1,4}Content from \S/;

/** The words of a user without the files that stand below them; what stands behind these is the user's again. */
export function withoutReferencedFiles(words: string): Utterance[] {
  const found = FILES.exec(words);
  if (found === null) return [{ speaker: 'user', text: words }];
  // A file may have such a last line as well.
  const last = words.lastIndexOf(LAST_LINE);
  const end = last < found.index ? words.length : last + LAST_LINE.length;
  const said: Utterance[] = [
    { speaker: 'user', text: words.slice(0, found.index) },
    { speaker: 'tool', text: words.slice(found.index, end) },
    { speaker: 'user', text: words.slice(end) },
  ];
  return said.filter(({ text }) => text.trim() !== '');
}

/** From where and to where the texts of a message are such files; null where none are. */
export function textsOfFiles(parts: readonly Part[]): { first: number; last: number } | null {
  const says = (part: Part | undefined, line: string) =>
    part?.kind === 'text' && part.text.trim() === line;
  const first = parts.findIndex((part) => says(part, HEADING));
  if (first === -1) return null;
  const next = parts[first + 1];
  if (next?.kind !== 'text' || !next.text.trimStart().startsWith('Content from ')) return null;
  const last = parts.findLastIndex((part) => says(part, LAST_LINE));
  return { first, last: last < first ? parts.length - 1 : last };
}

/** Whether a block is a file that the user hands over by pi or Crush, or what Crush says of its files. */
export function isFile({ text }: Utterance): boolean {
  return /^(?:<file (?:name|path)=|<system_info>)/.test(text);
}
