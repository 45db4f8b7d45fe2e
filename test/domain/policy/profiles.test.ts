import { describe, expect, it } from 'vitest';
import type { Config, ConfigOverrides } from '../../../src/domain/policy/config.ts';
import {
  type Profile,
  profileConfig,
  resolveConfig,
  windowProblem,
} from '../../../src/domain/policy/profiles.ts';

/** The table of SPEC 15. */
const TABLE: Partial<Config> = {
  enabled: true,
  auto_compact_enabled: true,
  auto_compact_threshold: null,
  auto_compact_pct_override: null,
  auto_compact_trigger: 'threshold',
  auto_compact_mode: 'auto',
  auto_compact_token_limit: null,
  auto_compact_min_messages: 0,
  trigger_early_percent_remaining_lt: 85,
  trigger_ready_percent_remaining_lt: 75,
  trigger_asap_percent_remaining_lt: 65,
  trigger_emergency_percent_remaining_lt: 15,
  auto_requires_any_boundary: [],
  packet_author: 'none',
  packet_max_tail_chars: 1_200,
  packet_max_tokens: 4_000,
  packet_timeout_seconds: 300,
  manual_commands: false,
  tool_compact_min_tokens: 0,
  remote_compaction: false,
  transcript_style: 'record',
  transcript_max_tokens: null,
  free_space_buffer: 13_000,
  warning_threshold: 20_000,
  error_threshold: 20_000,
  micro_compact_enabled: true,
  micro_compact_min_tokens_to_save: 20_000,
  micro_compact_keep_last_n_tools: 3,
  micro_compact_target_tokens: 40_000,
  micro_compact_placeholder: '[Old tool result content cleared]',
  restore_max_files: 5,
  restore_tokens_per_file: 5_000,
  restore_total_file_budget: 50_000,
  restore_todos: true,
  restore_plan: true,
  token_safety_multiplier: 1.33,
  approx_bytes_per_token: 4,
  tokens_per_image: 2_000,
  user_message_max_tokens: 20_000,
  summarization_model: null,
  summarization_model_provider_id: null,
  retention_min: 0.9,
  retention_reject: 0.2,
  retention_repair_max_tokens: 1_000,
  summarizer_fallback: ['extractive'],
  breaker_max_failures: 3,
};

const NOTHING_RESTORED = { restore_max_files: 0, restore_todos: false, restore_plan: false };

const FIGURES: Record<Profile, Partial<Config>> = {
  default: {
    protected_tokens: 20_000,
    retention_check: 'repair',
    micro_compact_escalate: true,
    preserve_user_messages: false,
    summary_max_tokens: 8_000,
    summarizer_timeout_seconds: 120,
  },
  'claude-code': {
    token_safety_multiplier: 4 / 3,
    token_estimate: 'utf16_round',
    threshold_style: 'limit',
    micro_compact_strategy: 'until_target',
    retention_check: 'report',
    summary_style: 'claude-code',
    summary_max_tokens: 20_000,
    summarizer_timeout_seconds: 60,
    protected_tokens: null,
    manual_commands: true,
  },
  'codex-v2': {
    micro_compact_strategy: 'all_older',
    micro_compact_escalate: false,
    preserve_user_messages: true,
    restore_over_budget: 'stop',
    summary_max_tokens: 20_000,
    protected_tokens: null,
  },
  rawr: {
    auto_compact_trigger: 'tiers',
    auto_compact_pct_override: 85,
    packet_author: 'watcher',
    micro_compact_enabled: false,
    preserve_user_messages: true,
    protected_messages: null,
    protected_tokens: null,
    summary_template: 'nine-sections',
    summary_max_tokens: 8_000,
    ...NOTHING_RESTORED,
  },
  tiered: {
    auto_compact_pct_override: 80,
    free_space_buffer: 0,
    warning_threshold: 60_000,
    error_threshold: 20_000,
    micro_compact_strategy: 'all_older',
    micro_compact_min_tokens_to_save: 4_000,
    micro_compact_truncate_over_tokens: 2_500,
    micro_compact_escalate: true,
    protected_messages: 12,
    protected_tokens: null,
    preserve_user_messages: false,
    manual_commands: true,
    tool_compact_min_tokens: 10_000,
    summary_template: 'seven-sections',
    summary_max_tokens: 8_000,
    summarizer_fallback: ['micro'],
    ...NOTHING_RESTORED,
  },
  'codex-classic': {
    auto_compact_trigger: 'limit',
    auto_compact_min_messages: 8,
    manual_commands: true,
    micro_compact_enabled: false,
    preserve_user_messages: true,
    protected_messages: null,
    protected_tokens: null,
    summary_template: 'handoff',
    summary_max_tokens: 8_000,
    transcript_style: 'turns',
    ...NOTHING_RESTORED,
  },
};

describe('profiles at 200,000 tokens', () => {
  it.each(Object.entries(FIGURES))('%s', (profile, figures) => {
    expect(profileConfig(profile as Profile, 200_000)).toMatchObject({ ...TABLE, ...figures });
  });
});

describe('figures and the window', () => {
  const small = {
    free_space_buffer: 1_040,
    warning_threshold: 1_600,
    error_threshold: 1_600,
    micro_compact_min_tokens_to_save: 1_600,
    micro_compact_target_tokens: 3_200,
    restore_tokens_per_file: 400,
    restore_total_file_budget: 4_000,
    user_message_max_tokens: 1_600,
  };

  it('default shrinks in proportion below 200,000', () => {
    expect(profileConfig('default', 16_000)).toMatchObject({ ...small, protected_tokens: 1_600 });
    expect(windowProblem(profileConfig('default', 16_000), 16_000)).toBeNull();
  });

  it('default does not grow above it, but for the protected tenth', () => {
    expect(profileConfig('default', 1_000_000)).toEqual({
      ...profileConfig('default', 200_000),
      protected_tokens: 100_000,
    });
  });

  it.each(['claude-code', 'codex-v2'] as const)('%s keeps its figures', (profile) => {
    expect(profileConfig(profile, 16_000)).toEqual(profileConfig(profile, 200_000));
  });

  it.each([
    ['claude-code', 33_000, true],
    ['claude-code', 33_001, false],
    ['codex-v2', 20_000, true],
    ['codex-v2', 20_001, false],
    ['codex-v2', 13_000, true],
    ['default', 1, false],
  ] as const)('%s in a window of %i: refused %s', (profile, window, isRefused) => {
    const problem = windowProblem(profileConfig(profile, window), window);
    if (!isRefused) expect(problem).toBeNull();
    else {
      for (const figure of [
        `${window} tokens`,
        'free_space_buffer 13000',
        'warning_threshold 20000',
        'error_threshold 20000',
      ]) {
        expect(problem).toContain(figure);
      }
    }
  });
});

describe('resolveConfig', () => {
  const resolve = (server: ConfigOverrides, session: ConfigOverrides) =>
    resolveConfig({ profile: 'default', context_window: 200_000, server, session });

  it('lets the session win over the server, the server over the profile', () => {
    const config = resolve(
      { summary_max_tokens: 100, warning_threshold: 1 },
      { summary_max_tokens: 200, error_threshold: 2 },
    );
    expect(config).toEqual({
      ...profileConfig('default', 200_000),
      summary_max_tokens: 200,
      warning_threshold: 1,
      error_threshold: 2,
    });
  });

  it.each([
    ['claude-code', 20_000],
    ['codex-v2', 20_000],
    ['rawr', 8_000],
    ['tiered', 8_000],
    ['codex-classic', 8_000],
    ['default', 8_000],
  ] as const)('%s plans summaries of at most %i tokens', (profile, tokens) => {
    expect(profileConfig(profile, 200_000).summary_max_tokens).toBe(tokens);
  });

  it('lets null unset what the server set', () => {
    const config = resolve({ auto_compact_pct_override: 80 }, { auto_compact_pct_override: null });
    expect(config.auto_compact_pct_override).toBeNull();
  });

  it('keeps off what the operator switched off', () => {
    expect(resolve({ enabled: false }, { enabled: true }).enabled).toBe(false);
    expect(resolve({}, { enabled: false }).enabled).toBe(false);
  });

  it('lets a session narrow what the operator allows, never widen it', () => {
    const server = { restore_exclude: ['.env'], restore_max_files: 2, remote_compaction: false };
    const wide = { restore_exclude: [], restore_max_files: 9, remote_compaction: true };
    expect(resolve(server, wide)).toMatchObject(server);
    expect(resolve(server, { restore_exclude: ['b'], restore_max_files: 1 })).toMatchObject({
      restore_exclude: ['.env', 'b'],
      restore_max_files: 1,
    });
    // What the operator has not set is the profile's, which a session replaces.
    expect(resolve({}, wide)).toMatchObject(wide);
  });
});
