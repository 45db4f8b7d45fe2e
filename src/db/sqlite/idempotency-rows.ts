import type { SessionRef } from '../../app/ports/event-store.ts';
import type { KeptAnswer } from '../group-plan.ts';
import type { Database, Statement } from './driver.ts';

type Key = [tenant: string, session: string, key: string];

/** Reads and writes the answers that are kept under a client's idempotency key. */
export class IdempotencyRows {
  readonly #get: Statement<Key, KeptAnswer>;
  readonly #insert: Statement<[...Key, fingerprint: string, response: string]>;

  constructor(db: Database) {
    this.#get = db.prepare(
      `SELECT fingerprint, response FROM idempotency_keys
       WHERE tenant = ? AND session_id = ? AND key = ?`,
    );
    this.#insert = db.prepare(
      'INSERT INTO idempotency_keys (tenant, session_id, key, fingerprint, response) VALUES (?, ?, ?, ?, ?)',
    );
  }

  get({ tenant, session_id }: SessionRef, key: string): KeptAnswer | undefined {
    return this.#get.get(tenant, session_id, key);
  }

  insert({ tenant, session_id }: SessionRef, key: string, answer: KeptAnswer): void {
    this.#insert.run(tenant, session_id, key, answer.fingerprint, answer.response);
  }
}
