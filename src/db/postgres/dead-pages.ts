import type { Pool } from 'pg';
import { select } from './open-pool.ts';

/** So many rows are looked after together, and a quarter of those that live where that is more. */
const FEWEST = 500;
const PART_OF_LIVE = 0.25;
/** In bytes. Of a larger table the server's own vacuum, once a minute, leaves little; ours would take seconds. */
const LARGEST = 256_000_000;

/**
 * Makes the room of joined pages usable again (decision 0045). The server does so once a minute; until
 * then each join makes the table grow, to ten times of what it holds where sessions are written fast.
 */
export class DeadPages {
  readonly #pool: Pool;
  #count = 0;
  #wanted = FEWEST;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /**
   * To be called after the transaction that has deleted so many rows. Never rejects: the server's own vacuum
   * does what this one could not, and a broken connection shows in the next statement.
   */
  async add(count: number): Promise<void> {
    this.#count += count;
    if (this.#count < this.#wanted) return;
    this.#count = 0;
    await this.#vacuum().catch(() => {});
  }

  async #vacuum(): Promise<void> {
    const [table] = await select<{ bytes: number; live: number }>(this.#pool, {
      name: 'search_pages_size',
      text: `SELECT pg_relation_size(oid) AS bytes, reltuples AS live FROM pg_class
        WHERE oid = 'search_pages'::regclass`,
    });
    if (table === undefined || table.bytes > LARGEST) return;
    this.#wanted = Math.max(FEWEST, table.live * PART_OF_LIVE);
    // Who is at it already does the same.
    await this.#pool.query('VACUUM (SKIP_LOCKED) search_pages');
  }
}
