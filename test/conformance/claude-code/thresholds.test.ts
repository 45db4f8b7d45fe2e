import { describe, expect, it } from 'vitest';
import type { ConfigOverrides } from '../../../src/domain/policy/config.ts';
import { profileConfig } from '../../../src/domain/policy/profiles.ts';
import { reporting, WINDOW } from '../lab.ts';
import { appendTo } from './lab.ts';

/** What an append answers that brings the context to so many tokens. */
function at(tokens: number, config: ConfigOverrides = {}, window = WINDOW) {
  return appendTo([reporting(tokens)], config, { window }).answer;
}

const PCT = (auto_compact_pct_override: number) => ({ auto_compact_pct_override });
const OFF = { auto_compact_enabled: false };

describe('the threshold of automatic compaction', () => {
  it.each<[string, number, ConfigOverrides, number]>([
    ['CC-01, CC-20, CC-23: 13,000 below the window', 200_000, {}, 187_000],
    ['CC-23: with room for the answer', 200_000, { max_output_tokens: 32_000 }, 155_000],
    ['CC-20: of a larger window', 1_000_000, {}, 987_000],
    ['CC-20: of a smaller window', 64_000, {}, 51_000],
    ['CC-21, CC-23: a percentage of the window', 200_000, PCT(80), 160_000],
    ['CC-21, CC-25: a fraction, rounded down', 200_000, PCT(33.3333), 66_666],
    ['CC-21: of an odd window, rounded down', 100_001, PCT(50), 50_000],
    ['CC-22: never above the default', 200_000, PCT(99), 187_000],
    ['CC-21, CC-22: 100 is still a percentage', 200_000, PCT(100), 187_000],
  ])('%s', (_row, window, config, threshold) => {
    const below = at(threshold - 1, config, window);
    expect(below.context).toMatchObject({ limit: threshold, is_above_auto_compact: false });
    expect(below.compaction).toBeNull();
    const reached = at(threshold, config, window);
    expect(reached.context.is_above_auto_compact).toBe(true);
    expect(reached.compaction).toMatchObject({ mode: 'auto', trigger: 'auto' });
  });

  it.each([
    ['CC-30, CC-33', 'switched off', OFF, 300_000, false],
    ['CC-30, CC-33', 'on by default', {}, 300_000, true],
  ])('%s: automatic compaction %s', (_id, _name, config, tokens, isAbove) => {
    const { context, compaction } = at(tokens, config);
    expect(context.is_above_auto_compact).toBe(isAbove);
    expect(compaction !== null).toBe(isAbove);
  });
});

describe('levels and percentage', () => {
  it('CC-26: the limit is the threshold while automatic compaction is on, else the window', () => {
    expect(at(1, {}).context.limit).toBe(187_000);
    expect(at(1, OFF).context.limit).toBe(200_000);
    expect(at(1, { ...OFF, ...PCT(80) }).context.limit).toBe(200_000);
  });

  it.each([
    [0, {}, 100],
    [186_000, {}, 1],
    [186_066, {}, 0],
    [93_500, {}, 50],
    [187_000, {}, 0],
    [250_000, {}, 0],
    [100_000, OFF, 50],
  ])(
    'CC-27: %i tokens under %o leave %i percent, rounded, never below 0',
    (tokens, config, left) => {
      expect(at(tokens, config).context.percent_remaining).toBe(left);
    },
  );

  it.each([
    ['CC-02, CC-28, CC-29', 'the limit of 187,000', {}, 167_000],
    ['CC-28', 'the limit of 160,000', PCT(80), 140_000],
    ['CC-26, CC-28', 'the window, when off', OFF, 180_000],
  ])('%s: the warning stands 20,000 below %s', (_ids, _limit, config, level) => {
    expect(at(level - 1, config).context.is_above_warning).toBe(false);
    expect(at(level, config).context.is_above_warning).toBe(true);
  });

  it('CC-03: the error level is the same as that of the warning', () => {
    for (const tokens of [0, 166_999, 167_000, 180_000]) {
      const { is_above_warning, is_above_error } = at(tokens).context;
      expect(is_above_error).toBe(is_above_warning);
    }
    expect(at(167_000).context.is_above_error).toBe(true);
  });

  it('CC-29, CC-32: the three checks are independent', () => {
    const separate = { warning_threshold: 30_000, error_threshold: 10_000 };
    const flags = (tokens: number, config = {}) => {
      const { context } = at(tokens, { ...separate, ...config });
      return [context.is_above_warning, context.is_above_error, context.is_above_auto_compact];
    };
    expect(flags(156_999)).toEqual([false, false, false]);
    expect(flags(157_000)).toEqual([true, false, false]);
    expect(flags(177_000)).toEqual([true, true, false]);
    expect(flags(187_000)).toEqual([true, true, true]);
    expect(flags(250_000, OFF)).toEqual([true, true, false]);
    // A level above the limit leaves nothing but the third.
    expect(flags(187_000, { warning_threshold: 0, error_threshold: 0 })).toEqual([
      true,
      true,
      true,
    ]);
  });

  it('CC-31: the answer has the percentage and the three flags', () => {
    expect(at(100_000).context).toEqual({
      tokens: 100_000,
      limit: 187_000,
      percent_remaining: 47,
      is_above_warning: false,
      is_above_error: false,
      is_above_auto_compact: false,
    });
  });

  it('CC-01, CC-02, CC-03: the figures do not follow the window', () => {
    for (const window of [64_000, 200_000, 1_000_000]) {
      expect(profileConfig('claude-code', window)).toMatchObject({
        free_space_buffer: 13_000,
        warning_threshold: 20_000,
        error_threshold: 20_000,
      });
    }
  });
});
