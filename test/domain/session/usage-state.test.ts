import { describe, expect, it } from 'vitest';
import type { NewEvent } from '../../../src/domain/session/events.ts';
import { contextTokens } from '../../../src/domain/session/head.ts';
import { usageAfter } from '../../../src/domain/session/usage-state.ts';
import {
  appended,
  completed,
  configWith,
  created,
  headOf,
  requested,
} from '../../support/given.ts';
import { assistant, ofTokens, user } from '../../support/items.ts';

const config = configWith({ token_safety_multiplier: 1 });
const answer = (input_tokens: number) => appended(assistant('ok', { usage: { input_tokens } }));

/** A full compaction from 100,000 reported tokens down to what `kept` and the summary count. */
const compacted: NewEvent[] = [
  created(),
  appended(user(ofTokens(1_000))),
  answer(100_000),
  requested(),
  completed(2, { covered: 1_000, replacement: 100, before: 100_000 }),
];

function tokensOf(events: NewEvent[]): number {
  const head = headOf(events);
  if (head === null) throw new Error('no session');
  return contextTokens(head.state, config);
}

describe('usage (SPEC section 5)', () => {
  it('takes the newest reported figure, and estimates what came after', () => {
    const events = [created(), appended(user(ofTokens(10))), answer(5_000)];
    expect(tokensOf(events)).toBe(5_000);
    expect(tokensOf([...events, appended(user(ofTokens(30)))])).toBe(5_030);
    expect(tokensOf([...events, answer(6_000)])).toBe(6_000);
  });

  it('never uses a figure from before a compaction', () => {
    expect(tokensOf(compacted)).toBeLessThan(200);
  });

  it('does not use the figure of a call that was under way meanwhile, but the next one', () => {
    const late = [...compacted, answer(101_000)];
    expect(tokensOf(late)).toBeLessThan(200);
    expect(tokensOf([...late, answer(3_000)])).toBe(3_000);
    expect(tokensOf([...late, answer(120_000)])).toBe(120_000);
  });

  it.each([
    [90_000, 0],
    [89_999, 89_999],
  ])('takes %i of 100,000 for one of those from nine tenths on', (reported, counted) => {
    const tokens = tokensOf([...compacted, answer(reported)]);
    expect(Math.max(tokens - 200, 0)).toBe(Math.max(counted - 200, 0));
  });

  it.each([
    [51_000, 0],
    [49_000, 49_000],
  ])(
    'takes %i for one of those where 100,000 were estimated, from half-way to what is left on',
    (reported, counted) => {
      const done = completed(1, { covered: 100_000, replacement: 100, before: 100_000 });
      const events = [created(), appended(user(ofTokens(100_000))), requested(), done];
      const tokens = tokensOf([...events, answer(reported)]);
      expect(tokens > 1_000 ? tokens : 0).toBe(counted);
    },
  );

  it('uses the first figure after a compaction when it is of a smaller context', () => {
    expect(tokensOf([...compacted, answer(20_000)])).toBe(20_000);
  });

  // A context that begins behind an earlier compaction knows nothing of what that has made stale.
  it.each([null, 3_054])('knows an estimate by what the event says: after %s tokens', (usage) => {
    const report = { tokens_before: 876, tokens_after: 665, is_before_reported: false };
    const done = completed(1, { covered: 200, replacement: 10, before: 876 });
    if (done.type !== 'compaction.completed') throw new Error(done.type);
    const data = { ...done.data, report: { ...done.data.report, ...report } };
    const state = { usage, tokens_since_usage: 0, stale_usage_from: null };
    const after = usageAfter(state, { ...done, data, version: 9, at: '2026-01-01T00:00:00.000Z' });
    expect(after.stale_usage_from).toBe(770);
  });
});
