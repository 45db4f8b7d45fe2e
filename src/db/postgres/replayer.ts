import type { Pool, PoolClient } from 'pg';
import type { VerifyReport } from '../../app/ports/event-store.ts';
import { LedgerCheck } from '../../domain/context/ledger-check.ts';
import { Replay } from '../replay.ts';
import { type SessionRow, wholeWrite } from '../session-row.ts';
import { ORPHANS, type Orphans, reportOf } from '../verify-report.ts';
import { listCompactions } from './compaction-rows.ts';
import { listEvents } from './event-rows.ts';
import { inTransaction, onSnapshot, select } from './open-pool.ts';
import { asStoreError } from './store-error.ts';
import { writeStatement } from './write-session.ts';

type Replayed = { row: SessionRow; replay: Replay };

const SESSIONS_PER_PAGE = 500;
/** An event can be as large as a request. */
const EVENTS_PER_PAGE = 100;

/** Whole tables are read; a day is as good as for ever. */
const ORPHANS_TIMEOUT_MS = 24 * 3_600_000;

const READ_SESSION = 'SELECT * FROM sessions WHERE created_order = $1';

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
  verify(until?: number): Promise<VerifyReport> {
    const verifyOne = async (client: PoolClient, order: number) => {
      const replayed = await replaySession(client, READ_SESSION, order);
      if (replayed) {
        const { row, replay } = replayed;
        replay.compare(row, await listCompactions(client, row, Number.MAX_SAFE_INTEGER, null));
      }
      return replayed;
    };
    return this.#everySession(
      (order) => onSnapshot(this.#pool, (client) => verifyOne(client, order)),
      until,
    );
  }

  /** Each session is locked while it is read and written. */
  rebuild(): Promise<VerifyReport> {
    return this.#everySession((order) =>
      inTransaction(this.#pool, async (client) => {
        const replayed = await replaySession(client, `${READ_SESSION} FOR UPDATE`, order);
        if (replayed) await rewrite(client, replayed);
        return replayed;
      }),
    );
  }

  async #everySession(
    replayed: (order: number) => Promise<Replayed | null>,
    until?: number,
  ): Promise<VerifyReport> {
    try {
      return await reportOf(this.#replays(replayed), () => this.#orphans(), until);
    } catch (error) {
      throw asStoreError(error);
    }
  }

  async *#replays(replayed: (order: number) => Promise<Replayed | null>): AsyncGenerator<Replay> {
    for await (const order of this.#orders()) {
      const one = await replayed(order);
      // Null: erased since the page was read.
      if (one) yield one.replay;
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

  #orphans(): Promise<Orphans[]> {
    const find = async (client: PoolClient) => {
      await client.query('SET LOCAL statement_timeout = 0');
      const query = { text: ORPHANS, query_timeout: ORPHANS_TIMEOUT_MS };
      return select<Orphans>(client, query);
    };
    return inTransaction(this.#pool, find, 'BEGIN READ ONLY');
  }
}

async function replaySession(
  client: PoolClient,
  text: string,
  order: number,
): Promise<Replayed | null> {
  const [row] = await select<SessionRow>(client, { text, values: [order] });
  if (!row) return null;
  const replay = new Replay(row, new LedgerCheck());
  for (;;) {
    const page = await listEvents(client, row, { after: replay.version, limit: EVENTS_PER_PAGE });
    for (const event of page) replay.add(event);
    if (page.length < EVENTS_PER_PAGE) return { row, replay };
  }
}

/** Writes head and compactions as they were recomputed. */
async function rewrite(client: PoolClient, { row, replay }: Replayed): Promise<void> {
  const { projections } = replay;
  if (projections === null) return;
  await client.query('DELETE FROM compactions WHERE tenant = $1 AND session_id = $2', [
    row.tenant,
    row.session_id,
  ]);
  await client.query(writeStatement(row, wholeWrite({ ...projections, rows: [] }, false)));
}
