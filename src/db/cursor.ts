import type { CompactionRow, SessionPage } from '../app/ports/event-store.ts';
import { InvalidCursorError } from '../app/ports/invalid-cursor-error.ts';

export type CursorList = 'sessions' | 'compactions';

/** Rows of a list, and where it goes on; null: it ends here. */
export type Page<T> = { data: T[]; next_cursor: string | null };

/** An opaque cursor: the list that it belongs to, and the position of the last row that was given. */
export function encodeCursor(list: CursorList, position: number): string {
  return Buffer.from(`${list}:${position}`).toString('base64url');
}

/** The position that a cursor of this list names. Throws `InvalidCursorError`. */
export function decodeCursor(list: CursorList, cursor: string): number {
  const text = Buffer.from(cursor, 'base64url').toString();
  const match = /^([a-z]+):([1-9]\d{0,14})$/.exec(text);
  if (match?.[1] !== list) throw new InvalidCursorError();
  return Number(match[2]);
}

/** Heads of sessions, in characters of JSON, with which a page of them ends: heads can be large. */
const PAGE_CHARACTERS = 4_000_000;

/** How many of these rows, given by their sizes, a page shows: at most `limit`, and at least one. */
export function fittingRows(sizes: Iterable<number>, limit: number): number {
  let fitting = 0;
  let characters = 0;
  for (const size of sizes) {
    characters += size;
    if (fitting === limit || (fitting > 0 && characters > PAGE_CHARACTERS)) break;
    fitting += 1;
  }
  return fitting;
}

/** One page out of rows with one too many, which only says that there is a next page. */
function cutPage<Row, T>(
  rows: Row[],
  page: { list: CursorList; limit: number; position: (row: Row) => number; value: (row: Row) => T },
): Page<T> {
  const shown = rows.slice(0, page.limit);
  const last = shown.at(-1);
  const hasMore = rows.length > page.limit && last !== undefined;
  return {
    data: shown.map(page.value),
    next_cursor: hasMore ? encodeCursor(page.list, page.position(last)) : null,
  };
}

/** Sessions of a list as read, and whether there are more after them. */
export type ListedSessions = {
  rows: (SessionPage & { created_order: number })[];
  has_more: boolean;
};

/** A page of `GET /sessions`. */
export function sessionPage({ rows, has_more }: ListedSessions): Page<SessionPage> {
  const last = rows.at(-1);
  return {
    data: rows.map(({ ref, head }) => ({ ref, head })),
    next_cursor: has_more && last ? encodeCursor('sessions', last.created_order) : null,
  };
}

/** A page of compactions from one row more than asked for. */
export function compactionPage(rows: CompactionRow[], limit: number): Page<CompactionRow> {
  return cutPage(rows, {
    list: 'compactions',
    limit,
    position: (row) => row.requested_version,
    value: (row) => row,
  });
}
