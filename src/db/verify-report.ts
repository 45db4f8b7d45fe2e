import type { SessionRef, VerifyReport } from '../app/ports/event-store.ts';
import type { Replay } from './replay.ts';

/** Rows of a session that does not exist. */
export type Orphans = SessionRef & { table: string; count: number };

export const ORPHANS = `SELECT tenant, session_id, "table", count FROM (
    ${['events', 'compactions', 'idempotency_keys'].map(orphansOf).join(' UNION ALL ')}
  ) AS orphans ORDER BY place, tenant, session_id`;

function orphansOf(table: string, place: number): string {
  return `SELECT ${place} AS place, tenant, session_id, '${table}' AS "table", count(*) AS count
    FROM ${table} AS t
    WHERE NOT EXISTS (
      SELECT 1 FROM sessions AS s WHERE s.tenant = t.tenant AND s.session_id = t.session_id
    ) GROUP BY tenant, session_id`;
}

/**
 * What was found in sessions that were replayed, and then in rows that belong to none, if those can be read.
 * Ends with the first session that was done after `until`.
 */
export async function reportOf(
  replays: AsyncIterable<Replay>,
  findOrphans: () => Orphans[] | string | Promise<Orphans[]>,
  until = Number.POSITIVE_INFINITY,
): Promise<VerifyReport> {
  const report: VerifyReport = { sessions: 0, events: 0, problems: [] };
  for await (const { events, problems } of replays) {
    report.sessions += 1;
    report.events += events;
    report.problems.push(...problems);
    if (performance.now() > until) return report;
  }
  const orphans = await findOrphans();
  if (typeof orphans === 'string') return { ...report, problems: [...report.problems, orphans] };
  for (const { tenant, session_id, table, count } of orphans) {
    report.problems.push(
      `Session "${session_id}" of tenant "${tenant}": it does not exist, but ${table} has ${count} ` +
        'row(s) for it.',
    );
  }
  return report;
}
