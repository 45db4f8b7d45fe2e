import stringWidth from 'string-width';

const SIGNS = new Intl.Segmenter();
/** A sign is at most so many units of a string here; longer ones are heaps of accents. */
const UNITS_PER_COLUMN = 8;

/** The text cut to so many columns, with `…` where something is missing. One line, without controls. */
export function cut(text: string, columns: number): string {
  const looked = text.slice(0, UNITS_PER_COLUMN * (columns + 1));
  if (looked.length === text.length && stringWidth(text) <= columns) return text;
  let kept = '';
  let room = columns - 1;
  for (const { segment } of SIGNS.segment(looked)) {
    room -= stringWidth(segment);
    if (room < 0) break;
    kept += segment;
  }
  return columns < 1 ? '' : `${kept}…`;
}

/** The text in exactly so many columns. */
export function pad(text: string, columns: number): string {
  const fitting = cut(text, columns);
  return fitting + ' '.repeat(columns - stringWidth(fitting));
}

/** The same with the blanks in front, for figures. */
export function padStart(text: string, columns: number): string {
  const fitting = cut(text, columns);
  return ' '.repeat(columns - stringWidth(fitting)) + fitting;
}

/** How many columns a text takes. */
export function columnsOf(text: string): number {
  return stringWidth(text);
}

/** How many columns the widest of the texts takes. */
export function widest(texts: Iterable<string>): number {
  let most = 0;
  for (const text of texts) most = Math.max(most, stringWidth(text));
  return most;
}
