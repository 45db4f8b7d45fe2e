import { describe, expect, it } from 'vitest';
import type { ConfigOverrides } from '../../../src/domain/policy/config.ts';
import { WINDOW } from '../lab.ts';
import { appendTo, reporting } from './lab.ts';

/** What an append answers that brings the context to so many tokens. */
function at(tokens: number, config: ConfigOverrides = {}, window = WINDOW) {
  return appendTo([reporting(tokens)], config, { window }).answer;
}

const PCT = (auto_compact_pct_override: number) => ({ auto_compact_pct_override });
const AT = (auto_compact_threshold: number) => ({ auto_compact_threshold });
const OFF = { auto_compact_enabled: false };

describe('get_auto_compact_threshold', () => {
  it.each<[string, number, ConfigOverrides, number]>([
    ['CV-100: 13,000 below the window', 200_000, {}, 187_000],
    ['CV-100: of a larger window', 1_000_000, {}, 987_000],
    ['CV-100: of a smaller window', 64_000, {}, 51_000],
    ['CV-100: another buffer', 200_000, { free_space_buffer: 50_000 }, 150_000],
    ['CV-101: an explicit figure', 200_000, AT(150_000), 150_000],
    ['CV-101: never above the default', 200_000, AT(187_001), 187_000],
    ['CV-101: it wins over the percentage', 200_000, { ...AT(150_000), ...PCT(10) }, 150_000],
    ['CV-101: also when it is larger', 200_000, { ...AT(190_000), ...PCT(10) }, 187_000],
    ['CV-102: a percentage of the window', 200_000, PCT(80), 160_000],
    ['CV-102: 1 is the least whole one', 200_000, PCT(1), 2_000],
    ['CV-102: of an odd window, rounded down', 100_001, PCT(50), 50_000],
    ['CV-102, CV-111: never above the default', 200_000, PCT(99), 187_000],
    ['CV-102, CV-111: 100 is still a percentage', 200_000, PCT(100), 187_000],
    ['CV-104: a fraction, the result rounded down', 200_000, PCT(33.3333), 66_666],
  ])('%s', (_row, window, config, threshold) => {
    const below = at(threshold - 1, config, window);
    expect(below.context).toMatchObject({ limit: threshold, is_above_auto_compact: false });
    expect(below.compaction).toBeNull();
    const reached = at(threshold, config, window);
    expect(reached.context.is_above_auto_compact).toBe(true);
    expect(reached.compaction).toMatchObject({ mode: 'auto', trigger: 'auto' });
  });
});

describe('calculate_thresholds', () => {
  it('CV-105: the limit is the threshold while automatic compaction is on, else the window', () => {
    expect(at(1).context.limit).toBe(187_000);
    expect(at(1, PCT(80)).context.limit).toBe(160_000);
    expect(at(1, OFF).context.limit).toBe(200_000);
    expect(at(1, { ...OFF, ...PCT(80) }).context.limit).toBe(200_000);
  });

  it.each<[number, ConfigOverrides, number]>([
    [1_870, {}, 99],
    [1_871, {}, 98],
    [93_500, {}, 50],
    [93_501, {}, 49],
    [186_999, {}, 0],
    [187_000, {}, 0],
    [250_000, {}, 0],
    [100_000, OFF, 50],
    // A percentage so small that it leaves no limit at all.
    [1, PCT(0.0001), 0],
  ])(
    'CV-106, CV-111: %i tokens under %o leave %i percent, rounded down',
    (tokens, config, left) => {
      expect(at(tokens, config).context.percent_remaining).toBe(left);
    },
  );

  it.each<[string, ConfigOverrides]>([
    ['as it comes', {}],
    ['with a lower threshold', PCT(80)],
    ['switched off', OFF],
  ])('CV-107, CV-109: the warning stands 20,000 below the window, %s', (_name, config) => {
    expect(at(179_999, config).context.is_above_warning).toBe(false);
    expect(at(180_000, config).context.is_above_warning).toBe(true);
  });

  it('CV-108: the error level is the same as that of the warning', () => {
    for (const tokens of [1, 179_999, 180_000, 187_000]) {
      const { is_above_warning, is_above_error } = at(tokens).context;
      expect(is_above_error).toBe(is_above_warning);
    }
    expect(at(180_000).context.is_above_error).toBe(true);
    // It has a field of its own all the same.
    const apart = at(180_000, { error_threshold: 10_000 }).context;
    expect(apart).toMatchObject({ is_above_warning: true, is_above_error: false });
  });

  it('CV-109: above auto-compact only while automatic compaction is on', () => {
    expect(at(187_000).context.is_above_auto_compact).toBe(true);
    expect(at(300_000, OFF).context.is_above_auto_compact).toBe(false);
    expect(at(300_000, OFF).compaction).toBeNull();
  });

  it('CV-110, CV-111: the percentage and three flags, beside tokens and limit', () => {
    expect(at(183_000).context).toEqual({
      tokens: 183_000,
      limit: 187_000,
      percent_remaining: 2,
      is_above_warning: true,
      is_above_error: true,
      is_above_auto_compact: false,
    });
  });
});
