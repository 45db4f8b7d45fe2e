import type { SoakReport } from './soak.ts';

/** What a run has to show: `null`, or why it does not count. */
export function verdictOf(report: SoakReport, leastKills: number): string | null {
  const { lost, duplicated, problems, killed, verified } = report;
  if (lost + duplicated > 0 || problems.length > 0 || !verified)
    return `${problems.length} problems`;
  if (killed < leastKills) return `only ${killed} kills: too few to say anything`;
  if (report.acknowledged_items === 0) return 'nothing was acknowledged';
  if (report.events('compaction.completed') === 0) return 'nothing was compacted';
  return null;
}

/** The totals of a run as a table of two columns. */
export function tableOf(report: SoakReport): string {
  const { deeds, events } = report;
  const rows: [string, number | string][] = [
    ['seed', report.seed],
    ['seconds', report.seconds],
    ['requests', deeds('sent')],
    ['  cut off', deeds('cut_off')],
    ['  answered 503', deeds('unavailable')],
    ['  refused (If-Match)', deeds('refused')],
    ['acknowledged items', report.acknowledged_items],
    ['kills', report.killed],
    ...[...report.kills].map(([victim, count]) => [`  ${victim}`, count] as [string, number]),
    ['faults', sumOf(report.faults)],
    ...[...report.faults].map(([fault, count]) => [`  ${fault}`, count] as [string, number]),
    ['compactions', events('compaction.requested')],
    ['  full', events('compaction.completed')],
    ['  micro', events('compaction.micro_completed')],
    ['  skipped', events('compaction.skipped')],
    ['  attempts', events('compaction.started')],
    ['  failed attempts', events('compaction.failed')],
    ['contexts checked', deeds('context')],
    ['lost', report.lost],
    ['duplicated', report.duplicated],
    ['verify', report.verified ? 'ok' : 'FAILED'],
    ['other problems', Math.max(0, report.problems.length - report.lost - report.duplicated)],
  ];
  return rows.map(([name, value]) => `${name.padEnd(26)}${String(value).padStart(10)}`).join('\n');
}

function sumOf(counts: ReadonlyMap<unknown, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}
