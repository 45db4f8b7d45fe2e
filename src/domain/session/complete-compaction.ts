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
import type { CompletedReport, EventData, NewEvent } from './events.ts';
import { contextTokens, hasUserSpoken, type Running, type State } from './head.ts';
import { packetItem } from './packet-item.ts';
import { isPaid } from './summarizer-usage.ts';
import type { Terms } from './world.ts';

/** What is only known when a compaction is written: what came meanwhile counts, too. */
type Effect = Pick<
  CompletedReport,
  'tokens_before' | 'tokens_after' | 'is_above_threshold' | 'is_still_due'
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
 * appended with it, where one belongs to the compaction. Rejects: session_not_found.
 */
export function completeMicro(
  terms: Terms,
  attempt: Attempt,
  result: MicroResult,
  clock: Clock,
  packet: PacketText | null = null,
): Decide<Applied> {
  return complete(terms, attempt, clock, packet, (compaction_id, effect) => ({
    type: 'compaction.micro_completed',
    data: { ...result, compaction_id, ...effect },
  }));
}

/**
 * Applies a full or remote compaction in one step (SPEC section 8, phase 7), or skips it when it would
 * not make the context smaller (section 18, rule 7). Items that came meanwhile stay after the cut, and
 * before the `packet`, which is appended with it where one belongs to the compaction. Rejects:
 * session_not_found.
 */
export function completeFull(
  terms: Terms,
  attempt: Attempt,
  result: FullResult,
  clock: Clock,
  packet: PacketText | null = null,
): Decide<Applied> {
  const eventOf = (compaction_id: string, effect: Effect): NewEvent => ({
    type: 'compaction.completed',
    data: { ...result, compaction_id, report: { ...result.report, ...effect } },
  });
  return complete(terms, attempt, clock, packet, eventOf, result.report);
}

/** What a full compaction puts in place of what it covers, in tokens without margin, and its cost. */
type Replacement = Pick<CompletedReport, 'replacement_tokens' | 'covered_tokens' | 'usage'>;
/** Both end in the same way: the packet after them, then a word about threshold and breaker. */
function complete(
  terms: Terms,
  attempt: Attempt,
  clock: Clock,
  packet: PacketText | null,
  eventOf: (compaction_id: string, effect: Effect) => NewEvent,
  full: Replacement | null = null,
): Decide<Applied> {
  return whileRunning(attempt, (head, running) => {
    const { config, context_window } = terms;
    const { threshold } = thresholds(config, context_window);
    const tokens_before = contextTokens(head.state, config);
    const completed = (tokens_after: number) =>
      eventOf(running.id, {
        tokens_before,
        tokens_after,
        is_above_threshold: tokens_after >= threshold,
        is_still_due: isStillDue(running.attribution, tokens_after, config, context_window),
      });
    const compacted = advance(head, [completed(0)], clock.at);
    const bare = contextTokens(compacted.state, config);
    if (bare >= tokens_before || (full !== null && !isSmaller(full))) {
      const skip = {
        ...wouldNotShrink(tokens_before, bare, full),
        ...(full && isPaid(full.usage) && { usage: full.usage }),
      };
      return skipEvents(head, running, config, clock, skip);
    }
    const heads = { before: head, after: compacted };
    const isWanted = packet !== null && !isOutdated(packet, head.state, running);
    const behind = isWanted ? packetItem(terms, running, packet.text, heads, clock.at) : [];
    const tokens_after = contextTokens(advance(compacted, behind, clock.at).state, config);
    const events = [completed(tokens_after), ...behind];
    const exceeded: NewEvent = {
      type: 'compaction.threshold_exceeded',
      data: { compaction_id: running.id, post_compact_tokens: tokens_after, threshold },
    };
    const after = advance(head, events, clock.at);
    return [
      ...events,
      ...(tokens_after >= threshold ? [exceeded] : []),
      ...(after.state.failures === 0 ? closedBreaker(head) : []),
      ...openedBreaker(head, after, config, clock.now_ms),
    ];
  });
}

/**
 * Whether a packet says no longer how to go on: the user has spoken since, or the text that was taken
 * for it was followed by calls, so that the agent was not at its end.
 */
function isOutdated({ seq }: PacketText, state: State, { requested_version }: Running): boolean {
  return hasUserSpoken(state, requested_version) || (seq !== null && state.last_call > seq);
}

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
