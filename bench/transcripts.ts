import { Command, InvalidArgumentError } from 'commander';
import { TranscriptError } from '../src/importers/transcript.ts';
import { SUMMARIZERS, type SummarizerKind } from './local-service.ts';
import { checkFile } from './transcripts/check-file.ts';
import { DATA_FOLDER, dataFiles, isDataPresent } from './transcripts/data-files.ts';
import { checkMatrix } from './transcripts/matrix.ts';
import type { CellResult } from './transcripts/matrix-cell.ts';
import { matrixLines, problemLines } from './transcripts/matrix-table.ts';
import { headingLine, rowLines } from './transcripts/table.ts';

type Flags = { window?: number; modelOnly?: boolean; extractiveOnly?: boolean; all?: boolean };

const program = new Command('transcripts')
  .description('Imports every recorded transcript with a small window and checks what came of it.')
  .argument('[filters...]', 'only files whose path contains one of these')
  .option('--window <tokens>', 'the same context window for all conversations', positiveInteger)
  .option('--model-only', 'summaries by the scripted model only')
  .option('--extractive-only', 'summaries from the log only')
  .option(
    '--all',
    'every profile at 16,000, 32,000, 100,000 and 200,000 tokens, with more contexts',
  )
  .action((filters: string[], flags: Flags) => (flags.all ? runAll(filters) : run(filters, flags)));

await program.parseAsync();

async function runAll(filters: string[]): Promise<void> {
  if (isDataAbsent()) return;
  const started = performance.now();
  const files = dataFiles(filters);
  const results: CellResult[] = [];
  let wrong = 0;
  await checkMatrix(files, (result) => {
    results.push(result);
    if (result.kind !== 'checked' || result.problems.length === 0) return;
    wrong += 1;
    console.log(problemLines(result).join('\n'));
  });
  const others = new Map(
    results.flatMap((one) => (one.kind === 'checked' ? [] : [[one.cell.file, one.message]])),
  );
  console.log(matrixLines(results, files.length - others.size).join('\n'));
  if (others.size > 0) console.log(`\nNo transcripts:\n${[...others.values()].join('\n')}`);
  const seconds = Math.round((performance.now() - started) / 1_000);
  console.log(`\n${files.length} files, ${wrong} wrong, ${seconds} s`);
  if (wrong > 0 || files.length === 0) process.exitCode = 1;
}

async function run(filters: string[], flags: Flags): Promise<void> {
  if (isDataAbsent()) return;
  const started = performance.now();
  const files = dataFiles(filters);
  const summarizers = chosenSummarizers(flags);
  const others: string[] = [];
  let rows = 0;
  let wrong = 0;
  console.log(headingLine());
  for (const file of files) {
    for (const summarizer of summarizers) {
      const check = await withProgressLine(`${file} (${summarizer})`, (onProgress) =>
        checkFile(file, { summarizer, window: flags.window, onProgress }),
      ).catch(unknownFormat(file));
      if (check.kind === 'no_transcript') {
        others.push(check.message);
        break;
      }
      rows += 1;
      if (check.kind === 'unknown' || check.problems.length > 0) wrong += 1;
      console.log(
        check.kind === 'unknown' ? `${file}: ${check.message}` : rowLines(check).join('\n'),
      );
    }
  }
  if (others.length > 0) console.log(`\nNo transcripts:\n${others.join('\n')}`);
  const seconds = Math.round((performance.now() - started) / 1_000);
  console.log(`\n${files.length} files, ${rows} rows, ${wrong} wrong, ${seconds} s`);
  if (wrong > 0 || files.length === 0) process.exitCode = 1;
}

function isDataAbsent(): boolean {
  if (isDataPresent()) return false;
  console.error(`No transcripts at ${DATA_FOLDER}: nothing was checked.`);
  process.exitCode = 1;
  return true;
}

function chosenSummarizers(flags: Flags): readonly SummarizerKind[] {
  if (flags.modelOnly) return ['model'];
  if (flags.extractiveOnly) return ['extractive'];
  return SUMMARIZERS;
}

/** A file in an unknown format is named and counted as wrong; the others go on. */
function unknownFormat(file: string) {
  return (error: unknown): { kind: 'unknown'; message: string } => {
    if (!(error instanceof TranscriptError)) throw new Error(file, { cause: error });
    return { kind: 'unknown', message: error.message };
  };
}

/** One line that is overwritten while a file is imported, on a terminal only. */
async function withProgressLine<T>(
  name: string,
  work: (onProgress: (done: number, total: number) => void) => Promise<T>,
): Promise<T> {
  if (!process.stderr.isTTY) return work(() => {});
  try {
    return await work((done, total) => {
      process.stderr.write(`\r\x1b[K${name}: ${done} of ${total} items`);
    });
  } finally {
    process.stderr.write('\r\x1b[K');
  }
}

function positiveInteger(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value <= 0) {
    throw new InvalidArgumentError('a positive whole number of tokens is expected');
  }
  return value;
}
