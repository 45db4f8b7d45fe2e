import type { VerifyReport } from '../app/ports/event-store.ts';
import { HEAD_VERSION } from '../domain/session/head.ts';

export const READ_HEAD_VERSION = 'SELECT version FROM head_version';
export const WRITE_HEAD_VERSION = `UPDATE head_version SET version = ${HEAD_VERSION}`;

/**
 * Computes the stored heads anew when an older release has written them, those of `version`. Several
 * processes may do so at once. Tells how many problems the log has: a session whose log is damaged
 * keeps its old head, and `verify` tells of it.
 */
export async function renewHeads(
  version: number | undefined,
  rebuild: () => Promise<VerifyReport>,
  write: () => unknown,
  onDamage: ((problems: number) => void) | undefined,
): Promise<void> {
  if (version === HEAD_VERSION) return;
  const { problems } = await rebuild();
  await write();
  if (problems.length > 0) onDamage?.(problems.length);
}
