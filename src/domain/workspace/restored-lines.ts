import type { Attachment, RestoredLines } from '../items/item.ts';
import type { TextCounter } from '../tokens/count.ts';
import { truncateMiddle } from '../tokens/truncate.ts';
import type { KnownFile } from './kept-files.ts';
import { type Block, type KnownText, lastLine, lineCount, textWhenWhole } from './known-text.ts';

/** A file as it is put back. `lines` says which lines the content holds where that is not all. */
export type RestoredFile = { path: string; content: string; lines?: RestoredLines };

/**
 * The newest known content of a file in at most `maxTokens`: the text as it is when all of it is
 * known, else each run of lines after a note that names them. Null when nothing fits.
 */
export function restoredFile(
  { path, text, changedBy, posted }: Pick<KnownFile, 'path' | 'text' | 'changedBy' | 'posted'>,
  maxTokens: number,
  count: TextCounter,
): RestoredFile | null {
  const same = posted === null ? null : asPosted(posted, path, changedBy);
  if (same !== null && count(same.content) <= maxTokens) return same;
  const whole = textWhenWhole(text);
  const pieces = whole === null ? text.blocks.flatMap((block) => pieceOf(block, text)) : [];
  const note = changedBy === null ? '' : `[may have changed since: ${changedBy}]\n`;
  const shown =
    whole === null ? pieces.map(({ label, block }) => `${label}\n${block.text}`).join('\n') : whole;
  const full = note + shown;
  const content = truncateMiddle(full, maxTokens, count);
  if (content === '') return null;
  if (whole !== null && changedBy === null && content === full) return { path, content };
  const blocks = whole === null ? pieces.map(({ block }) => block) : text.blocks;
  const lines: RestoredLines = {
    parts: partsOf(full, content, blocks, note === '' ? 0 : 1, whole === null),
    total: text.total,
    changed_by: changedBy,
  };
  return { path, content, lines };
}

/**
 * What an attachment holds of a file, unchanged: cutting it again would take more of it. Null where
 * its lines are known and something has happened to them.
 */
function asPosted(posted: Attachment, path: string, changedBy: string | null): RestoredFile | null {
  const { text: content, lines } = posted;
  if (changedBy === (lines?.changed_by ?? null)) {
    return { path, content, ...(lines !== undefined && { lines }) };
  }
  if (lines === undefined || lines.parts.length > 0) return null;
  const note = `[may have changed since: ${changedBy}]\n`;
  return { path, content: note + content, lines: { ...lines, changed_by: changedBy } };
}

/** A block with its label; the empty line after the last line feed has no number of its own. */
function pieceOf(block: Block, { blocks, total }: KnownText): { label: string; block: Block }[] {
  const end = lastLine(block);
  const isEnd = end === total && block.text.endsWith('\n');
  const to = isEnd ? end - 1 : end;
  const known = blocks.at(-1);
  const least = known === undefined ? to : Math.max(to, lastLine(known));
  const of =
    total === null ? `at least ${least}` : `${isTextEnd(blocks, total) ? total : total - 1}`;
  const range = to <= block.first ? `line ${block.first}` : `lines ${block.first}–${to}`;
  return [{ label: `[${range} of ${of}]`, block }];
}

/** Whether the last line is known to have something on it: then there is no empty one after it. */
function isTextEnd(blocks: readonly Block[], total: number): boolean {
  const last = blocks.at(-1);
  return last !== undefined && lastLine(last) === total && !last.text.endsWith('\n');
}

/**
 * Where the lines of each block stand in the content: `at` counts its lines from 0. What the cut in
 * the middle has taken, and the lines next to it that it has broken, are left out.
 */
function partsOf(
  full: string,
  content: string,
  blocks: readonly Block[],
  before: number,
  hasLabels: boolean,
): RestoredLines['parts'] {
  const cut = cutOf(full, content);
  const headLines = cut === null ? Infinity : lineCount(full.slice(0, cut.head)) - 1;
  const tailStart = cut === null ? 0 : lineCount(full.slice(0, cut.tail));
  const shift = cut === null ? 0 : lineCount(full) - lineCount(content);
  const parts: RestoredLines['parts'] = [];
  let at = before;
  for (const block of blocks) {
    if (hasLabels) at++;
    const count = lineCount(block.text);
    const inHead = Math.min(count, headLines - at);
    if (inHead > 0) parts.push({ at, from: block.first, to: block.first + inHead - 1 });
    const skipped = Math.max(0, tailStart - at);
    if (cut !== null && skipped < count) {
      const from = block.first + skipped;
      parts.push({ at: at + skipped - shift, from, to: block.first + count - 1 });
    }
    at += count;
  }
  return parts;
}

/** How many characters of a text stand in front of its cut, and where it goes on after it. */
function cutOf(full: string, content: string): { head: number; tail: number } | null {
  if (full === content) return null;
  for (const mark of content.matchAll(/\n\[… about \d{1,12} tokens left out …\]\n/g)) {
    const tail = full.length - (content.length - mark.index - mark[0].length);
    const isCut = full.startsWith(content.slice(0, mark.index)) && tail > mark.index;
    if (isCut && full.endsWith(content.slice(mark.index + mark[0].length))) {
      return { head: mark.index, tail };
    }
  }
  // Too small for the mark: only the start is there.
  return { head: content.length, tail: full.length };
}
