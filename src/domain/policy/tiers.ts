import type { Attribution } from './attribution.ts';
import { type Boundary, TIERS, type Tier } from './boundaries.ts';
import type { Config } from './config.ts';

/**
 * What is left of the window in whole percent, rounded down, as the tiers measure it (SPEC section
 * 11): of the whole window, not of the threshold. `tokens` and `contextWindow` are tokens.
 */
export function percentOfWindowRemaining(tokens: number, contextWindow: number): number {
  return Math.max(0, Math.floor(((contextWindow - tokens) * 100) / contextWindow));
}

/** The share of the window in use, in whole percent, rounded down; above 100 when it is overfull. */
export function percentOfWindowUsed(tokens: number, contextWindow: number): number {
  return Math.floor((tokens * 100) / contextWindow);
}

/** The percentage below which a tier begins. */
export function lineOf(tier: Tier, config: Config): number {
  return config[`trigger_${tier}_percent_remaining_lt`];
}

/** The fullest tier that the percentage lies in; null above all of them. */
export function tierOf(percentRemaining: number, config: Config): Tier | null {
  return TIERS.findLast((tier) => percentRemaining < lineOf(tier, config)) ?? null;
}

const PLAN: readonly Boundary[] = ['plan_checkpoint', 'plan_update'];
const SEMANTIC: readonly Boundary[] = ['agent_done', 'topic_shift', 'concluding_thought'];
const CHECKPOINTS: readonly Boundary[] = ['commit', 'pr_checkpoint'];

const EARLY: readonly Boundary[] = [
  'plan_checkpoint',
  'plan_update',
  'pr_checkpoint',
  'topic_shift',
];
const READY: readonly Boundary[] = [...EARLY, 'commit'];
const ASAP: readonly Boundary[] = [...READY, 'agent_done', 'concluding_thought'];

/** The boundaries that a tier accepts; null: it needs none (SPEC section 11). */
export function acceptedBoundaries(tier: Tier, config: Config): readonly Boundary[] | null {
  if (tier === 'emergency') return null;
  if (config.auto_requires_any_boundary.length > 0) return config.auto_requires_any_boundary;
  switch (tier) {
    case 'early':
      return EARLY;
    case 'ready':
      return READY;
    case 'asap':
      return ASAP;
    default:
      return tier satisfies never;
  }
}

/**
 * The boundaries among `seen` that let a tier compact; empty when it has to wait. In early and ready a
 * plan boundary counts only together with a semantic one, a commit or a PR checkpoint.
 */
export function countingBoundaries(
  tier: Exclude<Tier, 'emergency'>,
  seen: readonly Boundary[],
  config: Config,
): Boundary[] {
  const accepted = acceptedBoundaries(tier, config) ?? [];
  const found = seen.filter((boundary) => accepted.includes(boundary));
  if (tier === 'asap' || config.auto_requires_any_boundary.length > 0) return found;
  const hasCompany = seen.some((b) => SEMANTIC.includes(b) || CHECKPOINTS.includes(b));
  return hasCompany ? found : found.filter((boundary) => !PLAN.includes(boundary));
}

/**
 * Whether a compaction that a tier asked for has left the context so full that it is due again: it
 * counts as ineffective then (SPEC section 10). The line is that of the tier, but never above that
 * of `ready`, where the watcher would act again.
 */
export function isStillDue(
  { tier }: Pick<Attribution, 'tier'>,
  tokensAfter: number,
  config: Config,
  contextWindow: number,
): boolean {
  if (tier === null) return false;
  const line = Math.min(lineOf(tier, config), lineOf('ready', config));
  return percentOfWindowRemaining(tokensAfter, contextWindow) < line;
}
