/** Of a session's row, with the names of `IdleSession`. */
export const IDLE_COLUMNS = 'tenant, session_id, created_order AS place, version, hash';

/** Nothing is under way, and no time has been set at which it would be. */
export const AT_REST = `archive_file IS NULL AND wake_at_ms IS NULL AND NOT EXISTS (
    SELECT 1 FROM compactions AS c
    WHERE c.tenant = s.tenant AND c.session_id = s.session_id AND c.status <> 'ended'
  )`;

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
