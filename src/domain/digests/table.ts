import { columnsOf } from './kind.ts';
import { type Asking, counted, type Outline, plainOutline } from './outline.ts';
import { textOf } from './source.ts';

const DIVIDER = /^[\s|+:=-]{3,400}$/;

/** A table: its columns and rows; the heading, the first row and the last. */
export function tableOutline({ source, start }: Asking): Outline {
  const rows = source.units.flatMap((unit, place) => {
    const text = place < start || unit.isPart ? '' : textOf(source, unit);
    return text.trim() === '' || DIVIDER.test(text) ? [] : [{ place, text }];
  });
  const shape = columnsOf(rows.slice(0, 200).map(({ text }) => text));
  const columns = shape?.columns ?? 1;
  const outline = plainOutline(
    `a table, ${counted(rows.length, 'row')}, ${counted(columns, 'column')} on most`,
  );
  const [heading, first] = rows;
  for (const row of [heading, first, rows.at(-1)]) if (row) outline.first.push(row.place);
  return outline;
}
