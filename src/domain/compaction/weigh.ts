import type { Config } from '../policy/config.ts';
import { contextRates, type PriceTable, priceOf, usdOf } from '../policy/prices.ts';
import { rounded } from '../session/compaction-cost.ts';
import { contextTokens, type Head } from '../session/head.ts';
import { isEmergency } from '../session/loop-guard.ts';
import { NO_TOKENS } from '../session/summarizer-usage.ts';
import type { Terms } from '../session/world.ts';
import { balanceOf, type Worth } from '../session/worth.ts';
import { withSafetyMargin } from '../tokens/count.ts';
import { usableWindow } from '../tokens/thresholds.ts';
import { counterFor } from '../tokens/tokenizers.ts';
import { type CutPlan, type Skipped, skip } from './full.ts';
import type { CompactionPlan } from './plan.ts';

/** By what a plan is weighed. `summarizer`: the model that would be asked, as `provider/model`; or none. */
type Weighing = { terms: Terms; head: Head; prices: PriceTable; summarizer: string | null };

/**
 * Whether an automatic compaction has to pay: with `compaction_cost_aware`, as long as the window leaves
 * the buffer that is to stay free. From there on nothing waits.
 */
export function hasToPay({ config, context_window }: Terms, head: Head): boolean {
  if (!config.compaction_cost_aware || isEmergency(head, config)) return false;
  const hard = usableWindow(config, context_window) - config.free_space_buffer;
  return contextTokens(head.state, config) < hard;
}

/** The skip of a plan that costs more than it saves over `cost_horizon_turns`; null where it pays, or has no price. */
export function notWorthIt(
  plan: Exclude<CompactionPlan, Skipped>,
  weighing: Weighing,
): Skipped | null {
  const worth = worthOf(plan, weighing);
  if (worth === null) return null;
  const { costs, saves } = balanceOf(worth);
  if (saves > costs) return null;
  const { tokens_before, tokens_after, horizon } = worth;
  const skipped = skip(
    'not_worth_it',
    `from ${tokens_before} to about ${tokens_after} tokens would cost ${dollars(costs)}, and save ${dollars(saves)} ` +
      `with the next ${horizon} calls (compaction_cost_aware, cost_horizon_turns)`,
  );
  return { ...skipped, skip: { ...skipped.skip, worth } };
}

/** What a plan would cost and save at these prices; null where the model of the session or of the summary has none. */
export function worthOf(
  plan: Exclude<CompactionPlan, Skipped>,
  { terms, head, prices, summarizer }: Weighing,
): Worth | null {
  const { config } = terms;
  const { calls } = head.state;
  const model = head.settings.model ?? calls.model;
  const price = model === null ? null : priceOf(prices, model);
  const before = contextTokens(head.state, config);
  const summarizer_usd = summaryUsd(plan, { config, prices, summarizer, model });
  if (price === null || summarizer_usd === null) return null;
  const after = Math.min(before, tokensAfter(plan, terms));
  const rates = contextRates(price, calls.cached_share ?? 0);
  return {
    tokens_before: before,
    tokens_after: after,
    summarizer_usd,
    cache_write_usd: rounded(after * rates.first),
    saves_usd_per_call: rounded((before - after) * rates.later),
    horizon: config.cost_horizon_turns,
  };
}

/** With margin. A summary is taken to be as long as it may be. */
function tokensAfter(plan: Exclude<CompactionPlan, Skipped>, terms: Terms): number {
  switch (plan.kind) {
    case 'micro':
      return plan.tokens_after;
    case 'full':
      return afterFull(plan, terms);
    case 'remote':
      return afterFull(plan.full, terms);
    default:
      return plan satisfies never;
  }
}

function afterFull(plan: CutPlan, { config, tokenizers }: Terms): number {
  const count = counterFor(config, tokenizers);
  const files = plan.files.reduce((sum, { content }) => sum + count(content), 0);
  return withSafetyMargin(
    plan.kept_tokens + plan.fixed_tokens + plan.summary_budget + files,
    config,
  );
}

function summaryUsd(
  plan: Exclude<CompactionPlan, Skipped>,
  {
    config,
    prices,
    summarizer,
    model,
  }: { config: Config; prices: PriceTable; summarizer: string | null; model: string | null },
): number | null {
  if (plan.kind === 'micro') return 0;
  const asked = plan.kind === 'remote' ? model : summarizer;
  if (asked === null) return 0;
  const price = priceOf(prices, asked);
  const { covered_tokens, summary_budget } = plan.kind === 'remote' ? plan.full : plan;
  const input = withSafetyMargin(covered_tokens, config);
  const output = withSafetyMargin(summary_budget, config);
  return price && rounded(usdOf({ ...NO_TOKENS, input, output }, price));
}

function dollars(usd: number): string {
  return `$${usd.toFixed(usd < 1 ? 4 : 2)}`;
}
