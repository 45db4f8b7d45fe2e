import type { Tier } from '../policy/boundaries.ts';
import type { Config } from '../policy/config.ts';
import { percentOfWindowRemaining, tierOf } from '../policy/tiers.ts';
import { contextTokens, type Head } from './head.ts';

type WindowStanding = { tokens: number; percent_remaining: number; tier: Tier | null };

/** Where a context stands in its window as the tiers measure it (SPEC section 11); tokens and percent. */
export function windowStanding({ state, settings }: Head, config: Config): WindowStanding {
  const tokens = contextTokens(state, config);
  const percent_remaining = percentOfWindowRemaining(tokens, settings.context_window);
  return { tokens, percent_remaining, tier: tierOf(percent_remaining, config) };
}
