import type { Config } from '../policy/config.ts';
import { thresholds } from '../tokens/thresholds.ts';
import { sessionNotFound } from './create-session.ts';
import type { Decide } from './decision.ts';
import { accept, reject } from './errors.ts';
import type {
  Base,
  CompletedReport,
  EventData,
  EventOf,
  Mode,
  NewEvent,
  Trigger,
} from './events.ts';
import { evolve } from './evolve.ts';
import { configOf, contextTokens, type Head, type Running } from './head.ts';
import type { World } from './world.ts';

export type RequestCompaction = {
  compaction_id: string;
  mode: Mode;
  trigger: Exclude<Trigger, 'auto'>;
  instructions?: string;
  focus?: string;
};

/**
 * Requests a compaction by hand; answers the one under way when there is one (SPEC section 2).
 * Rejects: session_not_found, compaction_disabled.
 */
export function requestCompaction(world: World, command: RequestCompaction): Decide<Running> {
  return (head) => {
    if (head === null) return sessionNotFound();
    const { running } = head.state;
    if (running !== null) return accept({ events: [], value: () => running });
    if (!configOf(head.settings, world.server).enabled) {
      return reject(
        'compaction_disabled',
        'compaction is switched off for this session: set config.enabled to true, and start the ' +
          'server without DISABLE_COMPACT',
      );
    }
    const event: NewEvent = {
      type: 'compaction.requested',
      data: { ...command, reason: 'requested' },
    };
    return accept({
      events: [event],
      value: (after) => after.state.running ?? unreachable('a requested compaction is under way'),
    });
  };
}

/** Whether a step of the worker was written, or came too late because the compaction had ended. */
export type Applied = { applied: boolean };

/**
 * A step of the compaction under way. Does nothing when another one, or none, is under way. Rejects:
 * session_not_found, as when the session was erased meanwhile.
 */
function whileRunning(
  compactionId: string,
  step: (head: Head, running: Running) => NewEvent[],
): Decide<Applied> {
  return (head) => {
    if (head === null) return sessionNotFound();
    const { running } = head.state;
    if (running?.id !== compactionId) {
      return accept({ events: [], value: () => ({ applied: false }) });
    }
    const events = step(head, running);
    return accept({ events, value: () => ({ applied: events.length > 0 }) });
  };
}

/** Marks the next attempt; the effective configuration becomes part of the log. */
export function startCompaction(world: World, compactionId: string): Decide<Applied> {
  return whileRunning(compactionId, (head, running) => [
    {
      type: 'compaction.started',
      data: {
        compaction_id: compactionId,
        attempt: running.attempt + 1,
        config: configOf(head.settings, world.server),
      },
    },
  ]);
}

/** What is common to the steps that may open or close the breaker. `at` is ISO 8601. */
export type Clock = { now_ms: number; at: string };

export type MicroResult = Omit<
  EventData['compaction.micro_completed'],
  'compaction_id' | 'tokens_before' | 'tokens_after'
>;

/**
 * Applies the edits of a micro-compaction (SPEC section 7), or skips it when the context would not
 * become smaller, as when a usage figure that came meanwhile is below the estimate.
 */
export function completeMicro(
  world: World,
  compactionId: string,
  result: MicroResult,
  clock: Clock,
): Decide<Applied> {
  return whileRunning(compactionId, (head, running) => {
    const config = configOf(head.settings, world.server);
    const before = contextTokens(head.state, config);
    const event = (tokensAfter: number): NewEvent => ({
      type: 'compaction.micro_completed',
      data: {
        ...result,
        compaction_id: compactionId,
        tokens_before: before,
        tokens_after: tokensAfter,
      },
    });
    const after = contextTokens(next(head, event(0), clock.at).state, config);
    if (after < before) return [event(after), ...closedBreaker(head)];
    return skipEvents(head, running, config, clock, wouldNotShrink(before, after));
  });
}

export type FullResult = Omit<EventData['compaction.completed'], 'compaction_id' | 'report'> & {
  report: Omit<CompletedReport, 'tokens_before' | 'tokens_after' | 'is_above_threshold'>;
};

/**
 * Applies a full compaction in one step (SPEC section 8, phase 7), or skips it when it would not make
 * the context smaller (section 18, rule 7). Items that came meanwhile stay behind the cut.
 */
export function completeFull(
  world: World,
  compactionId: string,
  result: FullResult,
  clock: Clock,
): Decide<Applied> {
  return whileRunning(compactionId, (head, running) => {
    const config = configOf(head.settings, world.server);
    const { threshold } = thresholds(config, head.settings.context_window);
    const tokens_before = contextTokens(head.state, config);
    const completed = (tokens_after: number): EventOf<'compaction.completed'> => ({
      type: 'compaction.completed',
      version: head.state.version + 1,
      at: clock.at,
      data: {
        ...result,
        compaction_id: compactionId,
        report: {
          ...result.report,
          tokens_before,
          tokens_after,
          is_above_threshold: tokens_after >= threshold,
        },
      },
    });
    const tokens_after = contextTokens(evolve(head, completed(0)).state, config);
    if (
      tokens_after >= tokens_before ||
      result.report.replacement_tokens >= result.report.covered_tokens
    ) {
      return skipEvents(head, running, config, clock, wouldNotShrink(tokens_before, tokens_after));
    }
    const { type, data } = completed(tokens_after);
    const event: NewEvent = { type, data };
    if (!data.report.is_above_threshold) return [event, ...closedBreaker(head)];
    return [
      event,
      {
        type: 'compaction.threshold_exceeded',
        data: { compaction_id: compactionId, post_compact_tokens: tokens_after, threshold },
      },
      ...openedBreaker(head, next(head, event, clock.at), config, clock),
    ];
  });
}

export type Skip = Omit<EventData['compaction.skipped'], 'compaction_id'>;

/** Ends a compaction that has nothing to do or could not help; the context stays as it is. */
export function skipCompaction(
  world: World,
  compactionId: string,
  skip: Skip,
  clock: Clock,
): Decide<Applied> {
  return whileRunning(compactionId, (head, running) =>
    skipEvents(head, running, configOf(head.settings, world.server), clock, skip),
  );
}

export type Failure = Pick<EventData['compaction.failed'], 'reason' | 'message' | 'will_retry'>;

/** Records a failed attempt; the context stays as it is (SPEC section 10). */
export function failCompaction(
  world: World,
  compactionId: string,
  failure: Failure,
  clock: Clock,
): Decide<Applied> {
  return whileRunning(compactionId, (head, running) => {
    const event: NewEvent = {
      type: 'compaction.failed',
      data: { ...failure, compaction_id: compactionId, attempt: running.attempt },
    };
    const config = configOf(head.settings, world.server);
    return [event, ...openedBreaker(head, next(head, event, clock.at), config, clock)];
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

export type RevertCompaction = {
  compaction_id: string;
  kind: 'micro' | 'full';
  /** The version of the compaction's last event, to see that nothing was built on it. */
  ended_version: number;
  /** The base that was in force before it. */
  previous: Base | null;
  /** Estimate without margin that the context grows by. */
  tokens_back: number;
  /** `compacted_version` of the head that all this was read from. */
  compacted_version: number;
};

/**
 * Undoes a compaction: an event, never a rewrite (SPEC sections 2, 18 rule 9).
 * Rejects: session_not_found, compaction_not_revertible.
 */
export function revertCompaction(command: RevertCompaction): Decide<Head> {
  return (head) => {
    if (head === null) return sessionNotFound();
    const { state } = head;
    if (state.running !== null) {
      return reject(
        'compaction_not_revertible',
        `compaction ${state.running.id} is under way: cancel it or wait for its end, then revert`,
      );
    }
    if (state.compacted_version !== command.compacted_version) {
      return reject(
        'compaction_not_revertible',
        'the context was compacted or reverted at the same moment: read the session again',
      );
    }
    const laterBase = (state.base?.version ?? 0) > command.ended_version;
    const notInForce =
      command.kind === 'full' && state.base?.compaction_id !== command.compaction_id;
    if (laterBase || notInForce) {
      return reject(
        'compaction_not_revertible',
        `a later full compaction${state.base ? ` (${state.base.compaction_id})` : ''} builds on this ` +
          'one: revert that one first',
      );
    }
    const event: NewEvent = {
      type: 'compaction.reverted',
      data: {
        compaction_id: command.compaction_id,
        kind: command.kind,
        base: command.kind === 'full' ? command.previous : state.base,
        tokens: state.tokens + command.tokens_back,
      },
    };
    return accept({ events: [event], value: (after) => after });
  };
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
  return [event, ...openedBreaker(head, next(head, event, clock.at), config, clock)];
}

/** `breaker.opened` when this step has brought the failures to their limit (SPEC section 10). */
function openedBreaker(before: Head, after: Head, config: Config, clock: Clock): NewEvent[] {
  const { failures } = after.state;
  if (failures <= before.state.failures || failures < config.breaker_max_failures) return [];
  const reset_at_ms = clock.now_ms + config.breaker_reset_seconds * 1000;
  return [{ type: 'breaker.opened', data: { failures, reset_at_ms } }];
}

function closedBreaker(head: Head): NewEvent[] {
  if (head.state.breaker_reset_at_ms === null) return [];
  return [{ type: 'breaker.closed', data: { reason: 'success' } }];
}

function next(head: Head, event: NewEvent, at: string): Head {
  return evolve(head, { ...event, version: head.state.version + 1, at });
}

function unreachable(message: string): never {
  throw new Error(message);
}
