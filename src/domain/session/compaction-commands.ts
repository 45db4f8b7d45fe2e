import type { Config } from '../policy/config.ts';
import { isStillDue } from '../policy/tiers.ts';
import { withSafetyMargin } from '../tokens/count.ts';
import { thresholds } from '../tokens/thresholds.ts';
import { closedBreaker, openedBreaker } from './breaker.ts';
import { sessionNotFound } from './create-session.ts';
import type { Decide } from './decision.ts';
import { accept, reject } from './errors.ts';
import type { CompletedReport, EventData, Mode, NewEvent, Trigger } from './events.ts';
import { evolve } from './evolve.ts';
import { configOf, contextTokens, type Head, type Running } from './head.ts';
import { packetItem } from './packet-item.ts';
import type { World } from './world.ts';

export type RequestCompaction = {
  compaction_id: string;
  mode: Mode;
  trigger: Exclude<Trigger, 'auto'>;
  instructions?: string;
  focus?: string;
};

/** The compaction that answers a request; the request of a tool may have ended at once. */
export type Requested = { id: string; is_under_way: boolean };

/**
 * Requests a compaction by hand or by a tool; answers the one under way when there is one (SPEC section
 * 2). It takes the place of a packet that is being waited for: the service writes that itself then
 * (section 12). Rejects: session_not_found, compaction_disabled.
 */
export function requestCompaction(world: World, command: RequestCompaction): Decide<Requested> {
  return (head) => {
    if (head === null) return sessionNotFound();
    const { running } = head.state;
    if (running !== null) {
      return accept({ events: [], value: () => ({ id: running.id, is_under_way: true }) });
    }
    const config = configOf(head.settings, world.server);
    if (!config.enabled) {
      return reject(
        'compaction_disabled',
        'compaction is switched off for this session: set config.enabled to true, and start the ' +
          'server without DISABLE_COMPACT',
      );
    }
    const { packet_request, preflight } = head.state;
    // A packet or a message is waited for because a compaction is due: a skip must not end the wait.
    const isDue = packet_request !== null || preflight !== null;
    const event: NewEvent = {
      type: 'compaction.requested',
      data: {
        ...command,
        reason: 'requested',
        attribution: { path: 'request', tier: null, percent_remaining: null, boundaries: [] },
        ...(packet_request !== null && { packet: { author: 'watcher' } }),
      },
    };
    const tooFew = command.trigger === 'tool' && !isDue ? tooFewTokens(head, config) : null;
    const id = command.compaction_id;
    if (tooFew === null) {
      return accept({ events: [event], value: () => ({ id, is_under_way: true }) });
    }
    const skipped: NewEvent = {
      type: 'compaction.skipped',
      data: { ...tooFew, compaction_id: id },
    };
    return accept({ events: [event, skipped], value: () => ({ id, is_under_way: false }) });
  };
}

/** A tool that an agent calls again and again compacts only when there is something new (SPEC 15). */
function tooFewTokens({ state }: Head, config: Config): Skip | null {
  const tokens = withSafetyMargin(state.tokens_since_compaction, config);
  const least = config.tool_compact_min_tokens;
  if (tokens >= least) return null;
  return {
    reason: 'too_few_tokens',
    detail:
      `no compaction needed: ${tokens} tokens came since the last one, a tool call compacts from ` +
      `${least} on`,
  };
}

/** Whether a step of the worker was written, or came too late. */
export type Applied = { applied: boolean };

/** One attempt at a compaction; numbered by `startCompaction`, and named by all its later steps. */
export type Attempt = { compaction_id: string; attempt: number };

/**
 * A step of the attempt under way. Does nothing when the compaction has ended, and nothing when a
 * later attempt has begun: of two workers with one job, the log listens to the last that started.
 * Rejects: session_not_found, as when the session was erased meanwhile.
 */
export function whileRunning(
  { compaction_id, attempt }: Attempt,
  step: (head: Head, running: Running) => NewEvent[],
): Decide<Applied> {
  return (head) => {
    if (head === null) return sessionNotFound();
    const { running } = head.state;
    if (running?.id !== compaction_id || running.attempt !== attempt) {
      return accept({ events: [], value: () => ({ applied: false }) });
    }
    const events = step(head, running);
    return accept({ events, value: () => ({ applied: events.length > 0 }) });
  };
}

export type Started = { applied: true; attempt: number } | { applied: false };

/**
 * Begins the next attempt and answers its number; the effective configuration becomes part of the
 * log. Does nothing when the compaction has ended. Rejects: session_not_found.
 */
export function startCompaction(world: World, compactionId: string): Decide<Started> {
  return (head) => {
    if (head === null) return sessionNotFound();
    const { running } = head.state;
    if (running?.id !== compactionId) {
      return accept({ events: [], value: () => ({ applied: false }) });
    }
    const attempt = running.attempt + 1;
    const config = configOf(head.settings, world.server);
    const event: NewEvent = {
      type: 'compaction.started',
      data: { compaction_id: compactionId, attempt, config },
    };
    return accept({ events: [event], value: () => ({ applied: true, attempt }) });
  };
}

/** What is common to the steps that may open or close the breaker. `at` is ISO 8601. */
export type Clock = { now_ms: number; at: string };

export type MicroResult = Omit<
  EventData['compaction.micro_completed'],
  'compaction_id' | 'tokens_before' | 'tokens_after' | 'is_above_threshold' | 'is_still_due'
>;

/**
 * Applies the edits of a micro-compaction (SPEC section 7), or skips it when the context would not
 * become smaller, as when a usage figure that came meanwhile is below the estimate. `packet` is
 * appended with it, where one belongs to the compaction.
 */
export function completeMicro(
  world: World,
  attempt: Attempt,
  result: MicroResult,
  clock: Clock,
  packet: string | null = null,
): Decide<Applied> {
  return whileRunning(attempt, (head, running) => {
    const config = configOf(head.settings, world.server);
    const { threshold } = thresholds(config, head.settings.context_window);
    const before = contextTokens(head.state, config);
    const micro = (tokens_after: number): NewEvent => ({
      type: 'compaction.micro_completed',
      data: {
        ...result,
        compaction_id: running.id,
        tokens_before: before,
        tokens_after,
        is_above_threshold: tokens_after >= threshold,
        is_still_due: isDueAfter(tokens_after, head, running, config),
      },
    });
    const compacted = next(head, micro(0), clock.at);
    const bare = contextTokens(compacted.state, config);
    if (bare >= before) {
      return skipEvents(head, running, config, clock, wouldNotShrink(before, bare));
    }
    const heads = { before: head, after: compacted };
    const behind = packetItem(world, running, packet, heads, clock.at);
    const after = contextTokens(nextOf(compacted, behind, clock.at).state, config);
    return completedEvents(head, running, config, clock, [micro(after), ...behind], after);
  });
}

export type FullResult = Omit<EventData['compaction.completed'], 'compaction_id' | 'report'> & {
  report: Omit<
    CompletedReport,
    'tokens_before' | 'tokens_after' | 'is_above_threshold' | 'is_still_due'
  >;
};

/**
 * Applies a full compaction in one step (SPEC section 8, phase 7), or skips it when it would not make
 * the context smaller (section 18, rule 7). Items that came meanwhile stay behind the cut, and before
 * the `packet`, which is appended with it where one belongs to the compaction.
 */
export function completeFull(
  world: World,
  attempt: Attempt,
  result: FullResult,
  clock: Clock,
  packet: string | null = null,
): Decide<Applied> {
  return whileRunning(attempt, (head, running) => {
    const config = configOf(head.settings, world.server);
    const { threshold } = thresholds(config, head.settings.context_window);
    const tokens_before = contextTokens(head.state, config);
    const completed = (tokens_after: number): NewEvent => ({
      type: 'compaction.completed',
      data: {
        ...result,
        compaction_id: running.id,
        report: {
          ...result.report,
          tokens_before,
          tokens_after,
          is_above_threshold: tokens_after >= threshold,
          is_still_due: isDueAfter(tokens_after, head, running, config),
        },
      },
    });
    const compacted = next(head, completed(0), clock.at);
    const bare = contextTokens(compacted.state, config);
    if (bare >= tokens_before || result.report.replacement_tokens >= result.report.covered_tokens) {
      return skipEvents(head, running, config, clock, wouldNotShrink(tokens_before, bare));
    }
    const heads = { before: head, after: compacted };
    const behind = packetItem(world, running, packet, heads, clock.at);
    const after = contextTokens(nextOf(compacted, behind, clock.at).state, config);
    return completedEvents(head, running, config, clock, [completed(after), ...behind], after);
  });
}

export type Skip = Omit<EventData['compaction.skipped'], 'compaction_id'>;

/** Ends a compaction that has nothing to do or could not help; the context stays as it is. */
export function skipCompaction(
  world: World,
  attempt: Attempt,
  skip: Skip,
  clock: Clock,
): Decide<Applied> {
  return whileRunning(attempt, (head, running) =>
    skipEvents(head, running, configOf(head.settings, world.server), clock, skip),
  );
}

export type Failure = Pick<EventData['compaction.failed'], 'reason' | 'message' | 'will_retry'>;

/** Records a failed attempt; the context stays as it is (SPEC section 10). */
export function failCompaction(
  world: World,
  attempt: Attempt,
  failure: Failure,
  clock: Clock,
): Decide<Applied> {
  return whileRunning(attempt, (head, running) => {
    const event: NewEvent = {
      type: 'compaction.failed',
      data: { ...failure, compaction_id: running.id, attempt: running.attempt },
    };
    const config = configOf(head.settings, world.server);
    return [event, ...openedBreaker(head, next(head, event, clock.at), config, clock.now_ms)];
  });
}

/** Cancels the compaction under way. Rejects: session_not_found, compaction_not_cancellable. */
export function cancelCompaction(compactionId: string): Decide<null> {
  return (head) => {
    if (head === null) return sessionNotFound();
    if (head.state.running?.id !== compactionId) {
      return reject(
        'compaction_not_cancellable',
        'only a compaction that is queued or running can be cancelled; this one has ended: use revert ' +
          'to undo what it did',
      );
    }
    return accept({
      events: [{ type: 'compaction.cancelled', data: { compaction_id: compactionId } }],
      value: () => null,
    });
  };
}

/** What follows when a compaction has changed the context: all well, or still too large. */
function completedEvents(
  head: Head,
  running: Running,
  config: Config,
  clock: Clock,
  events: NewEvent[],
  tokensAfter: number,
): NewEvent[] {
  const { threshold } = thresholds(config, head.settings.context_window);
  const exceeded: NewEvent = {
    type: 'compaction.threshold_exceeded',
    data: { compaction_id: running.id, post_compact_tokens: tokensAfter, threshold },
  };
  const after = nextOf(head, events, clock.at);
  return [
    ...events,
    ...(tokensAfter >= threshold ? [exceeded] : []),
    ...(after.state.failures === 0 ? closedBreaker(head) : []),
    ...openedBreaker(head, after, config, clock.now_ms),
  ];
}

function isDueAfter(tokens: number, head: Head, running: Running, config: Config): boolean {
  return isStillDue(running.attribution, tokens, config, head.settings.context_window);
}

function wouldNotShrink(before: number, after: number): Skip {
  return {
    reason: 'would_not_shrink',
    detail: `the compacted context would hold ${after} tokens, the present one holds ${before}`,
  };
}

function skipEvents(
  head: Head,
  running: Running,
  config: Config,
  clock: Clock,
  skip: Skip,
): NewEvent[] {
  const event: NewEvent = {
    type: 'compaction.skipped',
    data: { ...skip, compaction_id: running.id },
  };
  return [event, ...openedBreaker(head, next(head, event, clock.at), config, clock.now_ms)];
}

function next(head: Head, event: NewEvent, at: string): Head {
  return evolve(head, { ...event, version: head.state.version + 1, at });
}

function nextOf(head: Head, events: readonly NewEvent[], at: string): Head {
  return events.reduce((last, event) => next(last, event, at), head);
}
