import type { Entry } from '../peers/catalogue.ts';

type StoreResult = {
  append_ms: number;
  bytes_per_append: number;
  json_per_append: number;
  read_ms: number;
  peak_bytes: number;
};

type CompactionResult = {
  milliseconds: number;
  messages_before: number;
  messages_after: number;
  tokens_after: number;
  unpaired_before: number;
  unpaired: number;
  peak_bytes: number;
};

export const STORE_HEADING = [
  'store',
  'version',
  'append at 100 (ms)',
  'at 10,000 (ms)',
  'disk for its JSON at 100',
  'at 10,000',
  'read 10,000 (ms)',
  'memory (MB)',
];

export const COMPACTION_HEADING = [
  'compaction',
  'version',
  'ms',
  'messages',
  'tokens left',
  'unpaired before',
  'after',
  'memory (MB)',
];

export function storeRow(
  { name }: Entry,
  version: string,
  short: StoreResult,
  long: StoreResult,
): string[] {
  return [
    name,
    version,
    short.append_ms.toFixed(2),
    long.append_ms.toFixed(2),
    timesItsJson(short),
    timesItsJson(long),
    long.read_ms.toFixed(0),
    megabytes(long.peak_bytes),
  ];
}

export function compactionRow(
  { name }: Entry,
  version: string,
  result: CompactionResult,
): string[] {
  return [
    name,
    version,
    result.milliseconds.toFixed(1),
    `${result.messages_before} → ${result.messages_after}`,
    result.tokens_after.toLocaleString('en'),
    String(result.unpaired_before),
    String(result.unpaired),
    megabytes(result.peak_bytes),
  ];
}

/** As Markdown, for docs/benchmarks.md. */
export function printTable(heading: readonly string[], rows: readonly string[][]): void {
  if (rows.length === 0) return;
  console.log();
  for (const cells of [heading, heading.map(() => '---'), ...rows]) {
    console.log(`| ${cells.join(' | ')} |`);
  }
}

function timesItsJson({ bytes_per_append, json_per_append }: StoreResult): string {
  const times = bytes_per_append / json_per_append;
  return `${times < 10 ? times.toFixed(1) : Math.round(times).toLocaleString('en')} ×`;
}

function megabytes(value: number): string {
  return (value / 1_000_000).toFixed(0);
}
