import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CompactionPlan } from '../../../src/domain/compaction/plan.ts';
import { hasToPay, notWorthIt, worthOf } from '../../../src/domain/compaction/weigh.ts';
import type { ConfigOverrides } from '../../../src/domain/policy/config.ts';
import type { Price } from '../../../src/domain/policy/prices.ts';
import { contextTokens, type Head, termsOf } from '../../../src/domain/session/head.ts';
import { created, given, WORLD } from '../../support/given.ts';

const MODEL = 'anthropic/main';
const WRITER = 'anthropic/writer';
const usd = fc.integer({ min: 1, max: 2_000 }).map((cents) => cents / 100);
const price = fc
  .tuple(usd, usd, fc.double({ min: 0.01, max: 1, noNaN: true }), fc.constantFrom(1, 1.25, 2))
  .map(
    ([input, output, read, write]): Price => ({
      input,
      output,
      cache_read: input * read,
      cache_write: input * write,
    }),
  );

type Case = {
  before: number;
  after: number;
  horizon: number;
  cached: number | null;
  main: Price;
  writer: Price;
  covered: number;
  budget: number;
};
const cases = fc.record({
  before: fc.integer({ min: 1_000, max: 150_000 }),
  after: fc.integer({ min: 100, max: 160_000 }),
  horizon: fc.integer({ min: 1, max: 200 }),
  cached: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
  main: price,
  writer: price,
  covered: fc.integer({ min: 100, max: 100_000 }),
  budget: fc.integer({ min: 64, max: 8_000 }),
});

function weighing(one: Pick<Case, 'before' | 'horizon' | 'cached'>, more: ConfigOverrides = {}) {
  const config: ConfigOverrides = {
    token_safety_multiplier: 1,
    compaction_cost_aware: true,
    cost_horizon_turns: one.horizon,
    ...more,
  };
  const { head } = given(created({ context_window: 200_000, model: MODEL, config }));
  if (head === null) throw new Error('no session');
  const calls = { ...head.state.calls, cached_share: one.cached };
  const own: Head = { ...head, state: { ...head.state, tokens: one.before, calls } };
  return { head: own, terms: termsOf(own.settings, WORLD) };
}

function tableOf({ main, writer }: Pick<Case, 'main' | 'writer'>) {
  const prices = [
    { model: MODEL, ...main },
    { model: WRITER, ...writer },
  ];
  return { date: '2026-01-01', prices };
}

const clearing = (tokens_after: number): CompactionPlan => ({
  kind: 'micro',
  micro: { edits: [], tokens_saved: 1, result_tokens_before: 1, result_tokens_after: 0 },
  strategy: 'all_older',
  tokens_after,
});
const summarising = ({ after, covered, budget }: Case): CompactionPlan => ({
  kind: 'full',
  through: 1,
  said_at: null,
  previous: null,
  edits: [],
  fixed_tokens: 0,
  covered_tokens: covered,
  kept_tokens: Math.max(0, after - budget),
  conversation: [],
  instructions: [],
  carried: [],
  preserved: [],
  files: [],
  changes: [],
  attachments: [],
  ghosts: [],
  summary_budget: budget,
  limit: 200_000,
  tokens_before: 0,
  pins_version: 0,
});

/** US dollars for the input of so many calls, the first of which finds nothing of it in the cache. */
function inputUsd(calls: number, tokens: number, isNew: boolean, { main, cached }: Case): number {
  const share = cached ?? 0;
  const read = share * (main.cache_read ?? main.input) + (1 - share) * main.input;
  const written = share * (main.cache_write ?? main.input) + (1 - share) * main.input;
  const first = isNew ? Math.max(read, written) : read;
  return (tokens * (first + (calls - 1) * read)) / 1e6;
}

describe('an automatic compaction that has to pay', () => {
  it('waits where the next calls would cost more with it than without, and only there', () => {
    let waited = 0;
    let ran = 0;
    fc.assert(
      fc.property(cases, fc.boolean(), (one, isFull) => {
        const plan = isFull ? summarising(one) : clearing(one.after);
        if (plan.kind === 'skip') throw new Error('no plan');
        const to = { ...weighing(one), prices: tableOf(one), summarizer: WRITER };
        const after = Math.min(one.before, isFull ? Math.max(one.after, one.budget) : one.after);
        const summary = isFull
          ? (one.covered * one.writer.input + one.budget * one.writer.output) / 1e6
          : 0;
        const without = inputUsd(one.horizon, one.before, false, one);
        const having = summary + inputUsd(one.horizon, after, true, one);
        // Closer than prices are rounded to.
        if (Math.abs(without - having) < 1e-6) return;
        const skipped = notWorthIt(plan, to);
        expect(skipped === null).toBe(having < without);
        if (skipped === null) {
          ran += 1;
          return;
        }
        waited += 1;
        expect(skipped.skip).toMatchObject({
          reason: 'not_worth_it',
          worth: { tokens_before: one.before, tokens_after: after, horizon: one.horizon },
        });
      }),
    );
    expect(Math.min(waited, ran)).toBeGreaterThan(5);
  });

  it('that pays within some calls pays within more', () => {
    fc.assert(
      fc.property(cases, fc.integer({ min: 0, max: 500 }), (one, more) => {
        const isWaiting = (horizon: number) =>
          notWorthIt(clearing(one.after) as Exclude<CompactionPlan, { kind: 'skip' }>, {
            ...weighing({ ...one, horizon }),
            prices: tableOf(one),
            summarizer: null,
          }) !== null;
        if (!isWaiting(one.horizon)) expect(isWaiting(one.horizon + more)).toBe(false);
      }),
    );
  });

  it('is not weighed where a price is not known', () => {
    const one = { before: 100_000, horizon: 1, cached: 1 };
    const plan = clearing(99_999);
    if (plan.kind === 'skip') throw new Error('no plan');
    const empty = { date: '2026-01-01', prices: [] };
    const to = { ...weighing(one), prices: empty, summarizer: null };
    expect([worthOf(plan, to), notWorthIt(plan, to)]).toEqual([null, null]);
  });
});

describe('what has to pay', () => {
  const one = { before: 100_000, horizon: 1, cached: 1 };
  const buffer = { free_space_buffer: 20_000 };
  it.each<[string, number, ConfigOverrides, boolean]>([
    ['nothing without the option', 100_000, { compaction_cost_aware: false }, false],
    ['what stands below the window less its buffer', 179_999, buffer, true],
    ['not what stands there', 180_000, buffer, false],
    [
      'nor what the tiers call an emergency',
      171_000,
      { ...buffer, auto_compact_trigger: 'tiers' },
      false,
    ],
  ])('%s', (_, before, config, expected) => {
    const { head, terms } = weighing({ ...one, before }, config);
    expect(contextTokens(head.state, terms.config)).toBe(before);
    expect(hasToPay(terms, head)).toBe(expected);
  });
});
