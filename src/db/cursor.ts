import type { CompactionRow, SessionPage } from './event-store.ts';

/** A cursor that this list did not give out; the API answers 400. */
export class InvalidCursorError extends Error {
  override readonly name = 'InvalidCursorError';

  constructor() {
    super('The cursor is not one that this list gave out; start again without a cursor.');
  }
}

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

/**
 * One page out of rows that were read with `limit + 1`: the row too many only says that there is a
 * next page.
 */
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

/** A page of `GET /sessions` from one row more than asked for. */
export function sessionPage(
  rows: (SessionPage & { created_order: number })[],
  limit: number,
): Page<SessionPage> {
  return cutPage(rows, {
    list: 'sessions',
    limit,
    position: (row) => row.created_order,
    value: ({ ref, head }) => ({ ref, head }),
  });
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
