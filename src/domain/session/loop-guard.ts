import type { Config } from '../policy/config.ts';
import { usableWindow } from '../tokens/thresholds.ts';
import type { NewEvent } from './events.ts';
import type { Head } from './head.ts';
import { windowStanding } from './window-standing.ts';

/**
 * The events that have to come before an automatic compaction is requested, or null when none may be:
 * too little has come since the last one, or the breaker is open (SPEC section 10).
 */
export function passGuard(head: Head, config: Config, now_ms: number): NewEvent[] | null {
  const { state } = head;
  // The end of a compaction, a cancelled one included, starts the second count anew.
  const isFirst = state.tokens_since_compaction === state.tokens;
  const hasNews = state.tokens_since_compaction >= config.min_new_tokens_between_compactions;
  if (!isFirst && !hasNews && !isEmergency(head, config)) return null;
  if (state.breaker_reset_at_ms === null) return [];
  if (now_ms < state.breaker_reset_at_ms) return null;
  return [{ type: 'breaker.closed', data: { reason: 'timeout' } }];
}

/** So little is left that the next request may be refused; with tiers, what their line says. */
export function isEmergency(head: Head, config: Config): boolean {
  const { tokens, tier } = windowStanding(head, config);
  if (tokens >= usableWindow(config, head.settings.context_window)) return true;
  return config.auto_compact_trigger === 'tiers' && tier === 'emergency';
}
