/**
 * The tables that a backup has, in the order in which they are written back: those that others refer to
 * come first. The search index is not among them: it is made of these.
 */
export const BACKUP_TABLES = [
  'head_version',
  'sessions',
  'events',
  'compactions',
  'idempotency_keys',
  'gateway_keys',
  'archive_files',
] as const;
export type BackupTable = (typeof BACKUP_TABLES)[number];

export type Cell = string | number | null;

/** Some rows of one table, each with its cells in the order of the columns. */
export type TablePart = { table: BackupTable; columns: string[]; rows: Cell[][] };

/** A part ends with the row with which its texts reach so many characters. */
const PART_LENGTH = 500_000;

/** Rows as parts that are not larger than one row makes them. */
export function* partsOfRows(
  table: BackupTable,
  columns: string[],
  found: Iterable<Cell[]>,
): Generator<TablePart> {
  let rows: Cell[][] = [];
  let length = 0;
  for (const row of found) {
    rows.push(row);
    for (const cell of row) length += typeof cell === 'string' ? cell.length : 1;
    if (length < PART_LENGTH) continue;
    yield { table, columns, rows };
    rows = [];
    length = 0;
  }
  if (rows.length > 0) yield { table, columns, rows };
}

/** A store as it is at one moment, whoever writes to it meanwhile. */
export type StoreSnapshot = {
  /** How many migrations it has seen. */
  schemaVersion: number;
  parts: () => AsyncIterable<TablePart>;
  close: () => Promise<void>;
};

/** A store that is being filled: nobody sees it before `finish`. */
export type StoreDraft = {
  write: (part: TablePart) => Promise<void>;
  finish: () => Promise<void>;
  /** Leaves nothing behind. */
  abandon: () => Promise<void>;
};

/** A backup that cannot be made or restored; the message says why, and what to do. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

/** The columns of a part as SQL. Throws BackupError for one that the table does not have. */
export function columnList({ table, columns }: TablePart, known: ReadonlySet<string>): string {
  const unknown = columns.find((column) => !known.has(column));
  if (unknown !== undefined) {
    throw new BackupError(`the table ${table} of the backup has an unknown column "${unknown}"`);
  }
  return columns.map((column) => `"${column}"`).join(', ');
}
