import { plainAttribution } from '../policy/attribution.ts';
import type { Config } from '../policy/config.ts';
import { withSafetyMargin } from '../tokens/count.ts';
import { advance } from './advance.ts';
import { openedBreaker } from './breaker.ts';
import { sessionNotFound } from './create-session.ts';
import type { Decide } from './decision.ts';
import { accept, reject } from './errors.ts';
import type { EventData, Mode, NewEvent, Trigger } from './events.ts';
import { configOf, type Head, type Running, standInPacket, termsOf } from './head.ts';
import type { Terms, World } from './world.ts';

export type RequestCompaction = {
  compaction_id: string;
  mode: Mode;
  /** `auto`: the service itself, for a request that would overflow the window. */
  trigger: Trigger;
  instructions?: string;
  focus?: string;
  /** Ends with a proposal, which waits to be applied or discarded (SPEC section 20). */
  propose?: true;
  /** Written from the log alone, since somebody waits for it (SPEC 2, section 23). */
  offline?: true;
};

/** The compaction that answers a request; the request of a tool may have ended at once. */
export type Requested = { id: string; is_under_way: boolean };

/**
 * Requests a compaction beside what an append requests; answers the one under way when there is one (SPEC section
 * 2). It takes the place of a packet that is being waited for: the service writes that itself then
 * (section 12). A proposal takes the place of nothing. Rejects: session_not_found, compaction_disabled,
 * compaction_not_proposable, compaction_under_way.
 */
export function requestCompaction(world: World, command: RequestCompaction): Decide<Requested> {
  return (head) => {
    if (head === null) return sessionNotFound();
    const { running } = head.state;
    const refused = refusal(head, command);
    if (refused !== null) return refused;
    if (running !== null) {
      return accept({ events: [], value: () => ({ id: running.id, is_under_way: true }) });
    }
    const config = configOf(head.settings, world.server);
    if (!config.enabled) return compactionDisabled();
    const { packet_request, preflight } = head.state;
    // A packet or a message is waited for because a compaction is due: a skip must not end the wait.
    const isDue = packet_request !== null || preflight !== null;
    const event: NewEvent = {
      type: 'compaction.requested',
      data: {
        ...command,
        reason: reasonOf(command),
        attribution: plainAttribution('request'),
        ...standInPacket(head.state),
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

function reasonOf({ propose, trigger }: RequestCompaction): string {
  if (propose === true) return 'proposal';
  return trigger === 'auto' ? 'token_limit' : 'requested';
}

export function compactionDisabled(): ReturnType<typeof reject> {
  return reject(
    'compaction_disabled',
    'compaction is switched off for this session: set config.enabled to true, and start the ' +
      'server without DISABLE_COMPACT',
  );
}

/** The most proposals that may stand at a time: each is named in the head, which every append reads. */
const MOST_PROPOSALS = 16;

/** Why a request cannot be answered with what is under way, or be made at all; null: it can. */
function refusal({ state }: Head, command: RequestCompaction): ReturnType<typeof reject> | null {
  const { running, packet_request, preflight, proposals } = state;
  const propose = command.propose ?? false;
  if (running !== null) {
    if (running.propose === propose) return null;
    return propose
      ? reject(
          'compaction_not_proposable',
          `compaction ${running.id} is under way and will be applied: wait for its end or cancel it, ` +
            'then propose',
        )
      : reject(
          'compaction_under_way',
          `the proposal ${running.id} is being written: wait for its end or cancel it, then ask again`,
        );
  }
  if (!propose) return null;
  if (packet_request !== null || preflight !== null) {
    const awaited = packet_request === null ? 'the next message' : 'the packet of the agent';
    return reject(
      'compaction_not_proposable',
      `a compaction is due already and waits for ${awaited}: propose when it has ended`,
    );
  }
  if (proposals.length < MOST_PROPOSALS) return null;
  return reject(
    'compaction_not_proposable',
    `${MOST_PROPOSALS} proposals stand: apply one or discard some, then propose again`,
  );
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

/** Whether a step of the worker was written, or came too late; `again`: the attempt is to be repeated. */
export type Applied = { applied: boolean; again?: true };

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
    const isToRepeat = events.some(
      ({ type, data }) => type === 'compaction.failed' && data.will_retry,
    );
    return accept({
      events,
      value: () => ({ applied: events.length > 0, ...(isToRepeat && { again: true }) }),
    });
  };
}

type Started = { applied: true; attempt: number; terms: Terms; head: Head } | { applied: false };

/**
 * Begins the next attempt and answers its number, its terms and the session as it stands then; the
 * configuration of the terms becomes part of the log. Does nothing when the compaction has ended.
 * Rejects: session_not_found.
 */
export function startCompaction(world: World, compactionId: string): Decide<Started> {
  return (head) => {
    if (head === null) return sessionNotFound();
    const { running } = head.state;
    if (running?.id !== compactionId) {
      return accept({ events: [], value: () => ({ applied: false }) });
    }
    const attempt = running.attempt + 1;
    const terms = termsOf(head.settings, world);
    const event: NewEvent = {
      type: 'compaction.started',
      data: { compaction_id: compactionId, attempt, config: terms.config },
    };
    const value = (after: Head): Started => ({ applied: true, attempt, terms, head: after });
    return accept({ events: [event], value });
  };
}

/** What is common to the steps that may open or close the breaker. `at` is ISO 8601. */
export type Clock = { now_ms: number; at: string };

export type Skip = Omit<EventData['compaction.skipped'], 'compaction_id'>;

/** Ends a compaction that has nothing to do or could not help; the context stays as it is. */
export function skipCompaction(
  { config }: Terms,
  attempt: Attempt,
  skip: Skip,
  clock: Clock,
): Decide<Applied> {
  return whileRunning(attempt, (head, running) => skipEvents(head, running, config, clock, skip));
}

type Failure = Pick<
  EventData['compaction.failed'],
  'reason' | 'message' | 'usage' | 'model' | 'will_retry'
>;

/** Records a failed attempt; the context stays as it is (SPEC section 10). */
export function failCompaction(
  { config }: Terms,
  attempt: Attempt,
  failure: Failure,
  clock: Clock,
): Decide<Applied> {
  return whileRunning(attempt, (head, running) => {
    const event: NewEvent = {
      type: 'compaction.failed',
      data: { ...failure, compaction_id: running.id, attempt: running.attempt },
    };
    return [event, ...openedBreaker(head, advance(head, [event], clock.at), config, clock.now_ms)];
  });
}

/** Cancels the compaction under way. Rejects: session_not_found, compaction_not_cancellable. */
export function cancelCompaction(compactionId: string): Decide<null> {
  return (head) => {
    if (head === null) return sessionNotFound();
    if (head.state.running?.id !== compactionId) {
      return reject(
        'compaction_not_cancellable',
        'only a compaction that is queued or running can be cancelled; this one has ended: ' +
          'revert it to undo what it did',
      );
    }
    return accept({
      events: [{ type: 'compaction.cancelled', data: { compaction_id: compactionId } }],
      value: () => null,
    });
  };
}

/** The skip, and what it does to the breaker. */
export function skipEvents(
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
  return [event, ...openedBreaker(head, advance(head, [event], clock.at), config, clock.now_ms)];
}
