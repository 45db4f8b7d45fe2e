import { type Figures, MEASURES, type Measure } from './figures.ts';
import type { Run, SessionFigures, Text } from './measure-session.ts';
import { BASELINES, type Baseline, type DigestFigures, type Digests } from './measures/digests.ts';
import type { Score } from './words.ts';

/** Rows of cells as lines, columns as wide as their widest cell; the first column to the left. */
export function lines(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return column === 0 ? cell.padEnd(width) : cell.padStart(width);
      })
      .join('  ')
      .trimEnd(),
  );
}

/** The mean of the shares of those runs that have anything to count; each session counts the same. */
function meanShare(
  runs: readonly Run[],
  text: Text,
  measure: Measure,
): { share: number; sessions: number } | null {
  const shares = runs.flatMap((run) => {
    const score = run.figures[text]?.[measure];
    return score === undefined || score.of === 0 ? [] : [score.found / score.of];
  });
  if (shares.length === 0) return null;
  return {
    share: shares.reduce((sum, one) => sum + one, 0) / shares.length,
    sessions: shares.length,
  };
}

const TITLES: Record<Measure, string> = {
  requests: 'requests',
  requests_by_words: '  by 0.8 of their words',
  in_order: '  in order',
  changes: 'changes',
  constraints: 'constraints',
  statements: 'statements',
  statements_by_search: '  by one search',
  needed_later: 'needed later',
  without_index: '  without the index of names',
  next_action: 'next action, first five',
  next_in_summary: '  in what was written anew',
  next_from_end: '  counted from the end',
  open_request: 'open request',
  errors_told: 'errors, told',
  errors_with_cure: 'errors, with their cure',
  needles: 'needles',
  needles_first_half: '  of the first half',
  needles_second_half: '  of the second half',
  needles_by_search: '  by one search',
};

/** What each text is called in the table. */
const COLUMNS: Record<Text, string> = {
  ours: 'ours',
  tail: 'tail',
  names: 'names',
  openings: '60 chars',
  recorded: 'recorded',
};

/** One row for each measure; for each number of compactions ours, and what is put beside it. */
export function measureTable(
  groups: readonly { title: string; runs: readonly Run[]; texts: readonly Text[] }[],
): string[] {
  const heading = [
    '',
    ...groups.flatMap(({ title, texts }) => texts.map((text) => `${COLUMNS[text]} ${title}`)),
    'n',
  ];
  const rows = MEASURES.map((measure) => [
    TITLES[measure],
    ...groups.flatMap(({ runs, texts }) => texts.map((text) => cell(runs, text, measure))),
    String(Math.max(...groups.map(({ runs }) => meanShare(runs, 'ours', measure)?.sessions ?? 0))),
  ]);
  const untrue = groups.flatMap(({ runs, texts }) => texts.map((text) => untrueCell(runs, text)));
  return lines([heading, ...rows, ['untrue, statements a context', ...untrue]]);
}

function untrueCell(runs: readonly Run[], text: Text): string {
  const counts = runs.flatMap(({ untrue }) => untrue[text]?.untrue.length ?? []);
  if (counts.length === 0) return '–';
  return (counts.reduce((sum, one) => sum + one, 0) / counts.length).toFixed(1);
}

/** Ours after the most compactions for every kind of session, one column each. */
export function kindTable(
  sessions: readonly SessionFigures[],
  compactions: readonly number[],
): string[] {
  const kinds = [...new Set(sessions.map(({ kind }) => kind))];
  const runsOf = (kind: string, count: number) =>
    runsAfter(
      sessions.filter((one) => one.kind === kind),
      count,
    );
  const heading = [
    '',
    ...kinds.map((kind) => `${kind} (${sessions.filter((one) => one.kind === kind).length})`),
  ];
  const rows = MEASURES.map((measure) => [
    TITLES[measure],
    ...kinds.map((kind) =>
      compactions.map((count) => cell(runsOf(kind, count), 'ours', measure)).join(' '),
    ),
  ]);
  return lines([heading, ...rows]);
}

/** What is left of cleared results, beside cuts of the same size and cuts of a quarter. */
export function digestTable(digests: Digests): string[] {
  const { original_tokens: all, ours, equal, quarter, quoted } = digests;
  const row = (title: string, figures: DigestFigures) => [
    title,
    (figures.tokens / Math.max(1, all)).toFixed(3),
    shareOf(figures.needed),
    shareOf(figures.error_lines),
  ];
  const table = lines([
    ['', 'tokens', 'names needed later', 'error lines'],
    row('ours', ours),
    ...BASELINES.map((name) => row(`${CUT_TITLES[name]}, as long`, equal[name])),
    ...BASELINES.map((name) => row(`${CUT_TITLES[name]}, a quarter`, quarter[name])),
  ]);
  const left = `${digests.results} results of ${all} tokens; ${digests.kept} others were left as they were.`;
  return [
    ...table,
    '',
    `${left} Quoted lines that stand in the original: ${quoted.found} of ${quoted.of}.`,
  ];
}

const CUT_TITLES: Record<Baseline, string> = {
  head_tail: 'head and tail',
  names: 'list of names',
  greedy: 'lines by new names',
};

function shareOf({ found, of }: Score): string {
  return of === 0 ? '–' : (found / of).toFixed(2);
}

/** The runs of all sessions after so many compactions. */
export function runsAfter(sessions: readonly SessionFigures[], count: number): Run[] {
  return sessions.flatMap(({ runs }) => runs.filter(({ compactions }) => compactions === count));
}

function cell(runs: readonly Run[], text: Text, measure: Measure): string {
  const mean = meanShare(runs, text, measure);
  return mean === null ? '–' : mean.share.toFixed(2);
}

/** All figures of one run, for looking at a single session. */
export function sessionLine(session: SessionFigures, run: Run): string[] {
  const figures: Figures | undefined = run.figures.ours;
  return [
    session.name,
    String(run.compactions),
    String(run.covered_tokens),
    String(run.tokens.ours ?? 0),
    ...MEASURES.map((measure) => {
      const score = figures?.[measure];
      return score === undefined || score.of === 0 ? '–' : `${score.found}/${score.of}`;
    }),
  ];
}
