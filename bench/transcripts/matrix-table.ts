import { PROFILES, type Profile } from '../../src/domain/policy/profiles.ts';
import { type CellResult, refusal, WINDOWS } from './matrix-cell.ts';

const HEADINGS = ['profile', 'window', 'files', 'contexts', 'compactions', 'wrong', 'refused'];
const WIDTHS = [13, 7, 5, 8, 11, 5, 7];
type Checked = Extract<CellResult, { kind: 'checked' }>;

/** One line per profile and window, then why the service refused some; rows with both summarisers. */
export function matrixLines(results: readonly CellResult[], files: number): string[] {
  const checked = results.filter((result) => result.kind === 'checked');
  const rows = PROFILES.flatMap((profile) =>
    WINDOWS.map((window) => rowOf(profile, window, checked, files)),
  );
  const total = ['all', '', countFiles(checked), ...sums(checked), refusedOf(rows)];
  const reasons = new Set(
    PROFILES.flatMap((profile) =>
      WINDOWS.flatMap((window) => {
        const reason = refusal(profile, window);
        return reason === null ? [] : [`refused, ${profile}: ${reason}`];
      }),
    ),
  );
  return [HEADINGS, ...rows, total].map(lineOf).concat('', ...reasons);
}

/** What is wrong in a cell, at most `shown` problems. */
export function problemLines({ cell, problems }: Checked, shown = 6): string[] {
  const { file, profile, window, summarizer } = cell;
  const hidden = problems.length - shown;
  return [
    `WRONG: ${file}, ${profile}, ${window}, ${summarizer}`,
    ...problems.slice(0, shown).map((problem) => `    ${problem}`),
    ...(hidden > 0 ? [`    … and ${hidden} more`] : []),
  ];
}

type Row = (string | number)[];

function rowOf(profile: Profile, window: number, checked: readonly Checked[], files: number): Row {
  const own = checked.filter(({ cell }) => cell.profile === profile && cell.window === window);
  const refused = refusal(profile, window) === null ? 0 : files;
  return [profile, window, countFiles(own), ...sums(own), refused];
}

function countFiles(checked: readonly Checked[]): number {
  return new Set(checked.map(({ cell }) => cell.file)).size;
}

function sums(checked: readonly Checked[]): [contexts: number, compactions: number, wrong: number] {
  return [
    checked.reduce((sum, { contexts }) => sum + contexts, 0),
    checked.reduce((sum, { compactions }) => sum + compactions, 0),
    checked.filter(({ problems }) => problems.length > 0).length,
  ];
}

function refusedOf(rows: readonly Row[]): number {
  return rows.reduce((sum, row) => sum + Number(row.at(-1)), 0);
}

function lineOf(cells: Row): string {
  return cells
    .map((cell, column) => {
      const width = WIDTHS[column] ?? 0;
      return typeof cell === 'number' ? String(cell).padStart(width) : cell.padEnd(width);
    })
    .join('  ')
    .trimEnd();
}
