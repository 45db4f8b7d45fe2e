import type { FileAction, Hunk } from './action.ts';
import type { Effort } from './effort.ts';
import { findText } from './find-text.ts';
import {
  type Block,
  type KnownText,
  lineCount,
  spendOn,
  spliced,
  textWhenWhole,
} from './known-text.ts';

const FILE_LINE = /^\*\*\* (?:Add|Update|Delete) File: /;
const MOVE_LINE = '*** Move to: ';
const LONGEST_PATH = 4_096;

/** The patch inside a text in the format of Codex's `apply_patch`; undefined when there is none. */
export function patchIn(text: string): string | undefined {
  const start = text.indexOf('*** Begin Patch');
  if (start === -1) return undefined;
  const end = text.indexOf('*** End Patch', start);
  return text.slice(start, end === -1 ? text.length : end);
}

/** What a patch does, file by file. */
export function actionsOfPatch(patch: string): FileAction[] {
  const actions: FileAction[] = [];
  const lines = patch.replaceAll('\r\n', '\n').split('\n');
  for (let at = 0; at < lines.length; at++) {
    const head = fileLine(lines[at] ?? '');
    if (head === null) continue;
    const { path } = head;
    const body: string[] = [];
    while (at + 1 < lines.length && !isFileLine(lines[at + 1] ?? '')) {
      at++;
      body.push(lines[at] ?? '');
    }
    switch (head.kind) {
      case 'Add':
        actions.push({ kind: 'written', path, text: addedText(body) });
        break;
      case 'Delete':
        actions.push({ kind: 'deleted', path });
        break;
      default:
        actions.push(updateOf(path, body));
    }
  }
  return actions;
}

function isFileLine(line: string): boolean {
  return fileLine(line) !== null || line.startsWith('*** End Patch');
}

function fileLine(line: string): { kind: string; path: string } | null {
  const start = FILE_LINE.exec(line)?.[0];
  const path = start === undefined ? null : pathAfter(line, start.length);
  return start === undefined || path === null ? null : { kind: start.split(' ')[1] ?? '', path };
}

function pathAfter(line: string, start: number): string | null {
  const path = line.slice(start).trimEnd();
  return path === '' || path.length > LONGEST_PATH ? null : path;
}

function updateOf(path: string, body: string[]): FileAction {
  const [first = ''] = body;
  const to = first.startsWith(MOVE_LINE) ? pathAfter(first, MOVE_LINE.length) : null;
  return { kind: 'patched', path, hunks: hunksOf(to === null ? body : body.slice(1)), to };
}

/** The text of a file that a patch adds. */
export function addedText(body: readonly string[]): string {
  const lines = body.filter((line) => line.startsWith('+')).map((line) => `${line.slice(1)}\n`);
  return lines.join('');
}

/** The hunks of a patch of one file, each opened by `@@`, with context that may stand behind it. */
export function hunksOf(body: readonly string[]): Hunk[] {
  const hunks: Hunk[] = [];
  let hunk: Hunk | null = null;
  for (const line of body) {
    if (line.startsWith('@@')) {
      const context = line.slice(2).trim();
      const isOpen: boolean = hunk !== null && hunk.before.length + hunk.after.length === 0;
      if (hunk === null || !isOpen) hunk = pushed(hunks);
      // `@@ -1,2 +3,4 @@` is where others count lines: it is no context.
      if (context !== '' && !/^-\d/.test(context)) hunk.context.push(context);
      continue;
    }
    if (line.startsWith('*** End of File')) continue;
    hunk ??= pushed(hunks);
    const text = line.slice(1);
    if (line.startsWith('+')) hunk.after.push(text);
    else if (line.startsWith('-')) hunk.before.push(text);
    else if (line.startsWith(' ') || line === '') {
      hunk.before.push(text);
      hunk.after.push(text);
    }
  }
  for (const each of hunks) dropEmptyEnd(each);
  return hunks.filter(({ before, after }) => before.length + after.length > 0);
}

function pushed(hunks: Hunk[]): Hunk {
  const hunk: Hunk = { context: [], before: [], after: [] };
  hunks.push(hunk);
  return hunk;
}

/** The line feed before the end of a patch leaves an empty line that nobody wrote. */
function dropEmptyEnd({ before, after }: Hunk): void {
  if (before.at(-1) !== '' || after.at(-1) !== '') return;
  before.pop();
  after.pop();
}

/** The text after a patch that was certainly applied; null when it cannot be told where. */
export function patched(
  known: KnownText,
  hunks: readonly Hunk[],
  effort: Effort,
): KnownText | null {
  let result: KnownText = known;
  let from = { block: 0, line: 0 };
  for (const hunk of hunks) {
    const wanted = [...hunk.context, ...hunk.before];
    if (!effort.spend(2 * wanted.reduce((sum, line) => sum + line.length + 1, 0))) return null;
    if (!spendOn(result, 4 + hunk.context.length, effort)) return null;
    const place = placeOf(result, hunk, from);
    if (place === null) return null;
    const after = hunk.after.join('\n');
    result = spliced(result, place.block, place.start, place.end, place.lead + after + place.tail);
    from = { block: place.block, line: place.start + after.length };
  }
  return result;
}

/**
 * What is left of a text where a patch that was certainly applied cannot be followed: lines that it has
 * taken out, or put others in place of, are not known any more.
 */
export function withoutPatched(
  known: KnownText,
  hunks: readonly Hunk[],
  effort: Effort,
): KnownText {
  let { blocks } = known;
  for (const { before, after } of hunks) {
    const stays = new Set(after);
    if (before.every((line) => stays.has(line))) continue;
    if (!spendOn({ ...known, blocks }, 2, effort)) return { blocks: [], total: null };
    blocks = blocks.flatMap((block) => withoutLines(block, before));
  }
  return blocks === known.blocks ? known : { blocks, total: known.total };
}

/** What stands in front of these lines, and behind them. */
function withoutLines(block: Block, lines: readonly string[]): Block[] {
  const { first, text } = block;
  const at = linesAt(text, lines, 0);
  if (at === null) return [block];
  const head = { first, text: text.slice(0, Math.max(0, at.start - 1)) };
  const tail = { first: first + lineCount(text.slice(0, at.end)), text: text.slice(at.end + 1) };
  return [...(at.start > 0 ? [head] : []), ...(at.end < text.length ? [tail] : [])];
}

type Place = { block: number; start: number; end: number; lead: string; tail: string };

/** Where in a block the lines of a hunk stand, from the end of the hunk before it on. */
function placeOf(
  known: KnownText,
  hunk: Hunk,
  from: { block: number; line: number },
): Place | null {
  const isWhole = textWhenWhole(known) !== null;
  if (hunk.before.length === 0) return isWhole ? endOf(known) : null;
  for (let block = from.block; block < known.blocks.length; block++) {
    const text = known.blocks[block]?.text ?? '';
    let start = block === from.block ? from.line : 0;
    for (const context of hunk.context) {
      const found = lineWith(text, context, start);
      if (found !== null) start = found;
      else if (isWhole) return null;
    }
    const at = linesAt(text, hunk.before, start);
    if (at === null) continue;
    // Elsewhere in what is unknown the same lines may stand, too: two known places tell that.
    const isAmbiguous = !isWhole && linesAt(text, hunk.before, at.end + 1) !== null;
    if (isAmbiguous) return null;
    if (hunk.after.length > 0) return { block, ...at, lead: '', tail: '' };
    return { block, ...withLineFeed(text, at), lead: '', tail: '' };
  }
  return null;
}

function endOf(known: KnownText): Place | null {
  const text = known.blocks[0]?.text ?? '';
  const start = text.endsWith('\n') ? text.length - 1 : text.length;
  return { block: 0, start, end: start, lead: text === '' ? '' : '\n', tail: '' };
}

/** Lines that go without a replacement take their line feed along. */
function withLineFeed(text: string, { start, end }: { start: number; end: number }) {
  if (end < text.length) return { start, end: end + 1 };
  return { start: Math.max(0, start - 1), end };
}

/** The characters of whole lines that are these, from a character on; null when there are none. */
function linesAt(
  text: string,
  lines: readonly string[],
  from: number,
): { start: number; end: number } | null {
  // With the line feeds around them, they are found as whole lines in one search.
  const wanted = `\n${lines.join('\n')}\n`;
  const start = findText(`\n${text}\n`, wanted, from);
  return start === -1 ? null : { start, end: start + wanted.length - 2 };
}

/** The character behind the next line that reads so, blanks around it aside. */
function lineWith(text: string, wanted: string, from: number): number | null {
  const trimmed = wanted.trim();
  for (let start = from; start < text.length; ) {
    const feed = text.indexOf('\n', start);
    const end = feed === -1 ? text.length : feed;
    if (text.slice(start, end).trim() === trimmed) return Math.min(end + 1, text.length);
    start = end + 1;
  }
  return null;
}
