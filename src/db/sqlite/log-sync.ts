import { type FileHandle, open } from 'node:fs/promises';
import { StoreUnavailableError } from '../../app/ports/store-unavailable-error.ts';
import type { Database } from './driver.ts';

/**
 * Syncs the write-ahead log of a database to the disk, in a thread of Node's pool. SQLite would do it
 * within its commit, and the thread that answers all requests would wait for the disk.
 */
export class LogSync {
  readonly #db: Database;
  #file: FileHandle | null = null;
  /** The newest sync; never rejects. */
  #newest: Promise<void> = Promise.resolve();
  /** One that has not begun yet. */
  #next: Promise<void> | null = null;
  /** The disk has refused a sync: what it was told before may be missing, whatever it says of later ones. */
  #isInDoubt = false;

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * Settles when all that was committed before the call is on the disk. Commits that come while one sync
   * is under way share the next. Rejects with StoreUnavailableError where the disk refuses it.
   */
  durable(): Promise<void> {
    if (this.#next !== null) return this.#next;
    // One that has begun may have been too early for the newest commit.
    const next = this.#newest.then(() => {
      this.#next = null;
      return this.#sync();
    });
    this.#next = next;
    this.#newest = next.catch(() => {});
    return next;
  }

  /** Ends when the last sync has. */
  async close(): Promise<void> {
    await this.#newest;
    await this.#file?.close();
  }

  async #sync(): Promise<void> {
    try {
      if (this.#isInDoubt) this.#writeAnew();
      // It is the same file for as long as a connection is open.
      this.#file ??= await open(`${pathOf(this.#db)}-wal`, 'r+');
      await this.#file.datasync();
    } catch (error) {
      this.#isInDoubt = true;
      throw new StoreUnavailableError('unknown', error);
    }
  }

  /** Out of the log into the database, which SQLite syncs itself. */
  #writeAnew(): void {
    const isHeld = this.#db.pragma('wal_checkpoint(TRUNCATE)', { simple: true }) !== 0;
    if (isHeld) throw new Error('another process reads the write-ahead log');
    this.#isInDoubt = false;
  }
}

/** As SQLite resolved it: the log lies beside the file, and not beside a link to it. */
function pathOf(db: Database): string {
  const name = "SELECT file FROM pragma_database_list WHERE name = 'main'";
  return db.prepare<[], string>(name).pluck().get() ?? db.name;
}
