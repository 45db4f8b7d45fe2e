import type { Block } from './known-text.ts';

/** How tools number the lines that they show. */
const NUMBERINGS = {
  /** Claude Code: `     1→text`, and since 2.1 `1` with a tab. */
  arrow: /^ {0,6}(\d{1,7})→/,
  tab: /^ {0,6}(\d{1,7})\t/,
  /** `cat -n` and `nl`: six places, then a tab. */
  padded: /^(?= {0,5}\d)(?=.{6,7}\t) {0,5}(\d{1,7})\t/,
  /** Copilot CLI. */
  dot: /^(\d{1,7})\. /,
  /** SWE-agent. */
  colon: /^(\d{1,7}):/,
  /** opencode. */
  bar: /^(\d{5,7})\| /,
  /** Cursor: six places, then a bar. */
  pipe: /^(?=[ \d]{6}\|) {0,5}(\d{1,7})\|/,
  /** Roo Code. */
  barred: /^ {0,8}(\d{1,7}) \|(?: |$)/,
  /** Codex's `read_file`. */
  lettered: /^L(\d{1,7}): /,
  /** Descendants of pi: two letters that stand for what the line says. */
  hashed: /^(\d{1,7})[a-z]{2}\|/,
  /** goose. */
  spaced: /^ {0,8}(\d{1,7}): /,
} as const;
export type Numbering = keyof typeof NUMBERINGS;

/** A line that tools cut at this many characters is not known to its end. */
const CUT_LINE = 2_000;

/**
 * The blocks of lines that a text shows with their numbers; what stands on lines without a number
 * (reminders, notes about what was left out) is no content. Null when it does not begin so.
 */
export function numberedBlocks(text: string, numbering: Numbering): Block[] | null {
  const pattern = NUMBERINGS[numbering];
  const open: { first: number; lines: string[] }[] = [];
  let next = -1;
  for (const line of text.split('\n')) {
    const match = pattern.exec(line);
    if (match === null) {
      if (open.length === 0 && line.trim() !== '') return null;
      continue;
    }
    const number = Number(match[1]);
    const content = line.slice(match[0].length);
    if (number < next || isCut(content)) continue;
    if (number === next) open.at(-1)?.lines.push(content);
    else open.push({ first: number, lines: [content] });
    next = number + 1;
  }
  if (open.length === 0) return null;
  return open.map(({ first, lines }) => ({ first, text: lines.join('\n') }));
}

function isCut(line: string): boolean {
  return (
    line.length >= CUT_LINE &&
    /(?:truncated\]?|\.\.\.|…|truncated to \d{1,6} chars\))$/.test(line.slice(-40))
  );
}
