import type { Pool } from 'pg';
import type { RestoredSession, SessionRef } from '../../app/ports/event-store.ts';
import { wholeWrite } from '../session-row.ts';
import { onConnection } from './open-pool.ts';
import { sqlStateOf } from './store-error.ts';
import { writeStatement } from './write-session.ts';

const UNIQUE_VIOLATION = '23505';

/** Writes a whole session in one statement; false when there is one with this id. */
export async function restoreSession(
  pool: Pool,
  ref: SessionRef,
  session: RestoredSession,
): Promise<boolean> {
  const statement = writeStatement(ref, wholeWrite(session, true));
  try {
    await onConnection(pool, (client) => client.query(statement));
    return true;
  } catch (error) {
    if (sqlStateOf(error) === UNIQUE_VIOLATION) return false;
    throw error;
  }
}
