import { FACT_KINDS } from '../../ledger/ledger.ts';
import type { RetentionReport } from '../../session/retention-report.ts';
import { clipEnd } from '../../text.ts';
import type { MustKeep } from './must-keep.ts';

/** How many missing facts of a kind a report names, and how much of each (UTF-16 units). */
const MOST_NAMED = 5;
const LONGEST_NAMED = 160;

/** The report on facts, the weightiest first, of which those in `kept` stand in the context. */
export function retentionReport(
  facts: readonly MustKeep[],
  kept: ReadonlySet<MustKeep>,
): RetentionReport {
  const kinds = FACT_KINDS.flatMap((kind) => {
    const own = facts.filter((fact) => fact.kind === kind);
    if (own.length === 0) return [];
    const missing = own.filter((fact) => !kept.has(fact));
    return [
      {
        kind,
        total: own.length,
        kept: own.length - missing.length,
        share: keptShare(own, kept),
        missing: missing.slice(0, MOST_NAMED).map(({ text }) => clipEnd(text, LONGEST_NAMED)),
      },
    ];
  });
  return { share: keptShare(facts, kept), put_back: 0, kinds };
}

/** What the kept ones weigh of all, to four places; 1 where there are none. */
export function keptShare(facts: readonly MustKeep[], kept: ReadonlySet<MustKeep>): number {
  const weightOf = (list: readonly MustKeep[]) => list.reduce((sum, { weight }) => sum + weight, 0);
  if (facts.length === 0) return 1;
  const share = weightOf(facts.filter((fact) => kept.has(fact))) / weightOf(facts);
  return Math.round(share * 10_000) / 10_000;
}
