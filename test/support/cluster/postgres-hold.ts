import { Client } from 'pg';
import type { EventType } from '../../../src/domain/session/events.ts';
import { until } from './until.ts';

/** What a connection of the service waits for, in the words of `pg_stat_activity.wait_event`. */
type Wait = 'advisory' | 'transactionid' | 'relation';

export type Held = {
  /** Resolves when a connection of the service has come to the point and waits there. */
  reached: () => Promise<void>;
  /** Lets it go on, whether or not its process still lives. */
  release: () => Promise<void>;
};

const ADVISORY_LOCK = 4711;

/**
 * Stops transactions of the service at a chosen point, from within the database: so a test can kill
 * the process at exactly this moment, and the service needs no switch for it.
 */
export class PostgresHold {
  readonly #url: string;
  readonly #clients: Client[] = [];
  #observer: Promise<Client> | null = null;

  constructor(url: string) {
    this.#url = url;
  }

  /** COMMITs of events of this type are held up in the server: they have been sent, no more. */
  async commitsOf(type: EventType): Promise<Held> {
    const client = await this.#connect();
    await client.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCK]);
    await client.query(`
      CREATE OR REPLACE FUNCTION hold_up() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN PERFORM pg_advisory_xact_lock_shared(${ADVISORY_LOCK}); RETURN NULL; END $$;
      DROP TRIGGER IF EXISTS hold_up ON events;
      CREATE CONSTRAINT TRIGGER hold_up AFTER INSERT ON events DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW WHEN (NEW.type = '${type}') EXECUTE FUNCTION hold_up();
    `);
    return {
      reached: () => this.#reached('advisory'),
      release: async () => {
        await client.query('SELECT pg_advisory_unlock($1)', [ADVISORY_LOCK]);
      },
    };
  }

  /** Whoever wants to write to this session waits, before anything of its step is written. */
  session(id: string): Promise<Held> {
    const statement = `SELECT FROM sessions WHERE session_id = '${id}' FOR UPDATE`;
    return this.#inTransaction(statement, 'transactionid');
  }

  /** Whoever wants to read events waits, from the end of the transactions that write some now. */
  readsOfEvents(): Promise<Held> {
    return this.#inTransaction('LOCK TABLE events IN ACCESS EXCLUSIVE MODE', 'relation');
  }

  async close(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.end()));
  }

  /** Resolves when the statement has its locks, or waits for them as the first in the queue. */
  async #inTransaction(statement: string, wait: Wait): Promise<Held> {
    const client = await this.#connect();
    await client.query('BEGIN');
    const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
    let isLocked = false;
    const locked = client.query(statement).then(() => {
      isLocked = true;
    });
    const isQueued = () => this.#isSome("pid = $1 AND wait_event_type = 'Lock'", rows[0].pid);
    await until('a place in the queue for a lock', async () => isLocked || (await isQueued()));
    return {
      reached: async () => {
        await locked;
        await this.#reached(wait);
      },
      release: async () => {
        await client.query('COMMIT');
      },
    };
  }

  async #reached(wait: Wait): Promise<void> {
    await until(`a connection of the service that waits (${wait})`, () =>
      this.#isSome("application_name = 'palimpsest' AND wait_event = $1", wait),
    );
  }

  async #isSome(condition: string, value: unknown): Promise<boolean> {
    this.#observer ??= this.#connect();
    const observer = await this.#observer;
    const found = await observer.query(`SELECT FROM pg_stat_activity WHERE ${condition}`, [value]);
    return found.rowCount !== 0;
  }

  async #connect(): Promise<Client> {
    const client = new Client({ connectionString: this.#url });
    // A test may kill the server under it.
    client.on('error', () => {});
    await client.connect();
    this.#clients.push(client);
    return client;
  }
}
