import { createHash, type Hash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { z } from 'zod';
import { jsonOf } from '../json-of.ts';
import { BACKUP_TABLES, BackupError, type StoreSnapshot, type TablePart } from './tables.ts';

/**
 * A backup is a gzip file of JSON lines: a header, parts of tables, and an end that has the SHA-256 of
 * all bytes before it and the number of rows. It says nothing of the kind of store that it was made of.
 */
const BACKUP_TYPE = 'palimpsest_backup';
const BACKUP_VERSION = 1;

const headerSchema = z.object({
  type: z.literal(BACKUP_TYPE),
  backup_version: z.int(),
  /** The release that wrote it. */
  release: z.string(),
  /** ISO 8601. */
  made_at: z.string(),
  schema_version: z.int().min(1),
  /** What compaction items are sealed with, where the store kept a secret for that. */
  secret: z.string().nullable(),
});
type BackupHeader = z.infer<typeof headerSchema>;

const partSchema = z.object({
  table: z.enum(BACKUP_TABLES),
  columns: z.array(z.string()).min(1),
  rows: z.array(z.array(z.union([z.string(), z.number(), z.null()]))),
});
const endSchema = z.object({ rows: z.int(), sha256: z.string() });

/** How many rows of what. */
export type Counted = { sessions: number; events: number };

/** Level 6 takes twice the time for a tenth less. */
const LEVEL = 3;
const OWNER_ONLY = 0o600;

/** Writes all of a snapshot into a new file that only its owner may read; it is on disk afterwards. */
export async function writeBackup(
  path: string,
  header: Omit<BackupHeader, 'type' | 'backup_version' | 'schema_version'>,
  snapshot: StoreSnapshot,
  signal: AbortSignal,
): Promise<Counted> {
  const counted: Counted = { sessions: 0, events: 0 };
  const first: BackupHeader = {
    type: BACKUP_TYPE,
    backup_version: BACKUP_VERSION,
    schema_version: snapshot.schemaVersion,
    ...header,
  };
  await pipeline(
    linesOf(first, snapshot, counted),
    createGzip({ level: LEVEL }),
    createWriteStream(path, { flags: 'wx', mode: OWNER_ONLY, flush: true }),
    { signal },
  );
  return counted;
}

async function* linesOf(header: BackupHeader, snapshot: StoreSnapshot, counted: Counted) {
  const hash = createHash('sha256');
  let rows = 0;
  yield hashed(hash, header);
  for await (const part of snapshot.parts()) {
    yield hashed(hash, part);
    rows += part.rows.length;
    count(counted, part);
  }
  yield lineOf({ rows, sha256: hash.digest('hex') });
}

function hashed(hash: Hash, value: unknown): string {
  const line = lineOf(value);
  hash.update(line);
  return line;
}

const lineOf = (value: unknown) => `${JSON.stringify(value)}\n`;

function count(counted: Counted, { table, rows }: TablePart): void {
  if (table === 'sessions' || table === 'events') counted[table] += rows.length;
}

/** A backup that is being read: its header, then its parts. */
export type OpenBackup = {
  header: BackupHeader;
  /** Throws BackupError at the end when the file is not what was written. */
  parts: () => AsyncGenerator<TablePart, Counted>;
  close: () => void;
};

/** Throws BackupError for a file that is no backup, or one of a newer release. */
export async function openBackup(path: string): Promise<OpenBackup> {
  const file = createReadStream(path);
  const unpacked = createGunzip();
  // What is wrong with the file is thrown where the unpacked is read.
  file.on('error', (error) => unpacked.destroy(error)).pipe(unpacked);
  const lines = linesIn(unpacked, path);
  const close = () => {
    file.destroy();
    unpacked.destroy();
  };
  try {
    const first = (await lines.next()).value ?? '';
    const header = headerOf(first, path);
    return { header, parts: () => partsOf(first, lines, path), close };
  } catch (error) {
    close();
    throw error;
  }
}

function headerOf(line: string, path: string): BackupHeader {
  const header = headerSchema.safeParse(jsonOf(line)).data;
  if (header === undefined) throw noBackup(path);
  if (header.backup_version !== BACKUP_VERSION) {
    throw new BackupError(
      `${path} is a backup of version ${header.backup_version}, this release reads ${BACKUP_VERSION}: ` +
        `restore it with release ${header.release} or a newer one`,
    );
  }
  return header;
}

async function* partsOf(
  first: string,
  lines: AsyncGenerator<string>,
  path: string,
): AsyncGenerator<TablePart, Counted> {
  const hash = createHash('sha256').update(`${first}\n`);
  const counted: Counted = { sessions: 0, events: 0 };
  let rows = 0;
  for await (const line of lines) {
    const json = jsonOf(line);
    const end = endSchema.safeParse(json).data;
    if (end !== undefined) {
      if (end.rows === rows && end.sha256 === hash.digest('hex')) return counted;
      throw damaged(path);
    }
    const part = partSchema.safeParse(json).data;
    if (part === undefined || part.rows.some((row) => row.length !== part.columns.length)) {
      throw damaged(path);
    }
    hash.update(`${line}\n`);
    rows += part.rows.length;
    count(counted, part);
    yield part;
  }
  throw new BackupError(`${path} is cut off: copy the whole file, or use another backup`);
}

const damaged = (path: string) =>
  new BackupError(
    `${path} is damaged: its content is not what was written. Use another copy, or another backup`,
  );

const noBackup = (path: string) =>
  new BackupError(
    `${path} is not a backup of Palimpsest: name a file that "palimpsest backup" has written`,
  );

/** Without their ends. Throws BackupError for what is no gzip file, or is cut off. */
async function* linesIn(stream: Readable, path: string): AsyncGenerator<string> {
  let isFirst = true;
  // Joined once: a line may come in thousands of pieces.
  let begun: string[] = [];
  try {
    for await (const piece of stream.setEncoding('utf8')) {
      const [end = '', ...lines] = String(piece).split('\n');
      begun.push(end);
      for (const next of lines) {
        isFirst = false;
        yield begun.join('');
        begun = [next];
      }
      if (isFirst && begun.length > MOST_PIECES_OF_HEADER) throw noBackup(path);
    }
  } catch (error) {
    throw asBackupError(error, path, isFirst);
  }
}

/** A header is shorter than one. */
const MOST_PIECES_OF_HEADER = 2;

function asBackupError(error: unknown, path: string, isFirst: boolean): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code === 'Z_BUF_ERROR') {
    return new BackupError(`${path} is cut off: copy the whole file, or use another backup`);
  }
  if (typeof code !== 'string' || !code.startsWith('Z_')) return error;
  return isFirst ? noBackup(path) : damaged(path);
}
