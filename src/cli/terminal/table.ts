import { columnsOf, cut, pad, padStart, widest } from './columns.ts';
import type { Screen } from './screen.ts';

type Column = { title: string; isFigure?: boolean; most?: number };

const GAP = '  ';

/**
 * A table with its titles. The last column gets the room that is left and is cut to it; the others are as
 * wide as they have to be, at most `most`. A first cell that is wider stands in a line of its own, whole:
 * it is what is copied. `notes`: what stands below each row, in a line of its own; '' for nothing.
 */
export function* table(
  screen: Screen,
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  notes: readonly string[] = [],
): Generator<string> {
  const widths = columns.map(({ title, most = Number.POSITIVE_INFINITY }, index) => {
    const cells = rows.map((row) => row[index] ?? '').filter((cell) => columnsOf(cell) <= most);
    return widest([title, ...cells]);
  });
  const line = (cells: readonly string[]) =>
    cut(
      columns
        .map(({ isFigure }, index) => {
          const [cell = '', width = 0] = [cells[index], widths[index]];
          if (index === columns.length - 1 && !isFigure) return cell;
          return isFigure ? padStart(cell, width) : pad(cell, width);
        })
        .join(GAP)
        .trimEnd(),
      screen.columns,
    );
  yield screen.style('faint', line(columns.map(({ title }) => title)));
  for (const [place, row] of rows.entries()) {
    const [first = '', ...rest] = row;
    if (columnsOf(first) <= (widths[0] ?? 0)) yield line(row);
    else {
      yield first;
      yield line(['', ...rest]);
    }
    const note = notes[place] ?? '';
    if (note !== '') yield screen.style('faint', cut(`  ${note}`, screen.columns));
  }
}
