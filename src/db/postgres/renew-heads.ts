import type { Pool } from 'pg';
import type { VerifyReport } from '../../app/ports/event-store.ts';
import { HEAD_VERSION } from '../../domain/session/head.ts';

/**
 * Computes the stored heads anew when an older release has written them. Several processes may do so
 * at once. Answers how many problems the log has: a session whose log is damaged keeps its old head,
 * and `verify` tells of it.
 */
export async function renewHeads(
  pool: Pool,
  rebuild: () => Promise<VerifyReport>,
): Promise<number> {
  const { rows } = await pool.query<{ version: number }>('SELECT version FROM head_version');
  if (rows[0]?.version === HEAD_VERSION) return 0;
  const { problems } = await rebuild();
  await pool.query('UPDATE head_version SET version = $1', [HEAD_VERSION]);
  return problems.length;
}
