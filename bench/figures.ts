/**
 * One line of the result: what was measured, ours and the bare baseline of the same run in `unit`.
 * `target` is the ratio to keep; `at_least` for rates, `at_most` for times.
 */
export type Figure = {
  what: string;
  unit: string;
  ours: number;
  baseline: { what: string; value: number };
  target?: { at_least: number } | { at_most: number };
};

export function ratioOf({ ours, baseline }: Figure): number {
  return ours / baseline.value;
}

/** Figures without a target are only reported. */
export function isMet(figure: Figure): boolean {
  const { target } = figure;
  if (target === undefined) return true;
  const ratio = ratioOf(figure);
  return 'at_least' in target ? ratio >= target.at_least : ratio <= target.at_most;
}

export function printFigures(figures: readonly Figure[]): void {
  const lines = [
    ['what', 'ours', 'baseline', 'unit', 'ratio', 'target', 'baseline is'],
    ...figures.map((figure) => [
      figure.what,
      rounded(figure.ours),
      rounded(figure.baseline.value),
      figure.unit,
      ratioOf(figure).toFixed(2),
      targetText(figure),
      figure.baseline.what,
    ]),
  ];
  const widths = lines[0]?.map((_, column) =>
    Math.max(...lines.map((cells) => cells[column]?.length ?? 0)),
  );
  for (const cells of lines) {
    console.log(
      cells
        .map((cell, column) => cell.padEnd(widths?.[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  }
}

function targetText(figure: Figure): string {
  const { target } = figure;
  if (target === undefined) return '';
  const text = 'at_least' in target ? `>= ${target.at_least}` : `<= ${target.at_most}`;
  return isMet(figure) ? text : `${text} MISSED`;
}

function rounded(value: number): string {
  if (value >= 100) return String(Math.round(value));
  return value.toFixed(value >= 10 ? 1 : 3);
}
