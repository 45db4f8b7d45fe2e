import type { Pool } from 'pg';
import type { RestoredSession, SessionRef } from '../../app/ports/event-store.ts';
import { onConnection } from './open-pool.ts';
import { sqlStateOf } from './store-error.ts';
import { writeStatement } from './write-session.ts';

const UNIQUE_VIOLATION = '23505';

/** Writes a whole session in one statement; false when there is one with this id. */
export async function restoreSession(
  pool: Pool,
  ref: SessionRef,
  { rows, head, hash, compactions }: RestoredSession,
): Promise<boolean> {
  const write = {
    isNew: true,
    withSettings: true,
    after: { head, hash },
    rows,
    kept: new Map(),
    compactions,
  };
  try {
    await onConnection(pool, (client) => client.query(writeStatement(ref, write)));
    return true;
  } catch (error) {
    if (sqlStateOf(error) === UNIQUE_VIOLATION) return false;
    throw error;
  }
}
