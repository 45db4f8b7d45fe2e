import type { CompactionRow, Page } from '../app/ports/event-store.ts';
import { InvalidCursorError } from '../app/ports/invalid-cursor-error.ts';

type CursorList = 'sessions' | 'compactions';

/** An opaque cursor: the list that it belongs to, and the position of the last row that was given. */
export function encodeCursor(list: CursorList, position: number): string {
  return Buffer.from(`${list}:${position}`).toString('base64url');
}

/**
 * The position that a cursor of this list names; without one, that behind all rows of a list that
 * shows the newest first. Throws `InvalidCursorError`.
 */
export function decodeCursor(list: CursorList, cursor: string | undefined): number {
  if (cursor === undefined) return Number.MAX_SAFE_INTEGER;
  const text = Buffer.from(cursor, 'base64url').toString();
  const match = /^([a-z]+):([1-9]\d{0,14})$/.exec(text);
  if (match?.[1] !== list) throw new InvalidCursorError();
  return Number(match[2]);
}

/** Heads of sessions, in characters of JSON, with which a page of them ends: heads can be large. */
const PAGE_CHARACTERS = 4_000_000;

/** How many of these rows, given by their sizes, a page shows: at most `limit`, and at least one. */
export function fittingRows(rows: Iterable<{ size: number }>, limit: number): number {
  let fitting = 0;
  let characters = 0;
  for (const { size } of rows) {
    characters += size;
    if (fitting === limit || (fitting > 0 && characters > PAGE_CHARACTERS)) break;
    fitting += 1;
  }
  return fitting;
}

/** What is shown of a list, and where it goes on when there is more: at the position of the last. */
export function pageOf<T>(
  list: CursorList,
  data: T[],
  position: (row: T) => number,
  hasMore: boolean,
): Page<T> {
  const last = data.at(-1);
  const next = hasMore && last !== undefined ? encodeCursor(list, position(last)) : null;
  return { data, next_cursor: next };
}

/** A page of compactions from one row more than asked for. */
export function compactionPage(rows: CompactionRow[], limit: number): Page<CompactionRow> {
  const shown = rows.slice(0, limit);
  return pageOf('compactions', shown, (row) => row.requested_version, rows.length > limit);
}
