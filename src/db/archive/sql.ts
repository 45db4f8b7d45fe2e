import type { SizedSession } from '../../app/ports/archive.ts';

/** Of a session's row, with the names of `IdleSession`. */
export const IDLE_COLUMNS = 'tenant, session_id, created_order AS place, version, hash';

/** Of the row of a session in the archive, with the names of `ArchivedSession`. */
export const ARCHIVED_COLUMNS = `${IDLE_COLUMNS}, archive_file AS file,
  (SELECT bytes FROM archive_files WHERE file = archive_file) AS bytes`;

/** A row of `ARCHIVED_COLUMNS`. */
export type ArchivedRow = IdleRow & { file: string; bytes: number };

/** Nothing is under way, and no time has been set at which it would be. */
export const AT_REST = `wake_at_ms IS NULL AND NOT EXISTS (
    SELECT 1 FROM compactions AS c
    WHERE c.tenant = s.tenant AND c.session_id = s.session_id AND c.status <> 'ended'
  )`;

/** Of a session's row, with the names of `SizedSession`; `updatedAt` is how the store reads that. */
export const sizedColumns = (updatedAt: string) => `${IDLE_COLUMNS}, ${updatedAt} AS updated_at,
  coalesce(
    (SELECT f.bytes FROM archive_files AS f WHERE f.file = s.archive_file),
    (SELECT sum(octet_length(e.data)) FROM events AS e
     WHERE e.tenant = s.tenant AND e.session_id = s.session_id),
    0
  ) AS bytes,
  CASE WHEN ${AT_REST} THEN 1 ELSE 0 END AS at_rest`;

/** A row of `sizedColumns`. */
export type SizedRow = IdleRow & { updated_at: string; bytes: number; at_rest: number };

/** The row as the ports know it. */
export function sizedSession({ at_rest, ...row }: SizedRow): SizedSession {
  return { ...idleSession(row), is_at_rest: at_rest === 1 };
}

/** A row of `IDLE_COLUMNS`. */
export type IdleRow = {
  tenant: string;
  session_id: string;
  place: number;
  version: number;
  hash: string;
};

/** The row as the ports know it. */
export function idleSession<R extends IdleRow>({ tenant, session_id, ...row }: R) {
  return { ref: { tenant, session_id }, ...row };
}
