import type { Normalised } from '../items/item.ts';
import { isUserMessage, userText } from '../items/speaker.ts';
import { plainAttribution } from '../policy/attribution.ts';
import type { CompactionCommand } from '../policy/commands.ts';
import type { Config } from '../policy/config.ts';
import { isAutoCompactOn, thresholdState, usableWindow } from '../tokens/thresholds.ts';
import { automaticRequest } from './automatic-request.ts';
import { preflightAttribution } from './disarm.ts';
import type { EventData, NewEvent } from './events.ts';
import { type Head, standInPacket } from './head.ts';
import { isEmergency, passGuard } from './loop-guard.ts';
import { windowStanding } from './window-standing.ts';

/** What an append has put into the log; a command is not among the items. */
type AppendedItems = {
  items: readonly { seq: number; item: Normalised }[];
  command: CompactionCommand | null;
};

/**
 * What the client is told beside the figures: what the mode leaves to it, or that the end of the turn is
 * no good moment to compact.
 */
export type Advice = 'tag' | 'suggest' | 'no_natural_boundary';
export type AfterAppend = { events: NewEvent[]; advice: Advice | null; note: string | null };

export type Request = { compaction_id: string; now_ms: number };

const NOTHING: AfterAppend = { events: [], advice: null, note: null };

const PAUSED =
  'the request was paused for a compaction, and the message stands after it, verbatim: when the ' +
  'compaction has ended, send the request to the model again or continue';
const SWITCHED_OFF = 'the command was recorded, but compaction is switched off for this session';
const UNDER_WAY =
  'the command was recorded, but a compaction is already under way, and goes on as it was requested';
const PROPOSING =
  'the command was recorded, but a proposal is being written: send it again once that has ended';

/** What a client is told whose message waits for this compaction, else null (SPEC section 13). */
export function pausedNote({ before }: EventData['compaction.requested']): string | null {
  return before === undefined ? null : PAUSED;
}

/**
 * Whether an append is followed by a compaction, and by which rule: the first that applies of one
 * under way, a command, an armed preflight, and the trigger of the configuration (SPEC sections 6,
 * 10, 11, 13).
 */
export function afterAppend(
  head: Head,
  config: Config,
  appended: AppendedItems,
  request: Request,
): AfterAppend {
  const { state } = head;
  if (state.running !== null) {
    // Requested by this append, which has ended the wait for a packet.
    const isAwaited = appended.items.some(({ seq }) => seq === state.running?.before);
    const underWay = state.running.propose ? PROPOSING : UNDER_WAY;
    return {
      ...NOTHING,
      note: appended.command === null ? (isAwaited ? PAUSED : null) : underWay,
    };
  }
  if (appended.command !== null) return commanded(head, config, appended.command, request);
  if (!config.enabled) return NOTHING;
  const armed = preflight(head, config, appended, request);
  if (armed !== null) return armed;
  if (!isAutoCompactOn(config)) return NOTHING;
  // The packet that is waited for brings the compaction with it: only an emergency comes first.
  if (state.packet_request !== null && !isEmergency(head, config)) return NOTHING;
  const due = dueRequest(head, config, appended, request);
  if (due === null) return NOTHING;
  const before = passGuard(head, config, request.now_ms);
  if (before === null) return NOTHING;
  const { auto_compact_mode: mode } = config;
  if (mode !== 'auto') return { ...NOTHING, advice: mode };
  return { events: [...before, requested(due)], advice: null, note: pausedNote(due) };
}

function commanded(
  { state }: Head,
  config: Config,
  { instructions }: CompactionCommand,
  { compaction_id }: Request,
): AfterAppend {
  if (!config.enabled) return { ...NOTHING, note: SWITCHED_OFF };
  const event = requested({
    compaction_id,
    mode: 'full',
    trigger: 'manual',
    reason: 'command',
    attribution: plainAttribution('command'),
    ...(instructions !== undefined && { instructions }),
    ...standInPacket(state),
  });
  return { events: [event], advice: null, note: null };
}

/** The message that a preflight waits for stands after the cut; one that starts with `!` does not count. */
function preflight(
  { state }: Head,
  config: Config,
  { items }: AppendedItems,
  { compaction_id }: Request,
): AfterAppend | null {
  if (state.preflight === null) return null;
  const awaited = items.find(
    ({ item }) => isUserMessage(item) && !userText(item).trimStart().startsWith('!'),
  );
  if (awaited === undefined) return null;
  const attribution = preflightAttribution(state.preflight, config);
  const event = automaticRequest(compaction_id, attribution, { before: awaited.seq });
  return { events: [event], advice: null, note: PAUSED };
}

/** The request that the trigger of the configuration makes of this append; null when it makes none. */
function dueRequest(
  head: Head,
  config: Config,
  { items }: AppendedItems,
  { compaction_id }: Request,
): EventData['compaction.requested'] | null {
  const { state, settings } = head;
  const { tokens, percent_remaining, tier } = windowStanding(head, config);
  const { is_above_auto_compact } = thresholdState(tokens, config, settings.context_window);
  if (!is_above_auto_compact) return null;
  const automatic: EventData['compaction.requested'] = {
    compaction_id,
    mode: 'auto',
    trigger: 'auto',
    reason: 'token_limit',
    attribution: plainAttribution('append'),
    ...standInPacket(state),
  };
  switch (config.auto_compact_trigger) {
    case 'threshold':
      return automatic;
    case 'limit': {
      const last = items.at(-1);
      const isFull = tokens >= usableWindow(config, settings.context_window);
      const isAsking = last !== undefined && isUserMessage(last.item);
      // Beyond the window no request goes through: a long turn cannot wait for its end.
      if (!isFull && (!isAsking || state.messages < config.auto_compact_min_messages)) return null;
      return isAsking ? { ...automatic, before: last.seq } : automatic;
    }
    case 'tiers': {
      // A client that posts the life cycle of its turns is watched there; here only as a last resort,
      // as when an emergency comes while a packet is waited for.
      const isFull = tokens >= usableWindow(config, settings.context_window);
      const isLastResort = isFull || state.packet_request !== null;
      if (state.has_life_cycle && !isLastResort) return null;
      const boundaries = state.signals;
      const attribution = { ...automatic.attribution, tier, percent_remaining, boundaries };
      return { ...automatic, attribution };
    }
    default:
      return config.auto_compact_trigger satisfies never;
  }
}

function requested(data: EventData['compaction.requested']): NewEvent {
  return { type: 'compaction.requested', data };
}
