import { withoutEncodedData } from './encoded-data.ts';
import { rememberingLast } from './remember.ts';

/** Characters of one text that are looked at; what lies between its two ends says little. */
const LOOKED_AT = 60_000;
const ESC = '\u001b';
const BELL = '\u0007';
const TERMINAL_CODE = new RegExp(`${ESC}\\[[0-9;?]*[ -/]*[@-~]`, 'g');
const TERMINAL_CHARACTERS = new RegExp(`${ESC}[()][0-9A-Z]`, 'g');
const TERMINAL_TITLE = new RegExp(`${ESC}\\][^${BELL}${ESC}\n]{0,500}(?:${BELL}|${ESC}\\\\)`, 'g');
/** A cut of fewer characters than this is not worth a note in the middle. */
const SMALL_CUT = 80;

/**
 * A text as a summary may quote it: without terminal codes, encoded data, line-number gutters and
 * notes of the agent's program. Of a very long text only both ends are taken.
 */
export const cleaned = rememberingLast((text: string): string =>
  withoutEncodedData(
    withoutTerminalCodes(withoutHarnessNotes(bothEnds(text))).replace(/[^\P{Cc}\t\n]/gu, ''),
  )
    .replace(/^[ \t]{0,8}\d{1,7}(?:→|\t)/gm, '')
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .join('\n')
    .trim(),
);

/** A text without colours and other codes for a terminal; its lines stay the same ones. */
export function withoutTerminalCodes(text: string): string {
  if (!text.includes(ESC)) return text;
  return text
    .replace(TERMINAL_CODE, '')
    .replace(TERMINAL_CHARACTERS, '')
    .replace(TERMINAL_TITLE, '');
}

/** The head and the tail of a very long text. */
export function bothEnds(text: string, lookedAt = LOOKED_AT): string {
  if (text.length <= lookedAt) return text;
  const half = Math.floor(lookedAt / 2);
  return `${safeSlice(text, 0, half)}\n…\n${safeSlice(text, text.length - half, text.length)}`;
}

/** Reminders that an agent's own program writes into messages; nobody said them. */
function withoutHarnessNotes(text: string): string {
  return withoutBlocks(text, '<system-reminder>', '</system-reminder>');
}

/** A text without keys and certificates: their letters are no words, and are not to be told. */
export function withoutKeys(text: string): string {
  return withoutBlocks(text, '-----BEGIN ', '-----END ');
}

function withoutBlocks(text: string, open: string, close: string): string {
  let rest = '';
  let from = 0;
  for (let start = text.indexOf(open); start >= 0; start = text.indexOf(open, from)) {
    const end = text.indexOf(close, start);
    if (end < 0) break;
    rest += text.slice(from, start);
    from = end + close.length;
  }
  return rest + text.slice(from);
}

/** At most `max` characters of a text: its head and its tail, with a note of what is between. */
export function clipMiddle(text: string, max: number): string {
  if (text.length <= max) return text;
  // The note takes room itself, so a little more than the excess is left out.
  const note = ` … [${text.length - max + 35} characters left out] … `;
  const room = max - note.length;
  if (room < 40 || text.length - max < SMALL_CUT) return clipEnd(text, Math.max(2, max));
  const head = Math.ceil(room * 0.65);
  const tail = safeSlice(text, text.length - (room - head), text.length);
  return safeSlice(text, 0, head).trimEnd() + note + tail.trimStart();
}

/** White space of any kind and length as one blank. */
export function oneLine(text: string): string {
  // Most are one line already.
  return (/\s\s|[^\S ]/.test(text) ? text.replace(/\s+/g, ' ') : text).trim();
}

/** The first line that says something, as one line of at most `max` characters. */
export function firstLine(text: string, max: number): string {
  return clipEnd(oneLine(tellingLines(text)[0] ?? ''), max);
}

/** The lines that say something, of the first fifty. */
export function tellingLines(text: string): string[] {
  return text.split('\n', 50).filter((line) => /[\p{L}\p{N}]/u.test(line));
}

export function clipEnd(text: string, max: number): string {
  return text.length <= max ? text : `${safeSlice(text, 0, max - 1).trimEnd()}…`;
}

/** Tags that would end the summary around the text become words in brackets. */
export function withoutSummaryTags(text: string): string {
  return text.replace(/<(\/?)(summary|analysis)>/gi, '[$1$2]');
}

/** Whatever ends a line for whoever reads it. */
const LINE_END = /\r\n?|[\n\v\f\u0085\u2028\u2029]/;

/** A list point; further lines of the text stand indented, so that they cannot pose as headings. */
export function bullet(text: string): string {
  return `- ${withoutSummaryTags(text).split(LINE_END).join('\n    ')}`;
}

/** A slice that cuts no surrogate pair in two. */
export function safeSlice(text: string, from: number, to: number): string {
  return text.slice(insidePair(text, from) ? from + 1 : from, insidePair(text, to) ? to - 1 : to);
}

function insidePair(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return at > 0 && unit >= 0xdc00 && unit < 0xe000;
}
