import type { FileCheck } from './check-file.ts';

const HEADINGS = [
  'file',
  'summariser',
  'sessions',
  'items',
  'lost',
  'tokens before',
  'after',
  'micro',
  'full',
  'skipped',
  'exceeded',
  'context',
  'verify',
  'ms',
] as const;

const NAME_WIDTH = 47;
const WIDTHS = HEADINGS.map((heading) =>
  heading === 'file' ? NAME_WIDTH : Math.max(heading.length, 7),
);

/** The first line of the table. */
export function headingLine(): string {
  return lineOf(HEADINGS);
}

/** One row, and below it what is wrong with it. */
export function rowLines(check: FileCheck, problemsShown = 8): string[] {
  const row = lineOf([
    check.file,
    check.summarizer,
    check.sessions,
    check.items,
    check.lost_items,
    check.tokens_before,
    check.tokens_after,
    check.micro,
    check.full,
    check.skipped,
    check.exceeded,
    check.broken_rules.length === 0 ? 'valid' : 'BROKEN',
    check.verify,
    check.milliseconds,
  ]);
  const hidden = check.problems.length - problemsShown;
  return [
    row,
    ...check.problems.slice(0, problemsShown).map((problem) => `    WRONG: ${problem}`),
    ...(hidden > 0 ? [`    … and ${hidden} more`] : []),
  ];
}

function lineOf(cells: readonly (string | number)[]): string {
  return cells
    .map((cell, column) => {
      const width = WIDTHS[column] ?? 0;
      return typeof cell === 'number' ? String(cell).padStart(width) : cell.padEnd(width);
    })
    .join('  ')
    .trimEnd();
}
