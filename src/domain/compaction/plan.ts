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
      is_final: boolean;
      tokens_after: number;
    }
  | FullPlan;

export type PlanRequest = {
  mode: Mode;
  trigger: Trigger;
  /** False once the micro step of the same compaction has been taken. */
  may_micro: boolean;
};

/**
 * The next step of a compaction: pure, so that a dry run shows exactly what the worker would do
 * (SPEC sections 7 and 8). In `auto` mode: micro first; when the context is then still at its
 * threshold, escalate to full.
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
  if (request.trigger === 'auto' && tokens < threshold && request.may_micro) {
    return skip('below_threshold', `${tokens} tokens are below the threshold of ${threshold}`);
  }
  if (request.may_micro && request.mode !== 'full' && config.micro_compact_enabled) {
    const overBy = Math.ceil((tokens - threshold + 1) / config.token_safety_multiplier);
    const micro = planMicro(view, config, count, overBy);
    const net = micro?.edits.reduce((sum, edit) => sum + edit.tokens_before - edit.tokens_after, 0);
    const tokens_after = withSafetyMargin(head.state.tokens - (net ?? 0), config);
    if (micro !== null && tokens_after < tokens) {
      const isEnough = tokens_after < threshold || !config.micro_compact_escalate;
      return {
        kind: 'micro',
        micro,
        strategy: config.micro_compact_strategy,
        is_final: request.mode === 'micro' || isEnough,
        tokens_after,
      };
    }
  }
  if (request.mode === 'micro') {
    const reason = config.micro_compact_enabled
      ? `clearing old tool results would save less than ${config.micro_compact_min_tokens_to_save} tokens`
      : 'micro-compaction is switched off (micro_compact_enabled)';
    return skip('not_effective', reason);
  }
  return planFull({ view, material: materialOf(view), config, count, tokens, threshold });
}

function skip(reason: Skip['reason'], detail: string): { kind: 'skip'; skip: Skip } {
  return { kind: 'skip', skip: { reason, detail } };
}
