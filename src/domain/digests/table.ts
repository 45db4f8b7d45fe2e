import { columnsOf } from './kind.ts';
import { type Asking, counted, type Outline, plainOutline } from './outline.ts';
import { textOf } from './source.ts';

/** How databases say after a table how many rows it has. */
const FOOT = /^\(?\d{1,12} rows?\b/;
const DIVIDER = /^[\s|+:=-]{3,400}$/;

/** A table: its columns and rows; the heading, the first row and the last, and how many there are. */
export function tableOutline({ source, start }: Asking): Outline {
  const lines = source.units.flatMap((unit, place) => {
    const text = place < start || unit.isPart ? '' : textOf(source, unit);
    return text.trim() === '' ? [] : [{ place, text }];
  });
  const shape = columnsOf(lines.slice(0, 200).map(({ text }) => text));
  const shown = lines.filter(({ text }) => !DIVIDER.test(text));
  const foot = FOOT.test(shown.at(-1)?.text ?? '') ? shown.at(-1) : undefined;
  const rows = foot === undefined ? shown : shown.slice(0, -1);
  const columns = shape?.columns ?? 1;
  const outline = plainOutline(
    `a table, ${counted(rows.length, 'row')}, ${counted(columns, 'column')} on most`,
  );
  const [heading, first] = rows;
  for (const row of [heading, first, rows.at(-1), foot]) if (row) outline.first.push(row.place);
  return outline;
}
