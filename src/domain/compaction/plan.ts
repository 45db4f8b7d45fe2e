import type { View } from '../context/view.ts';
import type { Config } from '../policy/config.ts';
import type { Skip } from '../session/compaction-commands.ts';
import type { Mode, Trigger } from '../session/events.ts';
import { configOf, contextTokens, type Head } from '../session/head.ts';
import type { World } from '../session/world.ts';
import { withSafetyMargin } from '../tokens/count.ts';
import { thresholds } from '../tokens/thresholds.ts';
import { counterFor } from '../tokens/tokenizers.ts';
import { type FullPlan, planFull } from './full.ts';
import { materialOf } from './material.ts';
import { type MicroPlan, planMicro } from './micro.ts';

export type CompactionPlan =
  | { kind: 'skip'; skip: Skip }
  | {
      kind: 'micro';
      micro: MicroPlan;
      strategy: Config['micro_compact_strategy'];
      tokens_after: number;
    }
  | FullPlan;

export type PlanRequest = { mode: Mode; trigger: Trigger };

/**
 * What a compaction does: pure, so that a dry run shows exactly what the worker would do (SPEC
 * sections 7 and 8). In `auto` mode clearing comes first; when the context would still be at its
 * threshold, a full compaction takes its place, and reads the results before anything was cleared.
 */
export function planCompaction(
  world: World,
  head: Head,
  view: View,
  request: PlanRequest,
): CompactionPlan {
  const config = configOf(head.settings, world.server);
  const { threshold } = thresholds(config, head.settings.context_window);
  const tokens = contextTokens(head.state, config);
  const count = counterFor(config, world.tokenizers);
  if (!config.enabled) {
    return skip('compaction_disabled', 'compaction was switched off after this one was requested');
  }
  if (request.trigger === 'auto' && tokens < threshold) {
    return skip('below_threshold', `${tokens} tokens are below the threshold of ${threshold}`);
  }
  const full = () =>
    planFull({ view, material: materialOf(view), config, count, tokens, threshold });
  if (request.mode === 'full') return full();
  const micro = config.micro_compact_enabled ? plannedMicro() : null;
  if (request.mode === 'micro') return micro ?? skip('not_effective', whyNotMicro(config));
  const isEnough =
    micro !== null && (micro.tokens_after < threshold || !config.micro_compact_escalate);
  if (isEnough) return micro;
  const plan = full();
  // Clearing that is not enough is still better than nothing.
  return plan.kind === 'skip' && micro !== null ? micro : plan;

  function plannedMicro(): Extract<CompactionPlan, { kind: 'micro' }> | null {
    const overBy = Math.ceil((tokens - threshold + 1) / config.token_safety_multiplier);
    const planned = planMicro(view, config, count, overBy);
    if (planned === null) return null;
    const saved = planned.edits.reduce((sum, e) => sum + e.tokens_before - e.tokens_after, 0);
    const tokens_after = withSafetyMargin(head.state.tokens - saved, config);
    if (tokens_after >= tokens) return null;
    return { kind: 'micro', micro: planned, strategy: config.micro_compact_strategy, tokens_after };
  }
}

function whyNotMicro(config: Config): string {
  return config.micro_compact_enabled
    ? `clearing old tool results would save less than ${config.micro_compact_min_tokens_to_save} tokens`
    : 'micro-compaction is switched off (micro_compact_enabled)';
}

function skip(reason: Skip['reason'], detail: string): { kind: 'skip'; skip: Skip } {
  return { kind: 'skip', skip: { reason, detail } };
}
