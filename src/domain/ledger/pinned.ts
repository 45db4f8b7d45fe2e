import type { Ledger, Request } from './ledger.ts';

/** Stands in place of a request that is pinned: which one was the latest must not change. */
export const PINNED_REQUEST = '[pinned: it stands above, word for word]';

type Place = { seq: number; last_seq: number; of?: string };

/**
 * The ledger without what only pinned items say: these stand in the context word for word, and pass
 * through no summariser (SPEC section 20).
 */
export function withoutPinned(ledger: Ledger, seqs: ReadonlySet<number>): Ledger {
  if (seqs.size === 0) return ledger;
  const isPinned = ({ seq, last_seq, of }: Place) =>
    of === undefined && seqs.has(seq) && seqs.has(last_seq);
  const others = <T extends Place>(list: readonly T[]) => list.filter((one) => !isPinned(one));
  const bare = ({ answers: _answers, ...request }: Request) => request;
  return {
    ...ledger,
    requests: ledger.requests.map((one) =>
      isPinned(one) ? { ...bare(one), text: PINNED_REQUEST } : one,
    ),
    constraints: others(ledger.constraints),
    conclusions: others(ledger.conclusions),
    files: others(ledger.files),
    runs: others(ledger.runs),
    failures: others(ledger.failures),
    plan: ledger.plan !== null && isPinned(ledger.plan) ? null : ledger.plan,
    artifacts: others(ledger.artifacts),
    names: others(ledger.names),
    said: others(ledger.said),
  };
}
