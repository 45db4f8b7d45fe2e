import { describe, expect, it } from 'vitest';
import type { ConfigOverrides } from '../../../src/domain/policy/config.ts';
import { profileConfig } from '../../../src/domain/policy/profiles.ts';
import {
  isAutoCompactOn,
  thresholdState,
  thresholds,
} from '../../../src/domain/tokens/thresholds.ts';
import { configWith } from '../../support/given.ts';

describe('threshold of a window of 200,000 tokens (SPEC 6)', () => {
  it.each<[string, ConfigOverrides, number]>([
    ['window less free_space_buffer', {}, 187_000],
    ['80 %', { auto_compact_pct_override: 80 }, 160_000],
    ['99 % never raises it', { auto_compact_pct_override: 99 }, 187_000],
    ['100 % never raises it', { auto_compact_pct_override: 100 }, 187_000],
    ['a percentage is floored', { auto_compact_pct_override: 33.3333 }, 66_666],
    ['an explicit one lowers it', { auto_compact_threshold: 50_000 }, 50_000],
    ['an explicit one never raises it', { auto_compact_threshold: 190_000 }, 187_000],
    [
      'an explicit one goes before a percentage',
      { auto_compact_threshold: 150_000, auto_compact_pct_override: 10 },
      150_000,
    ],
  ])('%s', (_name, overrides, threshold) => {
    expect(thresholds(configWith(overrides), 200_000)).toEqual({ threshold, limit: threshold });
  });

  it.each<[string, ConfigOverrides]>([
    ['auto-compaction', { auto_compact_enabled: false }],
    ['all compaction', { enabled: false }],
  ])('without %s the limit is the window', (_name, overrides) => {
    expect(thresholds(configWith(overrides), 200_000)).toEqual({
      threshold: 187_000,
      limit: 200_000,
    });
  });
});

describe('threshold of the trigger "limit" (SPEC 15)', () => {
  const limit = { auto_compact_trigger: 'limit', auto_compact_token_limit: 50_000 } as const;

  it.each<[string, ConfigOverrides, number, number]>([
    ['more than the limit', limit, 50_001, 50_000],
    ['the buffer plays no part', { ...limit, free_space_buffer: 190_000 }, 50_001, 50_000],
    ['nor does an explicit threshold', { ...limit, auto_compact_threshold: 9 }, 50_001, 50_000],
    ['no more than the window', { ...limit, auto_compact_token_limit: 300_000 }, 200_000, 200_000],
    ['auto-compaction off', { ...limit, auto_compact_enabled: false }, 50_001, 200_000],
    ['no limit set', { ...limit, auto_compact_token_limit: null }, 187_000, 200_000],
    ['the figure is for this trigger only', { auto_compact_token_limit: 50_000 }, 187_000, 187_000],
  ])('%s', (_name, overrides, threshold, end) => {
    expect(thresholds(configWith(overrides), 200_000)).toEqual({ threshold, limit: end });
  });

  it.each<[ConfigOverrides, boolean]>([
    [{}, true],
    [limit, true],
    [{ ...limit, auto_compact_token_limit: null }, false],
    [{ auto_compact_trigger: 'tiers' }, true],
    [{ auto_compact_enabled: false }, false],
    [{ enabled: false }, false],
  ])('%j: something compacts by itself: %s', (overrides, isOn) => {
    expect(isAutoCompactOn(configWith(overrides))).toBe(isOn);
  });

  it.each([
    ['rawr', 170_000],
    ['tiered', 160_000],
    ['codex-classic', 187_000],
  ] as const)('profile %s: %i', (profile, threshold) => {
    expect(thresholds(profileConfig(profile, 200_000), 200_000).threshold).toBe(threshold);
  });
});

describe('where a context stands (SPEC 6)', () => {
  const none = { is_above_warning: false, is_above_error: false, is_above_auto_compact: false };
  const warned = { ...none, is_above_warning: true, is_above_error: true };

  it.each([
    [0, 100, none],
    [1, 99, none],
    [93_500, 50, none],
    [179_999, 3, none],
    [180_000, 3, warned],
    [186_999, 0, warned],
    [187_000, 0, { ...warned, is_above_auto_compact: true }],
    [300_000, 0, { ...warned, is_above_auto_compact: true }],
  ])('default, %i tokens: %i %% remain, floored', (tokens, percent_remaining, flags) => {
    expect(thresholdState(tokens, configWith(), 200_000)).toEqual({
      tokens,
      limit: 187_000,
      percent_remaining,
      ...flags,
    });
  });

  it.each([
    [0, 100, none],
    [1, 100, none],
    [166_999, 11, none],
    [167_000, 11, warned],
    [186_000, 1, warned],
    [187_000, 0, { ...warned, is_above_auto_compact: true }],
  ])(
    'claude-code, %i tokens: %i %% remain, rounded; levels from the limit',
    (tokens, percent_remaining, flags) => {
      expect(thresholdState(tokens, profileConfig('claude-code', 200_000), 200_000)).toEqual({
        tokens,
        limit: 187_000,
        percent_remaining,
        ...flags,
      });
    },
  );

  it('takes the percentage from the window when auto-compaction is off', () => {
    const config = configWith({ auto_compact_enabled: false });
    expect(thresholdState(190_000, config, 200_000)).toEqual({
      tokens: 190_000,
      limit: 200_000,
      percent_remaining: 5,
      ...warned,
    });
  });

  it('has separate levels for warning and error', () => {
    const config = configWith({ warning_threshold: 50_000, error_threshold: 20_000 });
    expect(thresholdState(150_000, config, 200_000)).toMatchObject({
      is_above_warning: true,
      is_above_error: false,
    });
  });

  it('states a percentage even when a tiny percentage leaves no limit', () => {
    const config = configWith({ auto_compact_pct_override: 0.001, free_space_buffer: 1 });
    expect(thresholdState(5, config, 1_000)).toMatchObject({ limit: 0, percent_remaining: 0 });
  });
});
