import type { Format } from '../domain/items/codecs.ts';
import type { Item } from '../domain/items/item.ts';
import { itemText } from './item-text.ts';
import { quantity } from './quantity.ts';
import { cut, pad, padStart, widest } from './terminal/columns.ts';
import { plainLine } from './terminal/plain-text.ts';
import type { Screen } from './terminal/screen.ts';

/** An item, its number in the log, if it has one, and where it comes from. */
type ItemRow = { seq: number | null; from: string; item: Item };

const INDENT = 2;

/**
 * Items in a line each, with titles (`from`: another one for where they come from): at most so many,
 * from both ends. Texts are cut to the width of the
 * screen; `palimpsest show ID SEQ` prints all of one.
 */
export function* itemRows(
  screen: Screen,
  { format, limit, from: title = 'FROM' }: { format: Format; limit: number; from?: string },
  rows: readonly ItemRow[],
  style: (line: string) => string,
): Generator<string> {
  const cells = [...bothEnds(rows, limit)].map((row) => {
    if (typeof row === 'number') return row;
    const { who, said } = itemText(format, row.item);
    const text = said.map((one) => plainLine(one, 4 * screen.columns)).join(' ');
    return [row.seq === null ? '-' : String(row.seq), row.from, who, text] as const;
  });
  const titles = ['SEQ', title, 'WHO', 'TEXT'] as const;
  const shown = [titles, ...cells.filter((row) => typeof row !== 'number')];
  const [seqs, froms, whos] = [0, 1, 2].map((column) =>
    widest(shown.map((row) => row[column] ?? '')),
  );
  const line = ([seq, from, who, text]: readonly [string, string, string, string]) => {
    const start = ' '.repeat(INDENT) + padStart(seq, seqs ?? 0);
    return cut(
      `${start}  ${pad(from, froms ?? 0)}  ${pad(who, whos ?? 0)}  ${text}`,
      screen.columns,
    );
  };
  yield screen.style('faint', line(titles));
  for (const row of cells) {
    yield typeof row === 'number'
      ? screen.style('faint', between(row, rows.length))
      : style(line(row));
  }
}

/** The first and the last of many, with the number of those between. */
export function* bothEnds<T>(all: readonly T[], most: number): Generator<T | number> {
  if (all.length <= most) return yield* all;
  const head = Math.ceil(most / 2);
  const tail = most - head;
  yield* all.slice(0, head);
  yield all.length - most;
  yield* all.slice(all.length - tail);
}

/** The line for what is left out of a list. */
export function between(left: number, all: number): string {
  return `${' '.repeat(INDENT)}… ${quantity(left, 'line')} more: --limit ${all}`;
}
