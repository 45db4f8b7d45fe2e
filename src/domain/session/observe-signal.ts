import type { Boundary, Tier } from '../policy/boundaries.ts';
import type { Template } from '../policy/template.ts';
import { type ThresholdState, thresholdState } from '../tokens/thresholds.ts';
import { advance } from './advance.ts';
import type { Advice, Request } from './after-append.ts';
import { sessionNotFound } from './create-session.ts';
import type { Decide } from './decision.ts';
import { disarmed } from './disarm.ts';
import { accept } from './errors.ts';
import type { EventData, NewEvent } from './events.ts';
import { configOf, type UnderWay, underWay } from './head.ts';
import { packetTurnEnded, takenPacket } from './packet-commands.ts';
import { watchMidTurn, watchTurnEnd } from './watch.ts';
import { windowStanding } from './window-standing.ts';
import type { World } from './world.ts';

/** What a client reports; of messages that wait, only how many there are. */
export type Reported = Omit<EventData['signal.observed'], 'source' | 'seq'>;

/** `compaction_id`: of the compaction that this signal may request. */
export type ObserveSignal = Reported &
  Request & {
    /** What an agent is asked when it is to write a packet. */
    packet_prompt: Template;
    at: string;
  };

export type Observed = {
  version: number;
  /** The boundaries that count from now on. */
  signals: Boundary[];
  tier: Tier | null;
  percent_remaining_of_window: number;
  context: ThresholdState;
  /** The compaction that is under way now. */
  compaction: UnderWay | null;
  advice: Advice | null;
  /** What the agent has to be asked now; null when no packet is waited for. */
  packet: { prompt: string; deadline_ms: number } | null;
  preflight_armed: boolean;
};

/**
 * Records a signal of the client and, in the same write, what follows from it: after `sampling_complete`
 * with `needs_follow_up` a compaction in the middle of the turn, after `turn_complete` what the watcher
 * decides (SPEC section 11). Rejects: session_not_found.
 */
export function observeSignal(world: World, command: ObserveSignal): Decide<Observed> {
  return (head) => {
    if (head === null) return sessionNotFound();
    const config = configOf(head.settings, world.server);
    const events: NewEvent[] = [];
    let after = head;
    const push = (event: NewEvent) => {
      events.push(event);
      after = advance(after, [event], command.at);
    };
    push(observed(command));
    disarmed(after, config, command.compaction_id).forEach(push);
    takenPacket(world, after, config, [], command).forEach(push);
    let advice: Advice | null = null;
    if (command.signal === 'sampling_complete' && command.needs_follow_up === true) {
      watchMidTurn(after, config, command).forEach(push);
    }
    if (command.signal === 'turn_complete') {
      const { queued_user_messages = 0, review_mode = false, packet_prompt } = command;
      const end = { queued_user_messages, review_mode, packet_prompt };
      if (!review_mode) packetTurnEnded(after, queued_user_messages, command).forEach(push);
      const watched = watchTurnEnd(after, config, end, command);
      watched.events.forEach(push);
      advice = watched.advice;
    }
    const { tokens, percent_remaining, tier } = windowStanding(after, config);
    const { state, settings } = after;
    const value: Observed = {
      version: state.version,
      signals: state.signals,
      tier,
      percent_remaining_of_window: percent_remaining,
      context: thresholdState(tokens, config, settings.context_window),
      compaction: underWay(state),
      advice,
      packet: state.packet_request && {
        prompt: command.packet_prompt.text,
        deadline_ms: state.packet_request.deadline_ms,
      },
      preflight_armed: state.preflight !== null,
    };
    return accept({ events, value: () => value });
  };
}

function observed(command: ObserveSignal): NewEvent {
  const { signal, needs_follow_up, queued_user_messages, review_mode, completed_steps } = command;
  return {
    type: 'signal.observed',
    data: {
      signal,
      source: 'posted',
      seq: null,
      ...(needs_follow_up !== undefined && { needs_follow_up }),
      ...(queued_user_messages !== undefined && { queued_user_messages }),
      ...(review_mode !== undefined && { review_mode }),
      ...(completed_steps !== undefined && { completed_steps }),
    },
  };
}
