import { and, eq, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import type { Committed, Idempotency, SessionRef } from '../../app/ports/event-store.ts';
import type { Outcome } from '../../domain/session/errors.ts';
import { answerAgain } from '../idempotent-answer.ts';
import type { Database } from './driver.ts';
import { idempotencyKeys } from './schema.ts';

/** Reads and writes the answers that are kept under a client's idempotency key. */
export class IdempotencyRows {
  readonly #select;
  readonly #insert;

  constructor(db: Database) {
    const orm = drizzle(db);
    const { tenant, session_id, key, fingerprint, response } = idempotencyKeys;
    this.#select = orm
      .select({ fingerprint, response })
      .from(idempotencyKeys)
      .where(
        and(
          eq(tenant, sql.placeholder('tenant')),
          eq(session_id, sql.placeholder('session_id')),
          eq(key, sql.placeholder('key')),
        ),
      )
      .prepare();
    this.#insert = orm
      .insert(idempotencyKeys)
      .values({
        tenant: sql.placeholder('tenant'),
        session_id: sql.placeholder('session_id'),
        key: sql.placeholder('key'),
        fingerprint: sql.placeholder('fingerprint'),
        response: sql.placeholder('response'),
      })
      .prepare();
  }

  /** The first answer under this key, a rejection when it was for another body; null: a new key. */
  replay(ref: SessionRef, idempotency: Idempotency): Outcome<Committed<unknown>> | null {
    const stored = this.#select.get({ ...ref, key: idempotency.key });
    return stored ? answerAgain(stored, idempotency) : null;
  }

  insert(ref: SessionRef, { key, fingerprint }: Idempotency, value: unknown): void {
    this.#insert.run({ ...ref, key, fingerprint, response: JSON.stringify(value) });
  }
}
