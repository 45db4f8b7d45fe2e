import { createHash } from 'node:crypto';
import { openSqlite } from '../src/db/sqlite/driver.ts';
import { timed } from './statistics.ts';

/** Reads a store's events with nothing but SQLite and JSON: what no replay can be faster than. */
export class BareLog {
  readonly #db;

  constructor(databasePath: string) {
    this.#db = openSqlite(databasePath, { readonly: true });
  }

  /** The tenant that a session belongs to. */
  tenantOf(sessionId: string): string {
    const tenant: unknown = this.#db
      .prepare('SELECT tenant FROM sessions WHERE session_id = ?')
      .pluck()
      .get(sessionId);
    if (typeof tenant !== 'string') throw new Error(`there is no session ${sessionId}`);
    return tenant;
  }

  countAll(): number {
    return Number(this.#db.prepare('SELECT count(*) FROM events').pluck().get());
  }

  /** Milliseconds to read and parse one session's events. */
  parseSession(sessionId: string): Promise<number> {
    const rows = this.#db
      .prepare<[string], string>('SELECT data FROM events WHERE session_id = ? ORDER BY version')
      .pluck();
    return timed(async () => {
      for (const data of rows.iterate(sessionId)) JSON.parse(data);
    });
  }

  /** Milliseconds to read, parse and hash all events of the store. */
  parseAndHashAll(): Promise<number> {
    const rows = this.#db.prepare<[], string>('SELECT data FROM events').pluck();
    return timed(async () => {
      for (const data of rows.iterate()) {
        JSON.parse(data);
        createHash('sha256').update(data).digest('hex');
      }
    });
  }

  close(): void {
    this.#db.close();
  }
}
