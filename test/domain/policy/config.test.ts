import { describe, expect, it } from 'vitest';
import { configOverridesSchema, configSchema } from '../../../src/domain/policy/config.ts';
import { PROFILES, profileConfig } from '../../../src/domain/policy/profiles.ts';

describe('config schema', () => {
  it('takes part of the fields, and none', () => {
    const overrides = { auto_compact_pct_override: 80, summarization_model: null };
    expect(configOverridesSchema.parse(overrides)).toEqual(overrides);
    expect(configOverridesSchema.parse({})).toEqual({});
  });

  it('refuses an unknown field by name', () => {
    const parsed = configOverridesSchema.safeParse({ free_space_bufer: 1 });
    expect(parsed.error?.issues).toMatchObject([
      { code: 'unrecognized_keys', keys: ['free_space_bufer'] },
    ]);
  });

  it.each([
    ['auto_compact_pct_override', 0],
    ['auto_compact_pct_override', 101],
    ['auto_compact_threshold', 0],
    ['free_space_buffer', -1],
    ['free_space_buffer', 1.5],
    ['token_safety_multiplier', 0.9],
    ['token_counter', 'p50k'],
    ['enabled', 'yes'],
    ['micro_compact_placeholder', ''],
    ['micro_compact_eligible_tools', [1]],
    ['summarizer_fallback', ['model']],
    ['retention_check', 'on'],
    ['retention_min', 1.1],
    ['retention_reject', -0.1],
    ['retention_repair_max_tokens', 0.5],
    ['breaker_max_failures', 0],
  ])('refuses %s: %j and names the field', (field, value) => {
    const parsed = configOverridesSchema.safeParse({ [field]: value });
    expect(parsed.error?.issues[0]?.path[0]).toBe(field);
  });

  it.each(PROFILES)('profile %s has a valid value for every field', (profile) => {
    const config = profileConfig(profile, 200_000);
    expect(configSchema.parse(config)).toEqual(config);
  });
});
