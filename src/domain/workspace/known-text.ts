import type { Effort } from './effort.ts';
import { findText } from './find-text.ts';

/** Lines that follow one another; `first` counts from 1, `text` joins them with line feeds. */
export type Block = { first: number; text: string };

/**
 * What is known of a text: blocks in their order, with unknown lines between them. `total` is the
 * number of lines where the end is known; a text that ends with a line feed has an empty last line.
 */
export type KnownText = { blocks: readonly Block[]; total: number | null };

export type Replacement = { from: string; to: string; all: boolean };

/** What each line has one text put in place of another in: where it stands first, or wherever it stands. */
export type Substitution = { from: string; to: string; isEach: boolean };

export function wholeText(text: string): KnownText {
  return { blocks: [{ first: 1, text }], total: lineCount(text) };
}

/** The whole text when all of it is known, else null. */
export function textWhenWhole({ blocks, total }: KnownText): string | null {
  const [block] = blocks;
  if (block === undefined || blocks.length > 1 || block.first !== 1) return null;
  return lineCount(block.text) === total ? block.text : null;
}

const partial = new WeakMap<KnownText, boolean>();

/** Whether the end of a text is known and other lines are not; asked again of a text, it takes no time. */
export function isPartToItsEnd(text: KnownText): boolean {
  const is = partial.get(text) ?? (text.total !== null && textWhenWhole(text) === null);
  partial.set(text, is);
  return is;
}

export function lineCount(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

const sizes = new WeakMap<KnownText, number>();

/** The characters of a known text; they are added up once, since there may be thousands of blocks. */
export function sizeOf(known: KnownText): number {
  const size = sizes.get(known) ?? known.blocks.reduce((sum, { text }) => sum + text.length, 0);
  sizes.set(known, size);
  return size;
}

/** The number of the last line of a block. */
export function lastLine(block: Block): number {
  return block.first + lineCount(block.text) - 1;
}

/**
 * Takes the characters of a known text, so many times, from what may be looked at; false when there
 * are not so many left.
 */
export function spendOn(known: KnownText, times: number, effort: Effort): boolean {
  // Even to add up thousands of blocks is work.
  if (!effort.spend(known.blocks.length)) return false;
  return effort.spend(times * (sizeOf(known) + known.blocks.length));
}

/**
 * The text after a replacement that has certainly been made; null when it cannot be told where. A
 * tool that replaces one place demands that there be one only, so that a place which is known is it.
 */
export function replaced(
  known: KnownText,
  { from, to, all }: Replacement,
  effort: Effort,
): KnownText | null {
  if (from === '' || !effort.spend(2 * from.length) || !spendOn(known, 2, effort)) return null;
  if (all) return replacedAll(known, from, to, effort);
  for (const [index, { text }] of known.blocks.entries()) {
    const at = findText(text, from);
    if (at === -1) continue;
    if (findText(text, from, at + 1) !== -1) return null;
    return spliced(known, index, at, at + from.length, to);
  }
  return null;
}

/**
 * An edit of every place that puts in more characters than this is not followed: a few such edits
 * make any number of characters of a small file.
 */
const MOST_GROWTH = 1_000_000;

function replacedAll(known: KnownText, from: string, to: string, effort: Effort): KnownText | null {
  if (!effort.spend(to.length)) return null;
  const delta = lineCount(to) - lineCount(from);
  // What stands in unknown lines would move all that follows.
  if (delta !== 0 && textWhenWhole(known) === null) return null;
  const counts = known.blocks.map(({ text }) => placesIn(text, from));
  const places = counts.reduce((sum, count) => sum + count, 0);
  const growth = places * (to.length - from.length);
  if (places === 0 || growth > MOST_GROWTH) return null;
  // Asked for before any of it is there.
  if (!effort.spend(sizeOf(known) + growth)) return null;
  const blocks = known.blocks.map((block, index) =>
    counts[index] === 0 ? block : { ...block, text: withAll(block.text, from, to) },
  );
  return { blocks, total: known.total === null ? null : known.total + places * delta };
}

/** The text after substitutions, one after the other; null where they cannot be followed. */
export function substituted(
  known: KnownText,
  substitutions: readonly Substitution[],
  effort: Effort,
): KnownText | null {
  let now = known;
  for (const { from, to, isEach } of substitutions) {
    if (!spendOn(now, 2, effort)) return null;
    const growth = placesInAll(now, from) * (to.length - from.length);
    if (growth > MOST_GROWTH || !effort.spend(sizeOf(now) + growth)) return null;
    const blocks = now.blocks.map(({ first, text }): Block => {
      if (isEach) return { first, text: withAll(text, from, to) };
      const lines = text.split('\n').map((line) => {
        const at = line.indexOf(from);
        return at === -1 ? line : line.slice(0, at) + to + line.slice(at + from.length);
      });
      return { first, text: lines.join('\n') };
    });
    now = { blocks, total: now.total };
  }
  return now;
}

function placesInAll({ blocks }: KnownText, from: string): number {
  return blocks.reduce((sum, { text }) => sum + placesIn(text, from), 0);
}

function placesIn(text: string, wanted: string): number {
  let count = 0;
  for (let at = findText(text, wanted); at >= 0; count++) {
    at = findText(text, wanted, at + wanted.length);
  }
  return count;
}

function withAll(text: string, from: string, to: string): string {
  const parts: string[] = [];
  let start = 0;
  for (let at = findText(text, from); at >= 0; at = findText(text, from, start)) {
    parts.push(text.slice(start, at));
    start = at + from.length;
  }
  parts.push(text.slice(start));
  return parts.join(to);
}

/** Puts `to` in place of some characters of one block; what follows moves by the lines of it. */
export function spliced(
  known: KnownText,
  index: number,
  start: number,
  end: number,
  to: string,
): KnownText {
  const block = known.blocks[index];
  if (block === undefined) return known;
  const delta = lineCount(to) - lineCount(block.text.slice(start, end));
  const text = block.text.slice(0, start) + to + block.text.slice(end);
  const blocks = known.blocks.map((other, place) => {
    if (place === index) return { first: other.first, text };
    return place < index ? other : { ...other, first: other.first + delta };
  });
  return { blocks, total: known.total === null ? null : known.total + delta };
}

/** The text with lines put in after the line `after` (0: at the start). */
export function inserted(
  known: KnownText,
  after: number,
  lines: string,
  effort: Effort,
): KnownText | null {
  if (!effort.spend(lines.length) || !spendOn(known, 1, effort)) return null;
  const added = lines.endsWith('\n') ? lines.slice(0, -1) : lines;
  const count = lineCount(added);
  const blocks = known.blocks.flatMap((block): Block[] => {
    if (block.first > after + 1) return [{ ...block, first: block.first + count }];
    const last = lastLine(block);
    if (last < after || (last === after && last !== known.total)) return [block];
    const at = block.text.split('\n');
    at.splice(after + 1 - block.first, 0, added);
    return [{ first: block.first, text: at.join('\n') }];
  });
  return { blocks, total: known.total === null ? null : known.total + count };
}

/** The text with something put at its end. */
export function appended(known: KnownText, text: string, effort: Effort): KnownText | null {
  if (!effort.spend(text.length) || !spendOn(known, 1, effort)) return null;
  const index = known.blocks.length - 1;
  const last = known.blocks[index];
  if (last === undefined || known.total === null || lastLine(last) !== known.total) {
    return { blocks: known.blocks, total: null };
  }
  return spliced(known, index, last.text.length, last.text.length, text);
}

/**
 * What is known after some of the text was seen again. Null when the two disagree: then something
 * has changed it meanwhile, and the lines known before may stand elsewhere by now.
 */
export function merged(known: KnownText, seen: KnownText, effort: Effort): KnownText | null {
  if (!spendOn(known, 2, effort) || !spendOn(seen, 2, effort)) return null;
  if (known.total !== null && seen.total !== null && known.total !== seen.total) return null;
  const total = known.total ?? seen.total;
  const blocks = [...known.blocks, ...seen.blocks].sort((a, b) => a.first - b.first);
  const result: { first: number; lines: string[] }[] = [];
  for (const { first, text } of blocks) {
    const lines = text.split('\n');
    const open = result.at(-1);
    if (total !== null && first + lines.length - 1 > total) return null;
    if (open === undefined || first > open.first + open.lines.length) {
      result.push({ first, lines });
      continue;
    }
    const offset = first - open.first;
    const common = Math.min(open.lines.length - offset, lines.length);
    for (let i = 0; i < common; i++) if (open.lines[offset + i] !== lines[i]) return null;
    // One by one: thousands of lines as arguments of one call overflow the stack.
    for (const line of lines.slice(common)) open.lines.push(line);
  }
  return { blocks: result.map(({ first, lines }) => ({ first, text: lines.join('\n') })), total };
}

/** So many lines are not the same in two files by chance. */
const TELLING_LINES = 3;

/**
 * How what is shown of a text fits a known one: `same`, when both are whole and alike; `inside`, when
 * every line of it is known to be so; `other`, when they disagree; `open`, when nothing tells.
 */
export function overlap(
  known: KnownText,
  seen: KnownText,
  effort: Effort,
): 'same' | 'inside' | 'other' | 'open' {
  const [whole, all] = [textWhenWhole(known), textWhenWhole(seen)];
  const both = merged(known, seen, effort);
  if (both === null) return spendOn(known, 2, effort) ? 'other' : 'open';
  if (whole !== null && all !== null && telling(seen) >= TELLING_LINES) return 'same';
  const isInside = linesOf(both) === linesOf(known);
  return isInside && telling(seen) > 0 ? 'inside' : 'open';
}

function telling({ blocks }: KnownText): number {
  return blocks.reduce((sum, { text }) => sum + (text.match(/^.*\S/gm)?.length ?? 0), 0);
}

/** How many lines are known. */
export function linesOf({ blocks }: KnownText): number {
  return blocks.reduce((sum, { text }) => sum + lineCount(text), 0);
}
