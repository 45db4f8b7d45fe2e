import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { recordedCompactions } from './retention/cases.ts';
import { meanShare, measureRetention, type Retention } from './retention/measure.ts';

/** The mean share below which this measurement fails. */
const GOAL = 0.85;

const beside = fileURLToPath(new URL('../../shared/data/claude-code', import.meta.url));
const folder = process.argv[2] ?? beside;

const WHAT_TO_NAME =
  'Name a folder with sessions of Claude Code that were compacted (.jsonl files, plain or gzipped; ' +
  'its own lie in ~/.claude/projects): npm run retention -- PATH';

if (!existsSync(folder)) {
  console.error(`There is no folder ${folder}. ${WHAT_TO_NAME}`);
  process.exitCode = 2;
} else {
  const started = performance.now();
  const rows = recordedCompactions(folder).map(measureRetention);
  report(rows, started);
}

function report(rows: readonly Retention[], started: number): void {
  if (rows.length === 0) {
    console.error(`No transcript in ${folder} was compacted. ${WHAT_TO_NAME}`);
    process.exitCode = 2;
    return;
  }
  console.log(
    'Share of the names (files, identifiers) that the assistant wrote after a compaction and that\n' +
      'occurred before it, found in the summary text. Budget: tokens of the recorded summary + 1,000.\n',
  );
  console.table(Object.fromEntries([...rows.map(tableRow), meanRow(rows)]));
  console.log(`${rows.length} compactions in ${Math.round(performance.now() - started)} ms`);
  const mean = meanShare(rows, 'extractive');
  const isOver = rows.some((row) => row.extractive.tokens > row.max_tokens);
  if (isOver) console.error('A summary is over its budget.');
  if (mean < GOAL) console.error(`The mean is below ${GOAL}.`);
  if (isOver || mean < GOAL) process.exitCode = 1;
}

function tableRow(row: Retention): [string, Record<string, number>] {
  return [
    row.name,
    {
      names: row.names,
      extractive: rounded(row.extractive.share),
      recorded: rounded(row.recorded.share),
      'tokens, extractive': row.extractive.tokens,
      'tokens, budget': row.max_tokens,
      'tokens, recorded': row.recorded.tokens,
    },
  ];
}

function meanRow(rows: readonly Retention[]): [string, Record<string, number>] {
  const mean = (of: (row: Retention) => number): number =>
    Math.round(rows.reduce((sum, row) => sum + of(row), 0) / rows.length);
  return [
    'mean',
    {
      names: mean((row) => row.names),
      extractive: rounded(meanShare(rows, 'extractive')),
      recorded: rounded(meanShare(rows, 'recorded')),
      'tokens, extractive': mean((row) => row.extractive.tokens),
      'tokens, budget': mean((row) => row.max_tokens),
      'tokens, recorded': mean((row) => row.recorded.tokens),
    },
  ];
}

function rounded(share: number): number {
  return Math.round(share * 1_000) / 1_000;
}
