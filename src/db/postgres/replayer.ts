import type { Pool, PoolClient } from 'pg';
import type { SessionRef, VerifyReport } from '../../app/ports/event-store.ts';
import { Replay } from '../replay.ts';
import { deleteCompactions, listCompactions } from './compaction-rows.ts';
import { listEvents } from './event-rows.ts';
import { onConnection } from './open-pool.ts';
import { parseHead } from './session-rows.ts';
import { asStoreError } from './store-error.ts';
import { writeStatement } from './write-session.ts';

type SessionTextRow = SessionRef & {
  version: number;
  hash: string;
  state: string;
  settings: string;
  wake_at_ms: number | null;
};
type Orphans = SessionRef & { table: string; count: number };
type Replayed = { row: SessionTextRow; replay: Replay; events: number };

const SESSIONS_PER_PAGE = 500;
/** An event can be as large as a request. */
const EVENTS_PER_PAGE = 100;

/** Whole tables are read; a day is as good as for ever. */
const ORPHANS_TIMEOUT_MS = 24 * 3_600_000;

const READ_SESSION = `SELECT tenant, session_id, version, hash, state, settings, wake_at_ms
  FROM sessions
  WHERE created_order = $1`;

const ORPHANS = `SELECT tenant, session_id, "table", count FROM (
    ${['events', 'compactions', 'idempotency_keys'].map(orphansOf).join(' UNION ALL ')}
  ) AS orphans ORDER BY place, tenant, session_id`;

/**
 * Recomputes every session from its events, to compare with what is stored (`verify`) or to replace
 * it (`rebuild`). One session per transaction; events are read in pages.
 */
export class PostgresReplayer {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** Each session is read from one snapshot, so others may append meanwhile. */
  verify(): Promise<VerifyReport> {
    return this.#everySession(async (client, order) => {
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY');
      const replayed = await replaySession(client, READ_SESSION, order);
      if (replayed) {
        const { row, replay } = replayed;
        const compactions = await listCompactions(client, row);
        replay.compare({
          version: row.version,
          hash: row.hash,
          wake_at_ms: row.wake_at_ms,
          head: () => parseHead(row),
          compactions,
        });
      }
      return replayed;
    });
  }

  /** Each session is locked while it is read and written. */
  rebuild(): Promise<VerifyReport> {
    return this.#everySession(async (client, order) => {
      await client.query('BEGIN');
      const replayed = await replaySession(client, `${READ_SESSION} FOR UPDATE`, order);
      if (replayed) await rewrite(client, replayed.row, replayed.replay);
      return replayed;
    });
  }

  async #everySession(
    replayIn: (client: PoolClient, order: number) => Promise<Replayed | null>,
  ): Promise<VerifyReport> {
    const report: VerifyReport = { sessions: 0, events: 0, problems: [] };
    try {
      for await (const order of this.#orders()) {
        const replayed = await onConnection(this.#pool, async (client) => {
          const value = await replayIn(client, order);
          await client.query('COMMIT');
          return value;
        });
        // Erased since the page was read.
        if (!replayed) continue;
        report.sessions += 1;
        report.events += replayed.events;
        report.problems.push(...replayed.replay.problems);
      }
      report.problems.push(...(await this.#orphans()));
      return report;
    } catch (error) {
      throw asStoreError(error);
    }
  }

  /** The places of all sessions in the creation order. */
  async *#orders(): AsyncGenerator<number> {
    for (let after = 0; ; ) {
      const { rows } = await this.#pool.query<{ created_order: number }>(
        'SELECT created_order FROM sessions WHERE created_order > $1 ORDER BY created_order LIMIT $2',
        [after, SESSIONS_PER_PAGE],
      );
      for (const { created_order } of rows) yield created_order;
      const last = rows.at(-1);
      if (!last) return;
      after = last.created_order;
    }
  }

  async #orphans(): Promise<string[]> {
    const orphans = await onConnection(this.#pool, async (client) => {
      await client.query('BEGIN READ ONLY');
      await client.query('SET LOCAL statement_timeout = 0');
      const query = { text: ORPHANS, query_timeout: ORPHANS_TIMEOUT_MS };
      const { rows } = await client.query<Orphans>(query);
      await client.query('COMMIT');
      return rows;
    });
    return orphans.map(
      ({ tenant, session_id, table, count }) =>
        `Session "${session_id}" of tenant "${tenant}": it does not exist, but ${table} has ${count} ` +
        'row(s) for it.',
    );
  }
}

async function replaySession(
  client: PoolClient,
  select: string,
  order: number,
): Promise<Replayed | null> {
  const { rows } = await client.query<SessionTextRow>(select, [order]);
  const [row] = rows;
  if (!row) return null;
  const replay = new Replay(row);
  let events = 0;
  for (;;) {
    const page = await listEvents(client, row, { after: replay.version, limit: EVENTS_PER_PAGE });
    for (const event of page) replay.add(event);
    events += page.length;
    if (page.length < EVENTS_PER_PAGE) return { row, replay, events };
  }
}

/** Writes head and compactions as they were recomputed. */
async function rewrite(client: PoolClient, ref: SessionRef, replay: Replay): Promise<void> {
  const { head, hash, compactions } = replay;
  if (!replay.isComplete || head === null) return;
  await deleteCompactions(client, ref);
  const write = {
    isNew: false,
    withSettings: true,
    after: { head, hash },
    rows: [],
    kept: new Map(),
    compactions: [...compactions.values()],
  };
  await client.query(writeStatement(ref, write));
}

function orphansOf(table: string, place: number): string {
  return `SELECT ${place} AS place, tenant, session_id, '${table}' AS "table", count(*) AS count
    FROM ${table} AS t
    WHERE NOT EXISTS (
      SELECT 1 FROM sessions AS s WHERE s.tenant = t.tenant AND s.session_id = t.session_id
    ) GROUP BY tenant, session_id`;
}
