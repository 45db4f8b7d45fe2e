import type { Config } from '../policy/config.ts';
import { isStillDue } from '../policy/tiers.ts';
import { thresholds } from '../tokens/thresholds.ts';
import { advance } from './advance.ts';
import { closedBreaker, openedBreaker } from './breaker.ts';
import {
  type Applied,
  type Attempt,
  type Clock,
  type Skip,
  skipEvents,
  whileRunning,
} from './compaction-commands.ts';
import type { Decide } from './decision.ts';
import type { Candidate, CompletedReport, EventData, NewEvent } from './events.ts';
import { contextTokens, type Head, hasUserSpoken, type Running, type State } from './head.ts';
import { packetItem } from './packet-item.ts';
import { supersededBy } from './proposal-events.ts';
import { isPaid } from './summarizer-usage.ts';
import type { Terms } from './world.ts';

/** What is only known when a compaction is written: what came meanwhile counts, too. */
export type Effect = Pick<
  CompletedReport,
  | 'tokens_before'
  | 'tokens_after'
  | 'is_before_reported'
  | 'is_above_threshold'
  | 'is_still_due'
  | 'cost_basis'
>;

export type MicroResult = Omit<
  EventData['compaction.micro_completed'],
  'compaction_id' | keyof Effect
>;

export type FullResult = Omit<EventData['compaction.completed'], 'compaction_id' | 'report'> & {
  report: Omit<CompletedReport, keyof Effect>;
};

/** What says how to go on; `seq` is the item of the agent that it was taken from, if it was. */
export type PacketText = { text: string; seq: number | null };

/**
 * Applies the edits of a micro-compaction (SPEC section 7), or skips it when the context would not
 * become smaller, as when a usage figure that came meanwhile is below the estimate. `packet` is
 * appended with it, where one belongs to the compaction. A proposal is recorded, and not applied.
 * Rejects: session_not_found.
 */
export function completeMicro(
  terms: Terms,
  attempt: Attempt,
  result: MicroResult,
  clock: Clock,
  packet: PacketText | null = null,
): Decide<Applied> {
  return complete(terms, attempt, clock, packet, { kind: 'micro', result });
}

/**
 * Applies a full or remote compaction in one step (SPEC section 8, phase 7), or skips it when it would
 * not make the context smaller (section 18, rule 7). Items that came meanwhile stay after the cut, and
 * before the `packet`, which is appended with it where one belongs to the compaction. A proposal is
 * recorded, and not applied. Rejects: session_not_found.
 */
export function completeFull(
  terms: Terms,
  attempt: Attempt,
  result: FullResult,
  clock: Clock,
  packet: PacketText | null = null,
): Decide<Applied> {
  return complete(terms, attempt, clock, packet, { kind: 'full', result });
}

/** Both end in the same way: the packet after them, then a word about threshold and breaker. */
function complete(
  terms: Terms,
  attempt: Attempt,
  clock: Clock,
  packet: PacketText | null,
  finished: Finished,
): Decide<Applied> {
  return whileRunning(attempt, (head, running) => {
    const { config } = terms;
    const isOfOtherPins =
      finished.kind === 'full' && (finished.result.pins_version ?? 0) !== head.state.pins.newest;
    if (isOfOtherPins) return startedOver(head, running, finished.result, config, clock);
    const effect = effectOf(terms, head, running, finished, clock.at);
    if (effect.skip !== null) {
      const skip = { ...effect.skip, ...(finished.kind === 'full' && paidFor(finished.result)) };
      return skipEvents(head, running, config, clock, skip);
    }
    if (running.propose) {
      const candidate = effect.candidate(contextTokens(effect.compacted.state, config));
      return [{ type: 'compaction.proposed', data: { compaction_id: running.id, candidate } }];
    }
    const isWanted = packet !== null && !isOutdated(packet, head.state, running);
    const heads = { before: head, after: effect.compacted };
    const behind = isWanted ? packetItem(terms, running, packet.text, heads, clock.at) : [];
    return completionEvents(terms, head, running.id, effect, behind, clock);
  });
}

/** An attempt that others overtake so often is given up. */
const MOST_OVERTAKEN = 5;

/**
 * What was pinned meanwhile must not be summarised, and what no longer is must not be missing: such a
 * compaction is not applied, and planned anew (SPEC section 20).
 */
function startedOver(
  head: Head,
  { id, attempt }: Running,
  result: FullResult,
  config: Config,
  { at, now_ms }: Clock,
): NewEvent[] {
  const event: NewEvent = {
    type: 'compaction.failed',
    data: {
      compaction_id: id,
      reason: 'interrupted',
      message: 'what is pinned has changed meanwhile',
      attempt,
      ...paidFor(result),
      will_retry: attempt < MOST_OVERTAKEN,
    },
  };
  return [event, ...openedBreaker(head, advance(head, [event], at), config, now_ms)];
}

function paidFor({ report: { usage, model } }: FullResult): Pick<Skip, 'usage' | 'model'> {
  return isPaid(usage) ? { usage, ...(model !== null && { model }) } : {};
}

/** A compaction whose result is complete, and may be put in place. */
export type Finished =
  | { kind: 'micro'; result: MicroResult }
  | { kind: 'full'; result: FullResult };

type Change = {
  skip: null;
  /** What is written, with the tokens of the context after it. */
  candidate: (tokensAfter: number) => Candidate;
  compacted: Head;
};

/** What a compaction makes of the context as it is now, or why it must not (SPEC 18, rule 7). */
export function effectOf(
  { config, context_window }: Terms,
  head: Head,
  by: Pick<Running, 'id' | 'attribution'>,
  finished: Finished,
  at: string,
): Change | { skip: Skip } {
  const { threshold } = thresholds(config, context_window);
  const tokens_before = contextTokens(head.state, config);
  const { count, cached_share } = head.state.calls;
  const candidate = (tokens_after: number) =>
    candidateOf(finished, {
      tokens_before,
      tokens_after,
      is_before_reported: head.state.usage !== null,
      is_above_threshold: tokens_after >= threshold,
      is_still_due: isStillDue(by.attribution, tokens_after, config, context_window),
      cost_basis: { calls: count, cached_share },
    });
  const compacted = advance(head, [completionOf(by.id, candidate(0))], at);
  const bare = contextTokens(compacted.state, config);
  const full = finished.kind === 'full' ? finished.result.report : null;
  return bare >= tokens_before || (full !== null && !isSmaller(full))
    ? { skip: wouldNotShrink(tokens_before, bare, full) }
    : { skip: null, candidate, compacted };
}

/**
 * The events of a compaction that is put in place: it, what is appended `behind` it, what they mean for
 * threshold and breaker, and the end of the proposals for the context as it was.
 */
export function completionEvents(
  { config, context_window }: Terms,
  head: Head,
  compactionId: string,
  { candidate, compacted }: Change,
  behind: readonly NewEvent[],
  clock: Clock,
): NewEvent[] {
  const { threshold } = thresholds(config, context_window);
  const tokens_after = contextTokens(advance(compacted, behind, clock.at).state, config);
  const events = [completionOf(compactionId, candidate(tokens_after)), ...behind];
  const exceeded: NewEvent = {
    type: 'compaction.threshold_exceeded',
    data: { compaction_id: compactionId, post_compact_tokens: tokens_after, threshold },
  };
  const after = advance(head, events, clock.at);
  return [
    ...events,
    ...(tokens_after >= threshold ? [exceeded] : []),
    ...(after.state.failures === 0 ? closedBreaker(head) : []),
    ...openedBreaker(head, after, config, clock.now_ms),
    ...supersededBy(compactionId, after),
  ];
}

function candidateOf(finished: Finished, effect: Effect): Candidate {
  switch (finished.kind) {
    case 'micro':
      return { type: 'compaction.micro_completed', data: { ...finished.result, ...effect } };
    case 'full': {
      const { report, ledger, ...result } = finished.result;
      return {
        type: 'compaction.completed',
        // The ledger is last: who reads the rest can leave it unread.
        data: { ...result, report: { ...report, ...effect }, ...(ledger && { ledger }) },
      };
    }
    default:
      return finished satisfies never;
  }
}

/** The event of a compaction that is put in place. */
export function completionOf(compaction_id: string, candidate: Candidate): NewEvent {
  switch (candidate.type) {
    case 'compaction.micro_completed':
      return { type: candidate.type, data: { compaction_id, ...candidate.data } };
    case 'compaction.completed':
      return { type: candidate.type, data: { compaction_id, ...candidate.data } };
    default:
      return candidate satisfies never;
  }
}

/**
 * Whether a packet says no longer how to go on: the user has spoken since, or the text that was taken
 * for it was followed by calls, so that the agent was not at its end.
 */
function isOutdated({ seq }: PacketText, state: State, { requested_version }: Running): boolean {
  return hasUserSpoken(state, requested_version) || (seq !== null && state.last_call > seq);
}

/** What a full compaction puts in place of what it covers, in tokens without margin. */
type Replacement = Pick<CompletedReport, 'replacement_tokens' | 'covered_tokens'>;

function isSmaller({ replacement_tokens, covered_tokens }: Replacement): boolean {
  return replacement_tokens < covered_tokens;
}

function wouldNotShrink(before: number, after: number, full: Replacement | null): Skip {
  const detail =
    full === null || after >= before
      ? `the compacted context would hold ${after} tokens, the present one holds ${before}`
      : `the summary and what comes with it would take ${full.replacement_tokens} tokens, and stand ` +
        `for ${full.covered_tokens}`;
  return { reason: 'would_not_shrink', detail };
}
