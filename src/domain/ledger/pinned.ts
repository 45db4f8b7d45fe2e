import type { Ledger, Request } from './ledger.ts';

/** Stands in place of a request that is pinned: which one was the latest must not change. */
export const PINNED_REQUEST = '[pinned: it stands above, word for word]';

/** Names an item, in the log of this session or (`of`) in that of one that it was forked from. */
export function placeKey(seq: number, of?: string): string {
  return `${seq} ${of ?? ''}`;
}

type Place = { seq: number; last_seq: number; of?: string };

/**
 * The ledger without what only pinned items say: these stand in the context word for word, and pass
 * through no summariser (SPEC section 20).
 */
export function withoutPinned(ledger: Ledger, pinned: ReadonlySet<string>): Ledger {
  if (pinned.size === 0) return ledger;
  const isPinned = ({ seq, last_seq, of }: Place) =>
    pinned.has(placeKey(seq, of)) && pinned.has(placeKey(last_seq, of));
  const others = <T extends Place>(list: readonly T[]) => list.filter((one) => !isPinned(one));
  const bare = ({ answers: _answers, ...request }: Request) => request;
  const withoutEnd = (request: Request): Request => {
    const { ended, ...rest } = request;
    const isSaidThere = ended !== undefined && pinned.has(placeKey(ended.seq, request.of));
    return isSaidThere ? rest : request;
  };
  return {
    ...ledger,
    requests: ledger.requests
      .map(withoutEnd)
      .map((one) => (isPinned(one) ? { ...bare(one), text: PINNED_REQUEST } : one)),
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
