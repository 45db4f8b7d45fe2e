import { plainAttribution } from '../policy/attribution.ts';
import { type Clock, compactionDisabled } from './compaction-commands.ts';
import { completionEvents, type Effect, effectOf, type Finished } from './complete-compaction.ts';
import { sessionNotFound } from './create-session.ts';
import type { Decide } from './decision.ts';
import { accept, reject } from './errors.ts';
import type { Candidate } from './events.ts';
import { configOf, type Head } from './head.ts';
import type { Terms, World } from './world.ts';

/** For who has found a proposal open, and finds it so no more. */
export function endedMeanwhile(): ReturnType<typeof reject> {
  return reject(
    'proposal_not_open',
    'the proposal was applied or discarded at the same moment: read the compaction again, then decide',
  );
}

/**
 * Puts a proposal in place exactly as it was made; items that came since stand behind it (SPEC section
 * 20). `terms` are those of the attempt that made it. Rejects: session_not_found,
 * compaction_disabled, proposal_not_open, compaction_not_applicable.
 */
export function applyProposal(
  world: World,
  terms: Terms,
  { compaction_id, candidate }: { compaction_id: string; candidate: Candidate },
  clock: Clock,
): Decide<Head> {
  return (head) => {
    if (head === null) return sessionNotFound();
    const { proposals, running } = head.state;
    if (!configOf(head.settings, world.server).enabled) return compactionDisabled();
    if (!proposals.some(({ id }) => id === compaction_id)) {
      return endedMeanwhile();
    }
    if (running !== null) {
      return reject(
        'compaction_not_applicable',
        `compaction ${running.id} is under way: wait for its end or cancel it, then apply the proposal`,
      );
    }
    const by = { id: compaction_id, attribution: plainAttribution('request') };
    const effect = effectOf(terms, head, by, finishedOf(candidate), clock.at);
    if (effect.skip !== null) {
      return reject(
        'compaction_not_applicable',
        `the proposal would not make the context smaller: ${effect.skip.detail}; discard it`,
      );
    }
    const events = completionEvents(terms, head, compaction_id, effect, [], clock);
    return accept({ events, value: (after) => after });
  };
}

function finishedOf(candidate: Candidate): Finished {
  switch (candidate.type) {
    case 'compaction.micro_completed':
      return { kind: 'micro', result: withoutFigures(candidate.data) };
    case 'compaction.completed': {
      const { data } = candidate;
      return { kind: 'full', result: { ...data, report: withoutFigures(data.report) } };
    }
    default:
      return candidate satisfies never;
  }
}

/** What was made, without the figures of the moment at which it was made. */
function withoutFigures<T extends Effect>(made: T): Omit<T, keyof Effect> {
  const {
    tokens_before,
    tokens_after,
    is_before_reported,
    is_above_threshold,
    is_still_due,
    cost_basis,
    ...rest
  } = made;
  return rest;
}

/** Drops a proposal; the context stays as it is. Rejects: session_not_found, proposal_not_open. */
export function discardProposal(compactionId: string): Decide<null> {
  return (head) => {
    if (head === null) return sessionNotFound();
    if (!head.state.proposals.some(({ id }) => id === compactionId)) {
      return endedMeanwhile();
    }
    return accept({
      events: [
        {
          type: 'compaction.discarded',
          data: { compaction_id: compactionId, superseded_by: null },
        },
      ],
      value: () => null,
    });
  };
}
