import type { FileAction } from '../action.ts';
import type { KnownText } from '../known-text.ts';
import { lastLine } from '../known-text.ts';
import { numberedBlocks } from '../numbered-lines.ts';
import { type Answer, beforeCut } from '../result-text.ts';
import type { Printed } from './effect.ts';
import type { Range } from './read-range.ts';

/**
 * What an output shows of the files that a script prints. Where it cannot be told which lines belong
 * to which file, they are only known to have been read.
 */
export function seenIn(printed: readonly Printed[], answer: Answer): FileAction[] {
  const parts = printed.filter(({ kind }) => kind !== 'nothing');
  const ranges = parts.flatMap((part) => (part.kind === 'ranges' ? part.ranges : []));
  const texts = answer.isCleared ? null : textsOf(parts, answer);
  return ranges.map((range, index): FileAction => {
    const text = texts?.get(range) ?? null;
    const isOnly = ranges.length === 1 && index === 0;
    return {
      kind: 'seen',
      path: range.path,
      text: text === null ? null : knownOf(range, text, answer, isOnly),
    };
  });
}

/** The lines of the output that belong to each range; null when that is not certain. */
function textsOf(parts: readonly Printed[], answer: Answer): Map<Range, string[]> | null {
  const isShortened = answer.isShortened;
  const text = isShortened ? beforeCut(answer.text) : answer.text;
  if (text === '') return null;
  const lines = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
  const [only] = parts;
  if (parts.length === 1 && only?.kind === 'ranges')
    return sharedOut(only.ranges, lines, isShortened);
  if (isShortened) return null;
  const texts = new Map<Range, string[]>();
  let group: Printed[] = [];
  let start = 0;
  const places = placesOf(lines);
  const close = (end: number): boolean => {
    const isCertain = group.every(({ kind }) => kind === 'ranges');
    const ranges = group.flatMap((part) => (part.kind === 'ranges' ? part.ranges : []));
    const shares = isCertain ? sharedOut(ranges, lines.slice(start, end), false) : null;
    for (const [range, share] of shares ?? []) texts.set(range, share);
    group = [];
    return true;
  };
  for (const part of parts) {
    if (part.kind !== 'says') {
      group.push(part);
      continue;
    }
    const said = part.text.replace(/\n$/, '').split('\n');
    const at = onlyPlaceOf(said, lines, places);
    if (at === null || at < start) return null;
    close(at);
    start = at + said.length;
  }
  close(lines.length);
  return texts;
}

function placesOf(lines: readonly string[]): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const [at, line] of lines.entries()) {
    const own = places.get(line);
    if (own === undefined) places.set(line, [at]);
    else if (own.length <= MOST_PLACES) own.push(at);
  }
  return places;
}

/** Longer texts are not looked for, nor are lines that are there more often. */
const MOST_SAID = 20;
const MOST_PLACES = 100;

function onlyPlaceOf(
  wanted: readonly string[],
  lines: readonly string[],
  places: ReadonlyMap<string, readonly number[]>,
): number | null {
  if (wanted.length > MOST_SAID) return null;
  const rarest = wanted
    .map((line, offset) => ({ offset, at: places.get(line) ?? [] }))
    .reduce((a, b) => (b.at.length < a.at.length ? b : a));
  if (rarest.at.length > MOST_PLACES) return null;
  const found = rarest.at
    .map((at) => at - rarest.offset)
    .filter((at) => at >= 0 && wanted.every((line, offset) => lines[at + offset] === line));
  return found.length === 1 ? (found[0] ?? null) : null;
}

/** Shares the lines out to the ranges that printed them one after the other. */
function sharedOut(
  ranges: readonly Range[],
  lines: readonly string[],
  isShortened: boolean,
): Map<Range, string[]> | null {
  const [only] = ranges;
  if (only === undefined) return null;
  if (ranges.length === 1) return new Map([[only, [...lines]]]);
  const shares = new Map<Range, string[]>();
  let at = 0;
  for (const range of ranges) {
    const start = at;
    const most = range.last === null ? null : range.last - range.first + 1;
    if (range.isNumbered) {
      const isNext = (line: string) =>
        Number(/^ *(\d{1,7})\t/.exec(line)?.[1]) === range.first + at - start;
      while (at < lines.length && isNext(lines[at] ?? '') && (most === null || at - start < most))
        at++;
    } else {
      // One that is shorter than asked for would shift all the others.
      if (most === null || range.tail !== null || at + most > lines.length) return null;
      at += most;
    }
    // What prints nothing was perhaps not there, or not run: the lines are those of another.
    if (at === start) return null;
    shares.set(range, lines.slice(start, at));
  }
  return at === lines.length && !isShortened ? shares : null;
}

function knownOf(range: Range, lines: string[], answer: Answer, isOnly: boolean): KnownText | null {
  if (lines.length === 0) return null;
  const { first, last, tail } = range;
  const wanted = last === null ? null : last - first + 1;
  if (wanted !== null && lines.length > wanted) return null;
  const isShort = wanted !== null && lines.length < wanted;
  // Some programs take empty lines off both ends of an output.
  const isTrimmed = !answer.text.endsWith('\n');
  const isToEnd = (wanted === null || isShort) && !answer.isShortened;
  if (range.isNumbered) {
    const blocks = numberedBlocks(lines.join('\n'), 'tab');
    const block = blocks?.at(-1);
    if (blocks === null || block === undefined) return null;
    const isEnd = isToEnd && tail === null && (!isTrimmed || wanted === null);
    return isEnd ? ended(blocks.slice(0, -1), block) : { blocks, total: null };
  }
  if (answer.isShortened) {
    return isOnly && tail === null
      ? { blocks: [{ first, text: lines.join('\n') }], total: null }
      : null;
  }
  // So many of the last lines are all of them when there are fewer.
  if (tail !== null && (isTrimmed || lines.length >= tail)) return null;
  if (isTrimmed && isOnly && (isShort || (isToEnd && first > 1))) return null;
  const block = { first, text: lines.join('\n') };
  return isToEnd ? ended([], block) : { blocks: [block], total: null };
}

/** A text ends with a line feed, which is an empty line after its last one. */
function ended(
  before: readonly KnownText['blocks'][number][],
  block: KnownText['blocks'][number],
): KnownText {
  const last = { ...block, text: `${block.text}\n` };
  return { blocks: [...before, last], total: lastLine(last) };
}
