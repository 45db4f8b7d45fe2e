import type { CompactionOutcome } from '../../../app/ports/event-store.ts';
import type { State } from '../../../domain/context/standing.ts';

/** What can have become of something; each has a sign of its own, so that no colour has to be told apart. */
const FATES = {
  kept: { sign: '=', label: 'kept' },
  cleared: { sign: '×', label: 'cleared' },
  summarised: { sign: 'Σ', label: 'summarised' },
  restored: { sign: '↺', label: 'restored' },
  added: { sign: '+', label: 'added' },
} as const;
export type Fate = keyof typeof FATES;

export const SIGNS: Record<Fate, string> = {
  kept: FATES.kept.sign,
  cleared: FATES.cleared.sign,
  summarised: FATES.summarised.sign,
  restored: FATES.restored.sign,
  added: FATES.added.sign,
};

export function FateTag({ fate, label }: { fate: Fate; label?: string }) {
  const { sign, label: usual } = FATES[fate];
  return (
    <span class={`tag ${fate}`}>
      <span class="sign" aria-hidden="true">
        {sign}
      </span>
      {label ?? usual}
    </span>
  );
}

export function StateTag({ state }: { state: State | null }) {
  switch (state) {
    case 'in_context':
      return <FateTag fate="kept" label="in context" />;
    case 'cleared':
      return <FateTag fate="cleared" />;
    case 'summarised':
      return <FateTag fate="summarised" />;
    case null:
      return <span class="tag">not in a context</span>;
    default:
      return state satisfies never;
  }
}

/** What came of a compaction: its sign in the chart, its class, and in words. */
export function outcomeOf(outcome: CompactionOutcome | null, isReverted: boolean) {
  if (isReverted) return { sign: '⤺', fate: 'gone', label: 'reverted' };
  switch (outcome) {
    case 'micro_compacted':
      return { sign: '×', fate: 'cleared', label: 'results cleared' };
    case 'full_compacted':
      return { sign: 'Σ', fate: 'summarised', label: 'summarised' };
    case 'remote_compacted':
      return { sign: 'Σ', fate: 'summarised', label: 'compacted by the provider' };
    case 'proposed':
      return { sign: '?', fate: 'added', label: 'proposal, open' };
    case 'discarded':
      return { sign: '–', fate: 'gone', label: 'proposal, discarded' };
    case 'skipped':
      return { sign: '–', fate: 'gone', label: 'skipped' };
    case 'not_needed':
      return { sign: '–', fate: 'gone', label: 'not needed' };
    case 'failed':
      return { sign: '!', fate: 'failed', label: 'failed' };
    case 'cancelled':
      return { sign: '–', fate: 'gone', label: 'cancelled' };
    case null:
      return { sign: '…', fate: 'added', label: 'under way' };
    default:
      return outcome satisfies never;
  }
}

export function OutcomeTag({
  outcome,
  isReverted,
}: {
  outcome: CompactionOutcome | null;
  isReverted: boolean;
}) {
  const { sign, fate, label } = outcomeOf(outcome, isReverted);
  return (
    <span class={`tag ${fate}`}>
      <span class="sign" aria-hidden="true">
        {sign}
      </span>
      {label}
    </span>
  );
}
