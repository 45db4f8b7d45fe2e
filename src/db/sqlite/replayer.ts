import { setImmediate as nextTurn } from 'node:timers/promises';
import type { VerifyReport } from '../../app/ports/event-store.ts';
import { sessionKey } from '../../app/session-key.ts';
import { LedgerCheck } from '../../domain/context/ledger-check.ts';
import { Replay } from '../replay.ts';
import { type SessionRow, wholeWrite } from '../session-row.ts';
import { ORPHANS, type Orphans, reportOf } from '../verify-report.ts';
import type { Database, Statement } from './driver.ts';
import type { GroupWriter } from './group-writer.ts';
import { isDamage } from './store-error.ts';
import { type Tables, writeSession } from './write-session.ts';

type Replayed = { row: SessionRow; replay: Replay };

/**
 * Recomputes every session from its events, to compare with what is stored (`verify`) or to replace
 * it (`rebuild`). One session per transaction and turn of the event loop; events are streamed.
 */
export class SqliteReplayer {
  readonly #db: Database;
  readonly #tables: Tables;
  readonly #writer: GroupWriter;
  readonly #nextSession: Statement<[after: number], SessionRow>;
  readonly #orphans: Statement<[], Orphans>;

  constructor(db: Database, tables: Tables, writer: GroupWriter) {
    this.#db = db;
    this.#tables = tables;
    this.#writer = writer;
    this.#nextSession = db.prepare(
      'SELECT * FROM sessions WHERE created_order > ? ORDER BY created_order LIMIT 1',
    );
    this.#orphans = db.prepare(ORPHANS);
  }

  async verify(until?: number): Promise<VerifyReport> {
    const verifyNext = this.#db.transaction((after: number) => {
      const replayed = this.#replayNext(after);
      if (replayed !== null) {
        const { row, replay } = replayed;
        replay.compare(row, this.#tables.compactions.list(row, Number.MAX_SAFE_INTEGER));
      }
      return replayed;
    });
    return this.#everySession(async (after) => verifyNext.deferred(after), until);
  }

  /**
   * Writes the heads and compactions of all sessions anew. A session whose log is damaged is left as
   * it is; the report says what was found.
   */
  async rebuild(): Promise<VerifyReport> {
    const rebuildNext = this.#db.transaction((after: number) => {
      const replayed = this.#replayNext(after);
      const projections = replayed?.replay.projections;
      if (replayed && projections) {
        this.#tables.compactions.deleteAll(replayed.row);
        writeSession(this.#tables, replayed.row, wholeWrite({ ...projections, rows: [] }, false));
        this.#tables.sessions.forget(sessionKey(replayed.row));
      }
      return replayed;
    });
    return this.#everySession((after) => this.#writer.alone(() => rebuildNext.immediate(after)));
  }

  async #everySession(
    next: (after: number) => Promise<Replayed | null>,
    until?: number,
  ): Promise<VerifyReport> {
    const findOrphans = () => {
      try {
        return this.#orphans.all();
      } catch (error) {
        if (!isDamage(error)) throw error;
        return 'Rows of sessions that do not exist could not be looked for: a part of the file is damaged.';
      }
    };
    return reportOf(this.#replays(next), findOrphans, until);
  }

  /** SQLite ends no transaction that met a damaged page: what can be read is read without one. */
  async *#replays(next: (after: number) => Promise<Replayed | null>): AsyncGenerator<Replay> {
    for (let after = 0; ; ) {
      const replayed = await next(after).catch((error) => {
        if (!isDamage(error)) throw error;
        return this.#replayNext(after);
      });
      if (replayed === null) return;
      yield replayed.replay;
      after = replayed.row.created_order;
      await nextTurn();
    }
  }

  #replayNext(after: number): Replayed | null {
    const row = this.#nextSession.get(after);
    if (!row) return null;
    const replay = new Replay(row, new LedgerCheck());
    try {
      for (const event of this.#tables.events.iterate(row)) replay.add(event);
    } catch (error) {
      // The other sessions can still be read.
      if (!isDamage(error)) throw error;
      replay.cannotBeRead(error);
    }
    return { row, replay };
  }
}
