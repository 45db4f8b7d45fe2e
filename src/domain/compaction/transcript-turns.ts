import { type LeftOut, NOTHING_LEFT_OUT } from '../session/events.ts';
import type { TextCounter } from '../tokens/count.ts';
import { truncateMiddle } from '../tokens/truncate.ts';
import {
  entryText,
  itemEntries,
  numberedCalls,
  recordText,
  type TranscriptEntry,
  turnText,
} from './transcript-text.ts';
import { type Turn, turnsToDrop } from './turns.ts';

type TurnsTranscript = { transcript: string; truncated_turns: number; left_out: LeftOut };

type WrittenTurn = Turn & {
  number: number;
  entries: TranscriptEntry[];
  text: string;
  size: number;
};

/** Share of a turn that is too large by itself which may come from its end. */
const TAIL_SHARE = 0.4;

/**
 * Writes turns as role-labelled text that counts at most `maxTokens` (without margin): the oldest
 * turns are left out until the rest fits, and a newest turn that does not fit by itself is cut in the
 * middle (SPEC section 13). Null when not even the start of that fits.
 */
export function turnsTranscript(
  turns: readonly Turn[],
  maxTokens: number,
  count: TextCounter,
): TurnsTranscript | null {
  const written = writeTurns(turns, count);
  const own = written.filter((turn) => !turn.is_carried);
  const carried = written.filter((turn) => turn.is_carried);
  const newest = own.at(-1);
  if (newest === undefined) return null;
  const room = maxTokens - lineTokens(recordText([]), count) - sizeOf(carried);
  const truncated_turns = turnsToDrop(
    own.map(({ size }) => size),
    room,
  );
  const dropped = new Set(own.slice(0, truncated_turns));
  const dropped_items = [...dropped].reduce((sum, { items }) => sum + items.length, 0);
  const left_out = { ...NOTHING_LEFT_OUT, dropped_items };
  const parts = new Map(written.map((turn) => [turn, turn.text]));
  for (const turn of dropped) parts.delete(turn);
  if (newest.size > room) {
    const cut = cutTurn(newest, room, count);
    if (cut === null) return null;
    parts.set(newest, cut.text);
    left_out.truncated_results = cut.is_entry_cut ? 1 : 0;
    left_out.dropped_items += cut.dropped_entries;
  }
  return { transcript: recordText([...parts.values()]), truncated_turns, left_out };
}

/** Numbers the turns from one; earlier summaries stand between them without a number. */
function writeTurns(turns: readonly Turn[], count: TextCounter): WrittenTurn[] {
  const calls = numberedCalls(turns.flatMap(({ items }) => items));
  let number = 0;
  return turns.map((turn) => {
    const entries = turn.items.flatMap((item) => itemEntries(item, calls));
    const texts = entries.map(entryText);
    if (!turn.is_carried) number++;
    const text = turn.is_carried ? texts.join('\n') : turnText(number, texts);
    return { ...turn, number, entries, text, size: lineTokens(text, count) };
  });
}

/**
 * As much of a turn as fits: whole entries from its end, then from its start, and of the entry where
 * these end as much as is left. Null when that is nothing.
 */
function cutTurn({ number, entries }: WrittenTurn, maxTokens: number, count: TextCounter) {
  const gap = (left: number) => `[… ${left} entries left out …]`;
  const frame = turnText(number, [gap(entries.length)]);
  let room = maxTokens - lineTokens(frame, count);
  const texts = entries.map(entryText);
  const sizes = texts.map((text) => lineTokens(text, count));
  const take = (index: number, most: number): boolean => {
    const size = sizes[index] ?? 0;
    if (size > most) return false;
    room -= size;
    return true;
  };
  const keep = room * (1 - TAIL_SHARE);
  let end = entries.length;
  while (end > 0 && take(end - 1, room - keep)) end--;
  let start = 0;
  while (start < end && take(start, room)) start++;
  // Counts of parts may add up to less than the count of the whole, and then all of them fit.
  const cut = start < end ? cutEntry(entries[start], room, count) : null;
  const dropped_entries = end - start - (cut === null ? 0 : 1);
  if (dropped_entries === entries.length) return null;
  const parts = [
    ...texts.slice(0, start),
    ...(cut === null ? [] : [cut]),
    ...(dropped_entries > 0 ? [gap(dropped_entries)] : []),
    ...texts.slice(end),
  ];
  return { text: turnText(number, parts), is_entry_cut: cut !== null, dropped_entries };
}

function cutEntry(
  entry: TranscriptEntry | undefined,
  maxTokens: number,
  count: TextCounter,
): string | null {
  if (entry === undefined) return null;
  const room = maxTokens - lineTokens(entryText({ ...entry, text: '' }), count);
  const text = truncateMiddle(entry.text, room, count);
  return text === '' ? null : entryText({ ...entry, text });
}

function sizeOf(turns: readonly WrittenTurn[]): number {
  return turns.reduce((sum, { size }) => sum + size, 0);
}

/** Tokens of a text that stands on lines of its own. */
function lineTokens(text: string, count: TextCounter): number {
  return count(`${text}\n`);
}
