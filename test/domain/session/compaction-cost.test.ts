import { describe, expect, it } from 'vitest';
import type { PriceTable } from '../../../src/domain/policy/prices.ts';
import {
  type CostContext,
  type Costed,
  compactionCost,
  NO_SESSION_COST,
  withCost,
} from '../../../src/domain/session/compaction-cost.ts';
import { NO_COST } from '../../../src/domain/session/recorded-cost.ts';

const prices: PriceTable = {
  date: '2026-01-01',
  prices: [
    { model: 'a/main', input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 },
    { model: 'o/mini', input: 0.15, output: 0.6, cache_read: 0.075, cache_write: null },
  ],
};
const context: CostContext = { prices, model: 'main', calls: 50 };
const usage = { input: 100_000, output: 2_000, cache_read: 0, cache_creation: 0 };
const NO_USAGE = { input: 0, output: 0, cache_read: 0, cache_creation: 0 };

function costed(recorded: Partial<Costed['recorded']> = {}, rest: Partial<Costed> = {}): Costed {
  return {
    recorded: { ...NO_COST, calls: 40, cached_share: 0, ...recorded },
    tokens_before: 150_000,
    tokens_after: 30_000,
    is_in_place: true,
    ...rest,
  };
}

const byModel = { answer: { model: 'o/mini', usage } };

describe('compactionCost', () => {
  it('by a model, without a cache', () => {
    // Summary: 100,000 × 0.15 + 2,000 × 0.60 = 16,200 millionths. Saved: 120,000 × 3 = 360,000 per call.
    expect(compactionCost(costed(byModel), context)).toEqual({
      tokens: usage,
      summarizer_usd: 0.0162,
      cache_write_usd: 0,
      usd: 0.0162,
      saved_tokens: 120_000,
      saves_usd_per_call: 0.36,
      pays_after_calls: 1,
      calls_since: 10,
      unpriced: null,
    });
  });

  it('with a warm cache, which reads cheaply and has to be written anew', () => {
    // Writing: 30,000 × (3.75 − 0.30) = 103,500. Saved: 120,000 × 0.30 = 36,000 per call.
    // (16,200 + 103,500) / 36,000 = 3.325: after 4 calls.
    expect(compactionCost(costed({ ...byModel, cached_share: 1 }), context)).toMatchObject({
      summarizer_usd: 0.0162,
      cache_write_usd: 0.1035,
      usd: 0.1197,
      saves_usd_per_call: 0.036,
      pays_after_calls: 4,
    });
  });

  it('without a model it is paid at once, but for the cache', () => {
    expect(compactionCost(costed(), context)).toMatchObject({
      tokens: NO_USAGE,
      summarizer_usd: 0,
      usd: 0,
      pays_after_calls: 0,
    });
    // 103,500 / 36,000 = 2.875.
    expect(compactionCost(costed({ cached_share: 1 }), context).pays_after_calls).toBe(3);
  });

  it('exactly as many calls as it takes are enough', () => {
    // 2,400,000 × 0.15 = 360,000 = one call.
    const even = { model: 'o/mini', usage: { ...NO_USAGE, input: 2_400_000 } };
    expect(compactionCost(costed({ answer: even }), context).pays_after_calls).toBe(1);
    const more = { model: 'o/mini', usage: { ...NO_USAGE, input: 2_400_001 } };
    expect(compactionCost(costed({ answer: more }), context).pays_after_calls).toBe(2);
  });

  it('counts failed answers, each at the price of its own model', () => {
    // 16,200 + 10,000 × 3 + 100 × 15 = 47,700; cache reads of the summariser 20,000 × 0.30 = 6,000.
    const failed = [
      {
        model: 'a/main',
        usage: { input: 10_000, output: 100, cache_read: 20_000, cache_creation: 0 },
      },
    ];
    expect(compactionCost(costed({ ...byModel, failed }), context)).toMatchObject({
      tokens: { input: 110_000, output: 2_100, cache_read: 20_000, cache_creation: 0 },
      summarizer_usd: 0.0537,
    });
  });

  it.each([
    ['o/new', 'the price table does not have the model "o/new"'],
    [null, 'the log does not name the model of an answer'],
  ])('has no price for answers of %s, and never 0', (model, unpriced) => {
    expect(compactionCost(costed({ answer: { model, usage } }), context)).toMatchObject({
      tokens: usage,
      summarizer_usd: null,
      usd: null,
      saves_usd_per_call: 0.36,
      pays_after_calls: null,
      unpriced,
    });
  });

  it.each([
    [null, 'the session names no model'],
    ['own', 'the price table does not have the model "own"'],
  ])('does not know the saving of a session with the model %s', (model, unpriced) => {
    expect(compactionCost(costed(byModel), { ...context, model })).toMatchObject({
      summarizer_usd: 0.0162,
      cache_write_usd: null,
      usd: null,
      saved_tokens: 120_000,
      saves_usd_per_call: null,
      pays_after_calls: null,
      unpriced,
    });
  });

  it('saves nothing while it is not in place, but has cost what it has', () => {
    expect(compactionCost(costed(byModel, { is_in_place: false }), context)).toEqual({
      tokens: usage,
      summarizer_usd: 0.0162,
      cache_write_usd: null,
      usd: 0.0162,
      saved_tokens: null,
      saves_usd_per_call: null,
      pays_after_calls: null,
      calls_since: null,
      unpriced: null,
    });
  });

  it('does not know the calls since of a log that does not count them', () => {
    expect(compactionCost(costed({ calls: null }), context).calls_since).toBeNull();
  });
});

describe('withCost', () => {
  it('sums what is known, and counts what is not', () => {
    const known = compactionCost(costed(byModel), context);
    const unknown = compactionCost(costed({ answer: { model: 'o/new', usage } }), context);
    const sum = [known, unknown, known].reduce(withCost, NO_SESSION_COST);
    expect(sum).toEqual({
      compactions: 3,
      tokens: { input: 300_000, output: 6_000, cache_read: 0, cache_creation: 0 },
      usd: 0.0324,
      // Three times 10 calls of 0.36, of 120,000 tokens.
      saved_usd: 10.8,
      saved_tokens: 3_600_000,
      unpriced: { compactions: 1, reason: 'the price table does not have the model "o/new"' },
    });
  });
});
