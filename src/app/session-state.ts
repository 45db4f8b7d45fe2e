import { percentOfWindowUsed } from '../domain/policy/tiers.ts';
import { configOf, contextTokens, type Head, packetState } from '../domain/session/head.ts';
import { windowStanding } from '../domain/session/window-standing.ts';
import type { World } from '../domain/session/world.ts';
import { type ThresholdState, thresholdState } from '../domain/tokens/thresholds.ts';
import type { SessionRef } from './ports/event-store.ts';

/** Where the context of a session stands now (SPEC section 6). */
export function levelsOf({ settings, state }: Head, world: World): ThresholdState {
  const config = configOf(settings, world.server);
  return thresholdState(contextTokens(state, config), config, settings.context_window);
}

/** A session as lists show it; from the head only, so it costs the same whatever the history. */
export function summaryOf(ref: SessionRef, head: Head, world: World) {
  const { settings, state } = head;
  const { running, breaker_reset_at_ms } = state;
  const config = configOf(settings, world.server);
  const { tokens, percent_remaining, tier } = windowStanding(head, config);
  return {
    id: ref.session_id,
    title: state.title,
    format: settings.format,
    profile: settings.profile,
    model: settings.model,
    context_window: settings.context_window,
    metadata: settings.metadata,
    version: state.version,
    counts: { items: state.items, compactions: state.compactions },
    context: thresholdState(tokens, config, settings.context_window),
    compact_state: {
      base_compaction_id: state.base?.compaction_id ?? null,
      through: state.base?.through ?? null,
      changed_at_version: state.compacted_version === 0 ? null : state.compacted_version,
      tokens_since_compaction: state.tokens_since_compaction,
    },
    running_compaction: running && {
      id: running.id,
      status: running.status,
      mode: running.mode,
      trigger: running.trigger,
    },
    signals: state.signals,
    tier,
    percent_used_of_window: percentOfWindowUsed(tokens, settings.context_window),
    percent_remaining_of_window: percent_remaining,
    preflight_armed: state.preflight !== null,
    packet: packetOf(state),
    breaker: {
      is_open: breaker_reset_at_ms !== null,
      failures: state.failures,
      reset_at: breaker_reset_at_ms === null ? null : new Date(breaker_reset_at_ms).toISOString(),
    },
    created_at: state.created_at,
    updated_at: state.updated_at,
  };
}

function packetOf(state: Head['state']) {
  const { packet_request } = state;
  return {
    state: packetState(state),
    deadline: packet_request && new Date(packet_request.deadline_ms).toISOString(),
  };
}

/** A session with its configuration: what is in force, and what the session itself has set. */
export function stateOf(ref: SessionRef, head: Head, world: World) {
  return {
    ...summaryOf(ref, head, world),
    config: configOf(head.settings, world.server),
    config_overrides: head.settings.config,
  };
}
