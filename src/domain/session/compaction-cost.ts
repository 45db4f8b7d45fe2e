import type { Usage } from '../items/item.ts';
import { contextRates, type PriceTable, priceOf, usdOf } from '../policy/prices.ts';
import type { RecordedCost } from './recorded-cost.ts';
import { NO_TOKENS, sumOfUsage } from './summarizer-usage.ts';

/** What prices are looked up for: the model of the session, and how often it was called so far. */
export type CostContext = { prices: PriceTable; model: string | null; calls: number };

/** A compaction as far as its cost goes. */
export type Costed = {
  recorded: RecordedCost;
  /** Of the context, with margin; null: nothing was compacted. */
  tokens_before: number | null;
  tokens_after: number | null;
  is_in_place: boolean;
};

/** What a compaction costs and saves; tokens, US dollars, calls of the session's model. */
export type CompactionCost = {
  /** What all answers of the summariser have taken. */
  tokens: Usage;
  /** What they have cost. */
  summarizer_usd: number | null;
  /** What the first call after it pays more, because the provider has the new context not in its cache. */
  cache_write_usd: number | null;
  usd: number | null;
  /** What each later call reads less. */
  saved_tokens: number | null;
  saves_usd_per_call: number | null;
  /** After so many calls it has paid for itself; null: never, or not known. */
  pays_after_calls: number | null;
  calls_since: number | null;
  /** Why a price is null. */
  unpriced: string | null;
};

/** The cost of one compaction: what its log says, times the prices of a table (SPEC section 20). */
export function compactionCost(costed: Costed, context: CostContext): CompactionCost {
  const { recorded } = costed;
  const paid = [...recorded.failed, ...(recorded.answer === null ? [] : [recorded.answer])];
  const tokens = paid.reduce((sum, { usage }) => sumOfUsage(sum, usage), NO_TOKENS);
  const summarizer = priced(paid, context.prices);
  const { tokens_before: before, tokens_after: after } = costed;
  const isSaving = costed.is_in_place && before !== null && after !== null;
  if (!isSaving) {
    const usd = summarizer.usd;
    const unpriced = summarizer.unpriced;
    return { ...NOTHING_SAVED, tokens, summarizer_usd: usd, usd, unpriced };
  }
  const saved_tokens = before - after;
  const calls_since = recorded.calls === null ? null : context.calls - recorded.calls;
  const own = mainPrice(context);
  const rates = own.price && contextRates(own.price, recorded.cached_share ?? 0);
  const cache_write_usd = rates && rounded(after * rates.first);
  const saves_usd_per_call = rates && rounded(saved_tokens * rates.later);
  const usd =
    summarizer.usd === null || cache_write_usd === null
      ? null
      : rounded(summarizer.usd + cache_write_usd);
  return {
    tokens,
    summarizer_usd: summarizer.usd,
    cache_write_usd,
    usd,
    saved_tokens,
    saves_usd_per_call,
    pays_after_calls: callsToPay(usd, saves_usd_per_call),
    calls_since,
    unpriced: summarizer.unpriced ?? own.reason,
  };
}

const NOTHING_SAVED = {
  cache_write_usd: null,
  saved_tokens: null,
  saves_usd_per_call: null,
  pays_after_calls: null,
  calls_since: null,
} as const;

function callsToPay(usd: number | null, perCall: number | null): number | null {
  if (usd === null || perCall === null) return null;
  if (usd === 0) return 0;
  return perCall > 0 ? Math.ceil(rounded(usd / perCall)) : null;
}

/** The price of the session's own model, or why there is none. */
export function mainPrice({ model, prices }: Pick<CostContext, 'model' | 'prices'>) {
  if (model === null) return { price: null, reason: 'the session names no model' } as const;
  const price = priceOf(prices, model);
  return price === null ? { price, reason: unknown(model) } : { price, reason: null };
}

function priced(
  paid: RecordedCost['failed'],
  prices: PriceTable,
): { usd: number; unpriced: null } | { usd: null; unpriced: string } {
  let usd = 0;
  for (const { model, usage } of paid) {
    if (model === null)
      return { usd: null, unpriced: 'the log does not name the model of an answer' };
    const price = priceOf(prices, model);
    if (price === null) return { usd: null, unpriced: unknown(model) };
    usd += usdOf(usage, price);
  }
  return { usd: rounded(usd), unpriced: null };
}

function unknown(model: string): string {
  return `the price table does not have the model "${model}"`;
}

/** Without what sums of fractions leave behind the ninth digit. */
export function rounded(usd: number): number {
  return Math.round(usd * 1e9) / 1e9;
}

/** The cost of all compactions of a session. */
type SessionCost = {
  compactions: number;
  tokens: Usage;
  /** Of those that have a price. */
  usd: number;
  /** What was saved with the calls since, of those for which that is known. */
  saved_usd: number;
  saved_tokens: number;
  /** Compactions without a price, and why the first of them has none. */
  unpriced: { compactions: number; reason: string | null };
};

export const NO_SESSION_COST: SessionCost = {
  compactions: 0,
  tokens: NO_TOKENS,
  usd: 0,
  saved_usd: 0,
  saved_tokens: 0,
  unpriced: { compactions: 0, reason: null },
};

/** The sum with one more compaction. */
export function withCost(sum: SessionCost, cost: CompactionCost): SessionCost {
  const calls = cost.calls_since ?? 0;
  const { unpriced } = sum;
  return {
    compactions: sum.compactions + 1,
    tokens: sumOfUsage(sum.tokens, cost.tokens),
    usd: rounded(sum.usd + (cost.usd ?? 0)),
    saved_usd: rounded(sum.saved_usd + calls * (cost.saves_usd_per_call ?? 0)),
    saved_tokens: sum.saved_tokens + calls * (cost.saved_tokens ?? 0),
    unpriced:
      cost.unpriced === null
        ? unpriced
        : {
            compactions: unpriced.compactions + 1,
            reason: unpriced.reason ?? cost.unpriced,
          },
  };
}
