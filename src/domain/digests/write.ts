import { DIGEST_OPENING } from '../workspace/digest-mark.ts';
import { counted, type Outline } from './outline.ts';
import { type Source, textOf, type Unit } from './source.ts';

/** Gaps that are named take about this share of a digest. */
const SHARE_OF_GAPS = 0.03;
const SHORTEST_GAP = 4;

/** What a digest is written of, but for the lines that are quoted. */
type Frame = {
  source: Source;
  outline: Outline;
  /** Of the outline's notes the first so many, and so many gaps by name. */
  notes: number;
  gaps: number;
  /** How to get at the original, where there is a way. */
  recall: string | null;
};

/** The frame of a digest of so many characters, and how many of them are left to quoted lines. */
export function frameOf(
  source: Source,
  outline: Outline,
  {
    characters,
    shareOfNotes,
    recall,
  }: { characters: number; shareOfNotes: number; recall: string | null },
): { frame: Frame; room: number } {
  const gap = gapNote(source.lines, source.lines).length + 3;
  const gaps = Math.max(1, Math.floor((characters * SHARE_OF_GAPS) / gap));
  let left = characters - opening({ source, outline, recall }, []).length - gaps * gap;
  const least = left * (1 - shareOfNotes);
  let notes = 0;
  for (const note of outline.notes) {
    if (left - note.length - 3 < least) break;
    left -= note.length + 3;
    notes += 1;
  }
  return { frame: { source, outline, notes, gaps, recall }, room: left };
}

/**
 * Writes a digest: what the text is and how much of it is left out, then the chosen units in their
 * order, each behind the number of its line. Lines of ours stand in brackets.
 */
export function written(frame: Frame, chosen: readonly number[]): string {
  const { source, outline, notes, gaps } = frame;
  const quotes = quotesOf(source, chosen);
  const lines = [opening(frame, quotes), ...outline.notes.slice(0, notes).map(bracketed)];
  const named = namedGaps(source, quotes, gaps);
  let before = 0;
  for (const { unit, text, place } of quotes) {
    if (named.has(before)) lines.push(bracketed(gapNote(before + 1, unit.line - 1)));
    lines.push(`${unit.line}:${text}`);
    const below = outline.below.get(place);
    if (below !== undefined) lines.push(bracketed(below));
    before = unit.line;
  }
  if (named.has(before)) lines.push(bracketed(gapNote(before + 1, source.lines)));
  return lines.join('\n');
}

type Quote = { unit: Unit; text: string; place: number };

/** The chosen units in their order; parts that follow each other become one. */
function quotesOf(source: Source, chosen: readonly number[]): Quote[] {
  const quotes: Quote[] = [];
  for (const place of chosen.toSorted((a, b) => a - b)) {
    const unit = source.units[place];
    if (unit === undefined) continue;
    const last = quotes.at(-1);
    if (last?.unit.isPart && last.unit.to === unit.from && last.unit.line === unit.line) {
      last.unit = { ...last.unit, to: unit.to };
      last.text = textOf(source, last.unit).trim();
      continue;
    }
    const text = textOf(source, unit);
    quotes.push({ unit, text: unit.isPart ? text.trim() : text, place });
  }
  return quotes;
}

function opening(
  { source, outline, recall }: Pick<Frame, 'source' | 'outline' | 'recall'>,
  quotes: readonly Quote[],
): string {
  const quoted = new Set(quotes.map(({ unit }) => unit.line));
  const partly = new Set(
    quotes.flatMap((quote) => (isWholeLine(source, quote) ? [] : [quote.unit.line])),
  );
  const left = source.lines - quoted.size;
  const parts = partly.size === 0 ? '' : `, parts of ${counted(partly.size, 'line')}`;
  const { unseen } = source;
  const passed =
    unseen === null ? '' : `; ${unseen.from}-${unseen.to} not looked at, nor counted in`;
  return `${DIGEST_OPENING}${outline.what}; ${left} of ${counted(source.lines, 'line')} left out${parts}${passed}${recall === null ? '' : `. ${recall}`}]`;
}

function isWholeLine({ text }: Source, { unit, text: quoted }: Quote): boolean {
  const { from, to, isPart } = unit;
  if (!isPart) return true;
  if (quoted.length < to - from) return false;
  const end = text.slice(to, to + 2);
  const isStart = from === 0 || text.charAt(from - 1) === '\n';
  return isStart && (end === '' || end === '\r' || end === '\r\n' || end.startsWith('\n'));
}

/** The lines before the longest gaps; 0 is before the first. */
function namedGaps(source: Source, quotes: readonly Quote[], most: number): Set<number> {
  const gaps: { before: number; length: number }[] = [];
  let before = 0;
  for (const line of [...quotes.map(({ unit }) => unit.line), source.lines + 1]) {
    const length = line - before - 1;
    if (length >= SHORTEST_GAP) gaps.push({ before, length });
    before = line;
  }
  gaps.sort((a, b) => b.length - a.length);
  return new Set(gaps.slice(0, most).map((gap) => gap.before));
}

function gapNote(from: number, to: number): string {
  return `${from}-${to} left out`;
}

/** What ends a line, and other signs of control: a name in a text may hold any. */
const CONTROLS = /[\p{Cc}\u2028\u2029]+/gu;

/** A line of ours, whatever the names in it hold. */
function bracketed(note: string): string {
  return `[${note.replace(CONTROLS, ' ')}]`;
}
