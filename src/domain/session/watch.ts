import type { Attribution } from '../policy/attribution.ts';
import type { Boundary, Tier } from '../policy/boundaries.ts';
import type { Config } from '../policy/config.ts';
import type { Template } from '../policy/template.ts';
import { countingBoundaries, lineOf } from '../policy/tiers.ts';
import { isAutoCompactOn } from '../tokens/thresholds.ts';
import type { Advice, Request } from './after-append.ts';
import { automaticRequest } from './automatic-request.ts';
import type { NewEvent } from './events.ts';
import { type Head, standInPacket } from './head.ts';
import { passGuard } from './loop-guard.ts';
import { packetRequested } from './packet-commands.ts';
import { windowStanding } from './window-standing.ts';

/** What the end of a turn says beside that it has come. */
type TurnEnd = {
  queued_user_messages: number;
  review_mode: boolean;
  /** What an agent is asked when it is to write the packet. */
  packet_prompt: Template;
};

type Watched = { events: NewEvent[]; advice: Advice | null };

const NOTHING: Watched = { events: [], advice: null };

/**
 * Between two model calls of one turn: tier and boundaries decide, the mode is not looked at, and no
 * packet is made, since the turn goes on by itself; but one that was waited for (SPEC section 11).
 */
export function watchMidTurn(head: Head, config: Config, request: Request): NewEvent[] {
  if (!isWatched(head, config)) return [];
  const found = standing(head, config);
  if (found === null || !mayCompact(found)) return [];
  const before = passGuard(head, config, request.now_ms);
  if (before === null) return [];
  const attribution = attributionOf('mid_turn', found);
  const packet = standInPacket(head.state);
  return [...before, automaticRequest(request.compaction_id, attribution, packet)];
}

/**
 * At the end of a turn: below the ready line the watcher advises or compacts, as the mode says. Without
 * a boundary it says that it does not, and records it once for the same figures (SPEC section 11).
 */
export function watchTurnEnd(head: Head, config: Config, end: TurnEnd, request: Request): Watched {
  if (!isWatched(head, config) || end.review_mode) return NOTHING;
  const found = standing(head, config);
  if (found === null || found.percent_remaining >= lineOf('ready', config)) return NOTHING;
  const { auto_compact_mode: mode } = config;
  if (mode !== 'auto') return { events: [], advice: mode };
  const attribution = attributionOf('turn_complete', found);
  if (!mayCompact(found)) {
    const events = noNaturalBoundary(head, attribution, request);
    return { events, advice: 'no_natural_boundary' };
  }
  const before = passGuard(head, config, request.now_ms);
  if (before === null) return NOTHING;
  return {
    events: [...before, ...compacted(head, config, end, attribution, request)],
    advice: null,
  };
}

/** One compaction at a time. */
function isWatched({ state }: Head, config: Config): boolean {
  if (config.auto_compact_trigger !== 'tiers' || !isAutoCompactOn(config)) return false;
  return state.running === null;
}

type Standing = { tier: Tier; percent_remaining: number; boundaries: Boundary[] };

/**
 * Where a context stands among the tiers, with the boundaries that count there. Null above all of
 * them, and while a packet is waited for, unless there is no room left to wait in.
 */
function standing(head: Head, config: Config): Standing | null {
  const { state } = head;
  const { percent_remaining, tier } = windowStanding(head, config);
  if (tier === null) return null;
  if (state.packet_request !== null && tier !== 'emergency') return null;
  // An emergency needs none, and uses up what there is.
  const boundaries =
    tier === 'emergency' ? state.signals : countingBoundaries(tier, state.signals, config);
  return { tier, percent_remaining, boundaries };
}

function mayCompact({ tier, boundaries }: Standing): boolean {
  return tier === 'emergency' || boundaries.length > 0;
}

function attributionOf(path: Attribution['path'], found: Standing): Attribution {
  return { path, ...found };
}

/** A compaction, or what has to come before one: the agent's packet, or the next user message. */
function compacted(
  { state }: Head,
  config: Config,
  end: TurnEnd,
  attribution: Attribution,
  request: Request,
): NewEvent[] {
  // What the user has already sent is the continuation, and stands after the cut.
  const unanswered = state.user_message?.unanswered_from ?? null;
  if (unanswered !== null) {
    return [automaticRequest(request.compaction_id, attribution, { before: unanswered })];
  }
  if (end.queued_user_messages > 0) return [automaticRequest(request.compaction_id, attribution)];
  // The turn that writes a packet needs room, too.
  const isUrgent = attribution.tier === 'emergency';
  if (config.packet_author === 'agent' && !isUrgent) {
    return [packetRequested(config, attribution, end.packet_prompt, request.now_ms)];
  }
  const waits = config.auto_requires_any_boundary.includes('turn_complete');
  if (waits && !isUrgent) return armed(state.preflight, attribution);
  const isPacked = config.packet_author !== 'none';
  const packet = { author: 'watcher' } as const;
  return [automaticRequest(request.compaction_id, attribution, isPacked ? { packet } : {})];
}

function armed(
  preflight: Head['state']['preflight'],
  { percent_remaining }: Attribution,
): NewEvent[] {
  if (preflight !== null || percent_remaining === null) return [];
  return [{ type: 'preflight.armed', data: { percent_remaining } }];
}

function noNaturalBoundary(
  { state }: Head,
  attribution: Attribution,
  request: Request,
): NewEvent[] {
  const last = state.last_skip;
  const isKnown =
    last !== null &&
    last.percent_remaining === attribution.percent_remaining &&
    last.signals.join() === state.signals.join();
  if (isKnown) return [];
  const skipped: NewEvent = {
    type: 'compaction.skipped',
    data: {
      compaction_id: request.compaction_id,
      reason: 'no_natural_boundary',
      detail: `no natural boundary: ${attribution.percent_remaining} % of the window is left, tier ${attribution.tier}`,
    },
  };
  return [automaticRequest(request.compaction_id, attribution), skipped];
}
