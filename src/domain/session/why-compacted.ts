import type { Config } from '../policy/config.ts';
import { isAutoCompactOn, thresholdState, thresholds, usableWindow } from '../tokens/thresholds.ts';
import type { NewEvent } from './events.ts';
import { configOf, type Head } from './head.ts';
import { isEmergency, passGuard } from './loop-guard.ts';
import { windowStanding } from './window-standing.ts';
import type { World } from './world.ts';

/** `tokens` of the context, against the `threshold` and what the `window` takes. */
type WhyCompacted = {
  requested: boolean;
  why: string;
  tokens: number;
  threshold: number;
  window: number;
};

/**
 * Why events that were committed, after which the session is `head`, brought about a compaction, or did
 * not (SPEC 2, section 27). Null for those that could not. In words of the service: nothing of a
 * conversation, nor what a client gave as its reason.
 */
export function whyCompacted(
  head: Head,
  events: readonly NewEvent[],
  { server }: Pick<World, 'server'>,
  now_ms: number,
): WhyCompacted | null {
  const config = configOf(head.settings, server);
  const { context_window } = head.settings;
  const { tokens } = windowStanding(head, config);
  const { threshold } = thresholds(config, context_window);
  const figures = { tokens, threshold, window: usableWindow(config, context_window) };
  const request = events.find(({ type }) => type === 'compaction.requested');
  if (request?.type === 'compaction.requested') {
    const { mode, trigger, attribution } = request.data;
    const skip = events.find(({ type }) => type === 'compaction.skipped');
    const end = skip?.type === 'compaction.skipped' ? `, and skipped: ${skip.data.reason}` : '';
    return {
      requested: true,
      why: `${trigger}, ${mode}, by ${attribution.path}${end}`,
      ...figures,
    };
  }
  const couldBe = events.some(({ type }) => type === 'item.appended' || type === 'signal.observed');
  return couldBe ? { requested: false, why: whyNot(head, config, now_ms), ...figures } : null;
}

/** The first rule that was against it, in the order in which they are asked (SPEC sections 6, 10, 11). */
function whyNot(head: Head, config: Config, now_ms: number): string {
  const { state, settings } = head;
  const { tokens, tier } = windowStanding(head, config);
  const { auto_compact_trigger: trigger, auto_compact_mode: mode } = config;
  if (state.running !== null) return 'one is under way';
  if (!config.enabled) return 'compaction is switched off for this session';
  if (!isAutoCompactOn(config)) return 'automatic compaction is switched off for this session';
  if (state.preflight !== null) return 'it waits for the next message of the user';
  if (state.packet_request !== null && !isEmergency(head, config)) {
    return 'it waits for the packet of the agent';
  }
  if (!thresholdState(tokens, config, settings.context_window).is_above_auto_compact) {
    return 'the context is below the threshold';
  }
  if (trigger === 'tiers') {
    if (tier === null) return 'more of the window is left than any tier asks for';
    if (state.has_life_cycle) return `tier ${tier}: the boundaries of the turn decide`;
  }
  if (passGuard(head, config, now_ms) === null) {
    return state.breaker_reset_at_ms === null
      ? `${state.tokens_since_compaction} new tokens are fewer than min_new_tokens_between_compactions`
      : 'the breaker is open after failures';
  }
  if (mode !== 'auto') return `auto_compact_mode "${mode}" leaves it to the client`;
  return `the trigger "${trigger}" waits for a better moment`;
}
