import { rmSync } from 'node:fs';
import {
  BACKUP_TABLES,
  BackupError,
  type BackupTable,
  type Cell,
  columnList,
  partsOfRows,
  type StoreDraft,
  type StoreSnapshot,
  type TablePart,
} from '../backup/tables.ts';
import { unseenMigrations } from '../unseen-migrations.ts';
import { type Database, openSqlite } from './driver.ts';
import { migrate, schemaVersion } from './migrate.ts';

const BUSY_TIMEOUT_MS = 5_000;

/** What a store of every schema has: a backup without it would hold nothing, and say so as a success. */
const ALWAYS: readonly BackupTable[] = ['sessions', 'events'];

/**
 * The store in a file as it is now, whatever schema it has, in one read transaction: SQLite's own backup
 * would begin anew whenever another process writes. Throws SQLite's errors, BackupError for another file,
 * and for a newer schema.
 */
export function openSqliteSnapshot(path: string): StoreSnapshot {
  const db = openSqlite(path, { fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
  try {
    db.exec('BEGIN');
    const version = schemaVersion(db);
    unseenMigrations('sqlite', path, version);
    const tables = BACKUP_TABLES.filter((table) => columnsOf(db, table).size > 0);
    if (version === 0) throw new BackupError('the file holds no store of Palimpsest');
    const lost = ALWAYS.find((table) => !tables.includes(table));
    if (lost !== undefined)
      throw new BackupError(`the store is damaged: it has no table "${lost}"`);
    let reading: Generator<TablePart> | null = null;
    return {
      schemaVersion: version,
      parts: async function* () {
        for (const table of tables) {
          reading = partsOf(db, table);
          yield* reading;
        }
      },
      close: async () => {
        // SQLite closes nothing that is being read, which who could not write all of it has left.
        reading?.return(undefined);
        db.close();
      },
    };
  } catch (error) {
    db.close();
    throw error;
  }
}

function* partsOf(db: Database, table: BackupTable): Generator<TablePart> {
  const statement = db.prepare<[], Cell[]>(`SELECT * FROM ${table}`).raw();
  const columns = statement.columns().map(({ name }) => name);
  yield* partsOfRows(table, columns, statement.iterate());
}

/**
 * A new file with the schema that the rows are of; whoever opens it brings it to the newest one. Nothing is
 * safe before the file is closed: it is written without a journal.
 */
export function openSqliteDraft(path: string, version: number): StoreDraft {
  const db = openSqlite(path, { timeout: BUSY_TIMEOUT_MS });
  const abandon = async () => {
    db.close();
    rmSync(path, { force: true });
  };
  db.pragma('journal_mode = OFF');
  db.pragma('synchronous = OFF');
  migrate(db, version);
  const known = new Map(BACKUP_TABLES.map((table) => [table, columnsOf(db, table)]));
  db.exec('BEGIN');
  // The first schema has none; others come with a row of their own.
  if (known.get('head_version')?.size) db.exec('DELETE FROM head_version');
  return {
    write: async (part) => {
      const columns = columnList(part, known.get(part.table) ?? new Set());
      const places = part.columns.map(() => '?').join(', ');
      const insert = db.prepare(`INSERT INTO ${part.table} (${columns}) VALUES (${places})`);
      for (const row of part.rows) insert.run(...row);
    },
    finish: async () => {
      db.exec('COMMIT');
      db.close();
    },
    abandon,
  };
}

function columnsOf(db: Database, table: BackupTable): Set<string> {
  const names = db.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck();
  return new Set(names.all(table));
}
