import type { View } from '../context/view.ts';
import type { Attribution } from '../policy/attribution.ts';
import type { Config } from '../policy/config.ts';
import { isStillDue } from '../policy/tiers.ts';
import { switchedOff } from '../session/disarm.ts';
import type { Mode, Trigger } from '../session/events.ts';
import { contextTokens, type Head } from '../session/head.ts';
import { savedBy } from '../session/result-edits.ts';
import type { Terms } from '../session/world.ts';
import { withSafetyMargin } from '../tokens/count.ts';
import { thresholds, usableWindow } from '../tokens/thresholds.ts';
import { counterFor } from '../tokens/tokenizers.ts';
import { type CutPlan, planFull, type Skipped, skip } from './full.ts';
import { type Material, materialOf } from './material.ts';
import { clearable, type MicroPlan, planMicro, planShortening } from './micro.ts';
import type { PlanInput } from './plan-input.ts';
import { type RemotePlan, remoteModel } from './remote.ts';

export type CompactionPlan =
  | Skipped
  | {
      kind: 'micro';
      micro: MicroPlan;
      strategy: Config['micro_compact_strategy'];
      tokens_after: number;
    }
  | CutPlan
  | RemotePlan;

export type PlanRequest = {
  mode: Mode;
  trigger: Trigger;
  attribution: Pick<Attribution, 'path'> & Partial<Pick<Attribution, 'tier'>>;
  /** What a summary is to dwell on. */
  focus: string | null;
  before: number | null;
};

/** The plan's request for a compaction: how it runs, and what was asked for in words. */
export function planRequest(
  { mode, trigger, attribution, before }: Omit<PlanRequest, 'focus'>,
  asked: { focus?: string | undefined; instructions?: string | undefined },
): PlanRequest {
  const focus = asked.focus ?? asked.instructions ?? null;
  return { mode, trigger, attribution, before, focus };
}

/**
 * What a compaction does: pure, so that a dry run shows exactly what the worker would do (SPEC
 * sections 7 and 8). In `auto` mode clearing comes first; when the context would still be at its
 * threshold, or inside the tier that asks, a full compaction takes its place, and reads the results
 * before anything was cleared.
 * With `remote_compaction` the provider does that one, where it can (section 13); mode `remote` asks
 * the provider at once, mode `full` never does. `material` is that of the view, where it is known.
 */
export function planCompaction(
  terms: Terms,
  head: Head,
  view: View,
  request: PlanRequest,
  material: readonly Material[] = materialOf(view),
): CompactionPlan {
  const { config, context_window } = terms;
  const { threshold } = thresholds(config, context_window);
  const tokens = contextTokens(head.state, config);
  const count = counterFor(config, terms.tokenizers);
  const off = switchedOff(config, request);
  if (off !== null) return skip('compaction_disabled', off);
  // The other ways have their own reasons, which the threshold knows nothing of.
  if (request.attribution.path === 'append' && tokens < threshold) {
    return skip('below_threshold', `${tokens} tokens are below the threshold of ${threshold}`);
  }
  const { before } = request;
  const is_automatic = request.trigger === 'auto';
  const limits = { tokens, threshold, before, context_window };
  const input = { view, material, config, count, ...limits, is_automatic };
  const isRemote = config.remote_compaction && remoteModel(head.settings).model !== null;
  const micro = () => microPlan(input, head, planMicro(input));
  switch (request.mode) {
    case 'full':
      return planFull(input);
    case 'remote':
      return remotePlan(input);
    case 'micro': {
      const plan = config.micro_compact_enabled ? micro() : null;
      return plan ?? skip('not_effective', whyNotMicro(input));
    }
    case 'auto': {
      const plan = config.micro_compact_enabled
        ? micro()
        : microPlan(input, head, planShortening(input));
      return inSteps(input, request, plan, isRemote ? remotePlan : planFull);
    }
    default:
      return request.mode satisfies never;
  }
}

export type MicroCompaction = Extract<CompactionPlan, { kind: 'micro' }>;

/** Clearing where it is enough, else a full compaction; clearing that is not enough beats nothing. */
function inSteps(
  input: PlanInput & { context_window: number },
  request: PlanRequest,
  micro: MicroCompaction | null,
  planWhole: (input: PlanInput) => CompactionPlan,
): CompactionPlan {
  if (micro === null) return planWhole(input);
  if (isEnough(micro, input, request)) return micro;
  const whole = planWhole(input);
  return whole.kind === 'skip' ? micro : whole;
}

/** Whether a micro-compaction ends what was asked for. */
function isEnough(
  { tokens_after }: MicroCompaction,
  { config, threshold, tokens, context_window }: PlanInput & { context_window: number },
  { attribution, trigger, focus }: PlanRequest,
): boolean {
  // The provider would refuse the next request, whatever the document says about the end of a step.
  if (tokens_after >= usableWindow(config, context_window)) return false;
  if (trigger === 'tool') {
    // An agent asks for space, and wants to know what was kept; a focus is for a summary.
    return focus === null && tokens_after <= tokens / 2;
  }
  if (!config.micro_compact_escalate) return true;
  const { tier = null } = attribution;
  return tokens_after < threshold && !isStillDue({ tier }, tokens_after, config, context_window);
}

function remotePlan(input: PlanInput): RemotePlan | Skipped {
  const full = planFull(input);
  return full.kind === 'skip' ? full : { kind: 'remote', full };
}

/** Null when clearing is not worth it, or would not make the context smaller (SPEC 18, rule 7). */
function microPlan(input: PlanInput, head: Head, micro: MicroPlan | null): MicroCompaction | null {
  const { config } = input;
  if (micro === null) return null;
  const tokens_after = withSafetyMargin(head.state.tokens - savedBy(micro.edits), config);
  if (tokens_after >= input.tokens) return null;
  return { kind: 'micro', micro, strategy: config.micro_compact_strategy, tokens_after };
}

function whyNotMicro(input: PlanInput): string {
  const { config, tokens } = input;
  const context = `the context holds ${tokens} tokens`;
  if (!config.micro_compact_enabled) {
    return `${context}, and clearing is switched off (micro_compact_enabled)`;
  }
  const { eligible, old, chosen } = clearable(input);
  if (old.results === 0) return `${context}, and none in old tool results that may be cleared`;
  if (chosen.results === 0) {
    const target = config.micro_compact_target_tokens;
    return `${context}, and its tool results ${eligible.tokens}: clearing starts above ${target} (micro_compact_target_tokens)`;
  }
  const results = chosen.results === 1 ? 'result' : 'results';
  const saved = `${context}, and clearing ${chosen.results} old tool ${results} would save ${chosen.tokens}`;
  const least = config.micro_compact_min_tokens_to_save;
  return chosen.tokens < least
    ? `${saved}, less than the minimum of ${least} (micro_compact_min_tokens_to_save)`
    : `${saved}, no more than their placeholders would take`;
}
