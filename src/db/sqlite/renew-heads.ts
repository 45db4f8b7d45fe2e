import type { VerifyReport } from '../../app/ports/event-store.ts';
import { HEAD_VERSION } from '../../domain/session/head.ts';
import type { Database } from './driver.ts';

/**
 * Computes the stored heads anew when an older release has written them. Two processes may do so at
 * once. Answers how many problems the log has: a session whose log is damaged keeps its old head, and
 * `verify` tells of it.
 */
export async function renewHeads(
  db: Database,
  rebuild: () => Promise<VerifyReport>,
): Promise<number> {
  const version = db.prepare<[], number>('SELECT version FROM head_version').pluck().get();
  if (version === HEAD_VERSION) return 0;
  const { problems } = await rebuild();
  db.prepare('UPDATE head_version SET version = ?').run(HEAD_VERSION);
  return problems.length;
}
