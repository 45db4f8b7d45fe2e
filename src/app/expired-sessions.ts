import type { SizedSession } from './ports/archive.ts';

/** What a tenant may keep; what is not given has no bound. */
type Retention = {
  /** Sessions that were last written to before this time (ISO 8601) are too old. */
  before?: string;
  /** Of all its sessions together. */
  bytes?: number;
};

/**
 * The sessions that a tenant keeps for too long, and then those that were left alone for longest until the
 * others fit, oldest first. One in which something is under way is never among them.
 */
export function expiredSessions(
  sessions: readonly SizedSession[],
  { before = '', bytes = Number.POSITIVE_INFINITY }: Retention,
): SizedSession[] {
  let left = sessions.reduce((sum, session) => sum + session.bytes, 0);
  const expired: SizedSession[] = [];
  const oldestFirst = sessions.toSorted(
    (a, b) => compare(a.updated_at, b.updated_at) || a.place - b.place,
  );
  for (const session of oldestFirst) {
    if (!session.is_at_rest) continue;
    if (session.updated_at >= before && left <= bytes) break;
    expired.push(session);
    left -= session.bytes;
  }
  return expired;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
