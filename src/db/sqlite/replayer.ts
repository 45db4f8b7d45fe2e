import { setImmediate as nextTurn } from 'node:timers/promises';
import type { VerifyReport } from '../../app/ports/event-store.ts';
import { Replay } from '../replay.ts';
import { sessionKey } from '../session-key.ts';
import type { Database, Statement } from './driver.ts';
import type { GroupWriter, Tables } from './group-writer.ts';
import { parseHead } from './session-rows.ts';
import { isDamage } from './store-error.ts';

type SessionTextRow = {
  created_order: number;
  tenant: string;
  session_id: string;
  version: number;
  hash: string;
  state: string;
  settings: string;
  wake_at_ms: number | null;
};
type Orphans = { tenant: string; session_id: string; table: string; count: number };
type Replayed = { row: SessionTextRow; replay: Replay; events: number };

/**
 * Recomputes every session from its events, to compare with what is stored (`verify`) or to replace
 * it (`rebuild`). One session per transaction and turn of the event loop; events are streamed.
 */
export class SqliteReplayer {
  readonly #db: Database;
  readonly #tables: Tables;
  readonly #writer: GroupWriter;
  readonly #nextSession: Statement<[after: number], SessionTextRow>;
  readonly #orphans: Statement<[], Orphans>;

  constructor(db: Database, tables: Tables, writer: GroupWriter) {
    this.#db = db;
    this.#tables = tables;
    this.#writer = writer;
    this.#nextSession = db.prepare(
      `SELECT created_order, tenant, session_id, version, hash, state, settings, wake_at_ms FROM sessions
       WHERE created_order > ? ORDER BY created_order LIMIT 1`,
    );
    this.#orphans = db.prepare(
      ['events', 'compactions', 'idempotency_keys'].map(orphansOf).join(' UNION ALL '),
    );
  }

  async verify(): Promise<VerifyReport> {
    const verifyNext = this.#db.transaction((after: number) => {
      const replayed = this.#replayNext(after);
      if (!replayed) return null;
      const { row, replay } = replayed;
      replay.compare({
        version: row.version,
        hash: row.hash,
        wake_at_ms: row.wake_at_ms,
        head: () => parseHead(row),
        compactions: this.#tables.compactions.list(row),
      });
      return replayed;
    });
    return this.#everySession(async (after) => verifyNext.deferred(after));
  }

  /**
   * Writes the heads and compactions of all sessions anew. A session whose log is damaged is left as
   * it is; the report says what was found.
   */
  async rebuild(): Promise<VerifyReport> {
    const rebuildNext = this.#db.transaction((after: number) => {
      const replayed = this.#replayNext(after);
      if (!replayed) return null;
      const { row, replay } = replayed;
      if (replay.isComplete && replay.head) {
        const { sessions, compactions } = this.#tables;
        const { created_order } = row;
        sessions.update({ created_order, head: replay.head, hash: replay.hash }, true);
        compactions.deleteAll(row);
        for (const compaction of replay.compactions.values()) compactions.put(row, compaction);
        sessions.forget(sessionKey(row));
      }
      return replayed;
    });
    return this.#everySession((after) => this.#writer.alone(() => rebuildNext.immediate(after)));
  }

  async #everySession(next: (after: number) => Promise<Replayed | null>): Promise<VerifyReport> {
    const report: VerifyReport = { sessions: 0, events: 0, problems: [] };
    const step = (after: number) => this.#step(next, after);
    for (
      let replayed = await step(0);
      replayed;
      replayed = await step(replayed.row.created_order)
    ) {
      report.sessions += 1;
      report.events += replayed.events;
      report.problems.push(...replayed.replay.problems);
      await nextTurn();
    }
    try {
      for (const { tenant, session_id, table, count } of this.#orphans.all()) {
        report.problems.push(
          `Session "${session_id}" of tenant "${tenant}": it does not exist, but ${table} has ${count} ` +
            'row(s) for it.',
        );
      }
    } catch (error) {
      if (!isDamage(error)) throw error;
      report.problems.push(
        'Rows of sessions that do not exist could not be looked for: a part of the file is damaged.',
      );
    }
    return report;
  }

  /** SQLite ends no transaction that met a damaged page: what can be read is read without one. */
  async #step(
    next: (after: number) => Promise<Replayed | null>,
    after: number,
  ): Promise<Replayed | null> {
    try {
      return await next(after);
    } catch (error) {
      if (!isDamage(error)) throw error;
      return this.#replayNext(after);
    }
  }

  #replayNext(after: number): Replayed | null {
    const row = this.#nextSession.get(after);
    if (!row) return null;
    const replay = new Replay(row);
    let events = 0;
    try {
      for (const event of this.#tables.events.iterate(row)) {
        replay.add(event);
        events += 1;
      }
    } catch (error) {
      // The other sessions can still be read.
      if (!isDamage(error)) throw error;
      replay.cannotBeRead(error);
    }
    return { row, replay, events };
  }
}

function orphansOf(table: string): string {
  return `SELECT tenant, session_id, '${table}' AS "table", count(*) AS count FROM ${table} AS t
    WHERE NOT EXISTS (
      SELECT 1 FROM sessions AS s WHERE s.tenant = t.tenant AND s.session_id = t.session_id
    ) GROUP BY tenant, session_id`;
}
