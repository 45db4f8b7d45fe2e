import type { Pool, PoolClient, QueryConfig } from 'pg';
import type { SessionRef } from '../../app/ports/event-store.ts';
import {
  type GroupPlan,
  type KeptAnswer,
  keysOf,
  planGroup,
  type QueuedCommand,
} from '../group-plan.ts';
import { compactionIdsOf } from '../projection.ts';
import { groupWrite } from '../session-row.ts';
import { readCompactions } from './compaction-rows.ts';
import { onConnection, select } from './open-pool.ts';
import { type Found, lockSession } from './session-rows.ts';
import { asCommitError, sqlStateOf } from './store-error.ts';
import { writeStatement } from './write-session.ts';

/** What a group came to, and the session after it; null when there is none. */
export type WrittenGroup = { plan: GroupPlan; after: Found | null };

/**
 * Runs commands of one session in one transaction that holds the session's row, in two round trips:
 * one to lock and read, one to write and commit (a third when compactions change). Throws with
 * nothing written, or a `StoreUnavailableError` that says that the outcome is unknown.
 */
export function writeGroup(
  pool: Pool,
  ref: SessionRef,
  commands: readonly QueuedCommand[],
): Promise<WrittenGroup> {
  return onConnection(pool, async (client) => {
    const [, before, stored] = await Promise.all([
      client.query('BEGIN'),
      lockSession(client, ref),
      // Runs after the lock was given, and so sees what the lock waited for.
      readKept(client, ref, commands),
    ]);
    const plan = planGroup(commands, before, stored);
    const ids = compactionIdsOf(plan.events);
    const changed = ids.length > 0 ? await readCompactions(client, ref, ids) : [];
    const write = groupWrite(before, plan, changed);
    if (write === null) {
      await client.query('COMMIT');
      return { plan, after: before };
    }
    const row_version = await commit(client, writeStatement(ref, write));
    return { plan, after: { ...write.after, row_version } };
  });
}

async function readKept(
  client: PoolClient,
  { tenant, session_id }: SessionRef,
  commands: readonly QueuedCommand[],
): Promise<Map<string, KeptAnswer>> {
  const keys = keysOf(commands);
  if (keys.length === 0) return new Map();
  const rows = await select<KeptAnswer & { key: string }>(client, {
    name: 'kept_answers',
    text: `SELECT key, fingerprint, response FROM idempotency_keys
      WHERE tenant = $1 AND session_id = $2 AND key = ANY($3)`,
    values: [tenant, session_id, keys],
  });
  return new Map(rows.map((row) => [row.key, row]));
}

/**
 * Sends both at once: if the write fails, the server answers the COMMIT with a rollback. Answers the
 * new `row_version` of the session.
 */
async function commit(client: PoolClient, write: QueryConfig): Promise<string> {
  const written = client.query<{ row_version: string }>(write);
  const committed = client.query('COMMIT');
  // If the write fails its error is thrown, and nobody waits for this one.
  committed.catch(() => {});
  let row: { row_version: string } | undefined;
  try {
    [row] = (await written).rows;
  } catch (error) {
    // What the server says of the write comes before it has looked at the COMMIT.
    throw sqlStateOf(error) === null ? asCommitError(error) : error;
  }
  try {
    await committed;
  } catch (error) {
    throw asCommitError(error);
  }
  if (row === undefined) throw new Error('a session that is locked can be written to');
  return row.row_version;
}
