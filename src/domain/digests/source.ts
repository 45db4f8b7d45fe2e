import { safe } from '../tokens/tokenizers.ts';

/** A stretch of one line that can be quoted: all of it, or a part of a long one. */
export type Unit = {
  /** From 1, as lines are counted in the original. */
  line: number;
  /** Offsets in the text; what ends a line does not belong to it. */
  from: number;
  to: number;
  isPart: boolean;
};

/** A text taken apart for a digest. */
export type Source = {
  text: string;
  units: readonly Unit[];
  /** Lines of the whole text; a line feed at its end begins none. */
  lines: number;
  /** The lines in the middle of a very long text that nobody looks at. */
  unseen: { from: number; to: number } | null;
};

/** Of longer texts the beginning and the end are looked at, half of these each. */
const MOST_CHARACTERS = 400_000;
const MOST_LINES = 10_000;
/** Longer lines are quoted in parts. */
const LONGEST_LINE = 320;
const LONGEST_PART = 80;

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** Takes a text apart. Apart from one look at each character the cost is bounded. */
export function sourceOf(text: string): Source {
  const units: Unit[] = [];
  const isLong = text.length > MOST_CHARACTERS;
  const middle = isLong ? MOST_CHARACTERS / 2 : text.length;
  const head = addUnits(units, text, { from: 0, to: middle }, 1, MOST_LINES / (isLong ? 2 : 1));
  if (head.end === text.length) return { text, units, lines: head.line - 1, unseen: null };
  const from = startOfEnd(text, Math.max(head.end, text.length - MOST_CHARACTERS / 2));
  const line = head.line + feedsIn(text, head.end, from);
  const end = addUnits(units, text, { from, to: text.length }, line, MOST_LINES);
  const unseen = line > head.line ? { from: head.line, to: line - 1 } : null;
  return { text, units, lines: end.line - 1, unseen };
}

function feedsIn(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) if (text.charCodeAt(at) === LINE_FEED) count++;
  return count;
}

/** Where the last lines begin that are looked at: at a line's start, if one is there. */
function startOfEnd(text: string, least: number): number {
  let start = text.length;
  for (let lines = 0; lines <= MOST_LINES / 2; lines++) {
    const before = start < 2 ? -1 : text.lastIndexOf('\n', start - 2);
    if (before < least) return start === text.length ? least : start;
    start = before + 1;
  }
  return start;
}

/** Adds the lines of a part of the text; answers where it stopped, and which line begins or goes on there. */
function addUnits(
  units: Unit[],
  text: string,
  { from, to }: { from: number; to: number },
  first: number,
  most: number,
): { end: number; line: number } {
  let at = from;
  let line = first;
  while (at < to && line - first < most) {
    const feed = text.indexOf('\n', at);
    const isCut = feed === -1 ? to < text.length : feed >= to;
    const end = feed === -1 || isCut ? to : feed;
    const isPart = isCut || (at === from && at > 0 && text.charCodeAt(at - 1) !== LINE_FEED);
    addLine(units, text, { line, from: at, to: end, isPart });
    if (isCut) return { end, line };
    at = end + 1;
    line += 1;
  }
  return { end: Math.min(at, text.length), line };
}

function addLine(units: Unit[], text: string, { line, from, to, isPart }: Unit): void {
  const isReturn = text.charCodeAt(to) === LINE_FEED && text.charCodeAt(to - 1) === CARRIAGE_RETURN;
  const end = isReturn ? Math.max(from, to - 1) : to;
  if (end - from <= LONGEST_LINE) {
    units.push({ line, from, to: end, isPart });
    return;
  }
  for (let at = from; at < end; ) {
    const next = endOfPart(text, at, end);
    units.push({ line, from: at, to: next, isPart: true });
    at = next;
  }
}

/** Parts end behind a sign or a space rather than inside a word. */
function endOfPart(text: string, from: number, end: number): number {
  const most = from + LONGEST_PART;
  if (most >= end) return end;
  for (let at = most; at > from + LONGEST_PART / 2; at--) {
    if (isBreak(text.charCodeAt(at - 1))) return at;
    // `\n` inside a string.
    if (text.charCodeAt(at - 1) === 110 && text.charCodeAt(at - 2) === 92) return at;
  }
  return safe(text, most);
}

const BREAKS = new Set([...' \t\r,;|(){}[]<>'].map((sign) => sign.charCodeAt(0)));

function isBreak(code: number): boolean {
  return BREAKS.has(code);
}

/** The text of a unit as it stands in the original. */
export function textOf({ text }: Pick<Source, 'text'>, { from, to }: Unit): string {
  return text.slice(from, to);
}
