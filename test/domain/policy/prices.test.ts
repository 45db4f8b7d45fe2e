import { describe, expect, it } from 'vitest';
import {
  contextRates,
  DEFAULT_PRICES,
  type Price,
  type PriceTable,
  priceOf,
  priceTableSchema,
  usdOf,
} from '../../../src/domain/policy/prices.ts';
import { DEFAULT_MODELS } from '../../../src/workers/summarizers/default-model.ts';
import { PROVIDERS } from '../../../src/workers/summarizers/providers.ts';

const PRICE: Price = { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 };
const PLAIN: Price = { input: 2, output: 8, cache_read: null, cache_write: null };

describe('the table that comes with the service', () => {
  it('is one that an operator could have written', () => {
    expect(priceTableSchema.parse(DEFAULT_PRICES)).toEqual(DEFAULT_PRICES);
    expect(DEFAULT_PRICES.prices.map(({ model }) => model.split('/', 1)[0])).toEqual(
      DEFAULT_PRICES.prices.map(() => expect.toSatisfy((name) => PROVIDERS.includes(name))),
    );
  });

  it('has the models that summarise by default where it has their maker', () => {
    for (const provider of ['anthropic', 'openai', 'google', 'groq'] as const) {
      const name = `${provider}/${DEFAULT_MODELS[provider]}`;
      expect([name, priceOf(DEFAULT_PRICES, name)]).not.toEqual([name, null]);
    }
  });

  it.each([
    ['claude-sonnet-4-5', 3, 15],
    ['anthropic/claude-sonnet-4-5-20250929', 3, 15],
    ['Anthropic/Claude-Opus-4-5', 5, 25],
    ['claude-opus-4-20250514', 15, 75],
    ['openai/gpt-4o-mini', 0.15, 0.6],
    ['gpt-4o', 2.5, 10],
    [' gpt-5-mini-2025-08-07 ', 0.25, 2],
    ['google/gemini-2.5-flash-lite', 0.1, 0.4],
    ['claude-opus-5-20260724', 5, 25],
    ['claude-opus-5-5[1m]', 4, 20],
    ['claude-sonnet-4-6', 3, 15],
    ['openai/gpt-5.4-mini', 0.75, 4.5],
    ['gpt-6.1-sol', 2, 10],
    ['google/gemini-3.5-flash-lite', 0.3, 2.5],
  ])('%s costs %d in and %d out', (model, input, output) => {
    expect(priceOf(DEFAULT_PRICES, model)).toMatchObject({ input, output });
  });

  it.each([
    'gpt-5-pro',
    'gpt-5.4-pro',
    'llama3',
    'ollama/llama3',
    'openrouter/anthropic/claude-sonnet-4',
    '',
    '/',
  ])('has no price for %o, and not 0', (model) => {
    expect(priceOf(DEFAULT_PRICES, model)).toBeNull();
  });
});

describe('priceOf', () => {
  const table: PriceTable = {
    date: '2026-01-01',
    prices: [
      { model: 'a/*', ...PRICE, input: 1 },
      { model: 'a/m-*', ...PRICE, input: 2 },
      { model: 'a/m-1', ...PRICE, input: 3 },
      { model: 'b/m-1', ...PRICE, input: 4 },
      { model: 'b/m-1*', ...PRICE, input: 5 },
    ],
  };

  it.each([
    ['a/x', 1],
    ['a/m-2', 2],
    ['a/m-1', 3],
    ['b/m-1', 4],
    ['b/m-10', 5],
    ['m-1', 3],
    ['x', 1],
  ])('the longest pattern counts: %s is %d', (model, input) => {
    expect(priceOf(table, model)).toMatchObject({ input });
  });

  it.each([
    [{ model: 'gpt-4o' }, 'model'],
    [{ model: 'a/*b' }, 'model'],
    [{ input: -1 }, 'input'],
    [{ cache_reads: 1 }, ''],
  ])('refuses a row with %o', (wrong, field) => {
    const row = { model: 'a/m', input: 1, output: 1, ...wrong };
    const { error } = priceTableSchema.safeParse({ date: '2026-01-01', prices: [row] });
    expect(error?.issues[0]?.path.join('.')).toBe(['prices.0', field].filter(Boolean).join('.'));
  });
});

describe('usdOf', () => {
  it.each([
    // 1,000 × 3 + 200 × 15 + 10,000 × 0.30 + 400 × 3.75 = 3,000 + 3,000 + 3,000 + 1,500
    [PRICE, { input: 1_000, output: 200, cache_read: 10_000, cache_creation: 400 }, 0.0105],
    // 1,000 × 2 + 200 × 8 + 10,000 × 2 + 400 × 2 = 2,000 + 1,600 + 20,000 + 800
    [PLAIN, { input: 1_000, output: 200, cache_read: 10_000, cache_creation: 400 }, 0.0244],
    [PRICE, { input: 0, output: 0, cache_read: 0, cache_creation: 0 }, 0],
  ])('%#', (price, usage, usd) => {
    expect(usdOf(usage, price)).toBeCloseTo(usd, 12);
  });
});

describe('contextRates', () => {
  it.each([
    ['nothing is cached', PRICE, 0, 3, 0],
    ['all of it is cached', PRICE, 1, 0.3, 3.45],
    // Later: 0.9 × 0.30 + 0.1 × 3 = 0.57. Written: 0.9 × 3.75 + 0.1 × 3 = 3.675.
    ['nine tenths are cached', PRICE, 0.9, 0.57, 3.105],
    ['the provider has no prices for it', PLAIN, 1, 2, 0],
  ])('%s', (_case, price, share, later, first) => {
    const rates = contextRates(price, share);
    expect(rates.later * 1e6).toBeCloseTo(later, 9);
    expect(rates.first * 1e6).toBeCloseTo(first, 9);
  });
});
