import {
  ALL_BUT_LASTING_TOOLS,
  CLAUDE_CODE_TOOLS,
  type Config,
  type ConfigOverrides,
  DEFAULT_ELIGIBLE_TOOLS,
} from './config.ts';

export const PROFILES = [
  'default',
  'claude-code',
  'codex-v2',
  'rawr',
  'tiered',
  'codex-classic',
] as const;
export type Profile = (typeof PROFILES)[number];

export const DEFAULT_CONTEXT_WINDOW = 200_000;

/** The values that a profile has where it does not say otherwise. */
export const BASE_CONFIG: Config = {
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
  signal_commit_commands: ['git commit'],
  signal_pr_commands: [
    'gh pr create',
    'gh pr close',
    'gh pr merge',
    'gh pr reopen',
    'gh pr review',
    'gt create',
    'gt submit',
    'gt ss',
    'gt review',
    'gt land',
  ],
  signal_plan_tools: ['update_plan', 'todo_write', 'TodoWrite', 'write_todos', 'todowrite'],
  signal_agent_done: ['done', 'completed', 'finished', 'shipped', 'pushed'],
  signal_agent_done_unless: ['not done', 'not completed', 'not finished'],
  signal_topic_shift: [
    'moving on',
    'switching to',
    'next,',
    'next:',
    'next up',
    "now let's",
    "now, let's",
    "we'll now",
  ],
  signal_concluding_thought: [
    'in summary',
    'to summarize',
    'to wrap up',
    'wrapping up',
    'conclusion',
    'concluding',
    'final thoughts',
    'next steps',
  ],
  packet_author: 'none',
  packet_max_tail_chars: 1_200,
  packet_max_tokens: 4_000,
  packet_timeout_seconds: 300,
  manual_commands: false,
  tool_compact_min_tokens: 0,
  remote_compaction: false,
  max_output_tokens: 0,
  free_space_buffer: 13_000,
  warning_threshold: 20_000,
  error_threshold: 20_000,
  threshold_style: 'window',
  micro_compact_enabled: true,
  micro_compact_strategy: 'until_target',
  micro_compact_min_tokens_to_save: 20_000,
  micro_compact_min_result_tokens: 0,
  micro_compact_keep_last_n_tools: 3,
  micro_compact_target_tokens: 40_000,
  micro_compact_eligible_tools: DEFAULT_ELIGIBLE_TOOLS,
  micro_compact_clear_errors: false,
  micro_compact_replacement: 'placeholder',
  micro_compact_placeholder: '[Old tool result content cleared]',
  recall: false,
  gateway_recall: false,
  gateway_recall_rounds: 3,
  micro_compact_truncate_over_tokens: null,
  micro_compact_truncate_inputs_over_tokens: null,
  micro_compact_escalate: true,
  compaction_cost_aware: false,
  cost_horizon_turns: 20,
  restore_max_files: 5,
  restore_tokens_per_file: 5_000,
  restore_total_file_budget: 50_000,
  restore_over_budget: 'skip',
  restore_exclude: ['.claude/plans/', '.claude/agents/', '*.agent.json', '*.agent.toml'],
  restore_todos: true,
  restore_plan: true,
  token_counter: 'estimate',
  token_estimate: 'utf8_ceil',
  token_safety_multiplier: 1.33,
  approx_bytes_per_token: 4,
  tokens_per_image: 2_000,
  preserve_user_messages: false,
  user_message_max_tokens: 20_000,
  protected_messages: null,
  protected_tokens: null,
  summarization_model: null,
  summarization_model_provider_id: null,
  summary_template: 'nine-sections',
  summary_style: 'lines',
  summary_include_analysis: true,
  summary_max_tokens: 8_000,
  transcript_style: 'record',
  transcript_max_tokens: null,
  // The documents of the other profiles say what stands in the context: a report changes nothing.
  retention_check: 'report',
  retention_min: 0.9,
  retention_reject: 0.2,
  retention_repair_max_tokens: 1_000,
  summarizer_fallback: ['extractive'],
  summarizer_max_attempts: 3,
  summarizer_timeout_seconds: 120,
  min_new_tokens_between_compactions: 2_000,
  breaker_max_failures: 3,
  breaker_reset_seconds: 600,
};

/** Budgets that profile `default` shrinks in proportion below a 200,000 token window (SPEC 15). */
const SCALED = [
  'free_space_buffer',
  'warning_threshold',
  'error_threshold',
  'micro_compact_min_tokens_to_save',
  'micro_compact_target_tokens',
  'restore_tokens_per_file',
  'restore_total_file_budget',
  'user_message_max_tokens',
  'min_new_tokens_between_compactions',
] as const satisfies readonly (keyof Config)[];

/**
 * The values of a profile for a context window (tokens). `default` follows the window; the others
 * keep the absolute figures of their documents (SPEC section 15).
 */
export function profileConfig(profile: Profile, contextWindow: number): Config {
  switch (profile) {
    case 'default':
      return scaledDefault(contextWindow);
    case 'claude-code':
      return {
        ...BASE_CONFIG,
        threshold_style: 'limit',
        micro_compact_eligible_tools: CLAUDE_CODE_TOOLS,
        micro_compact_clear_errors: true,
        token_estimate: 'utf16_round',
        token_safety_multiplier: 4 / 3,
        summary_style: 'claude-code',
        summary_max_tokens: 20_000,
        summarizer_timeout_seconds: 60,
        manual_commands: true,
      };
    case 'codex-v2':
      return {
        ...BASE_CONFIG,
        micro_compact_strategy: 'all_older',
        micro_compact_escalate: false,
        restore_over_budget: 'stop',
        preserve_user_messages: true,
        summary_max_tokens: 20_000,
      };
    case 'rawr':
      return {
        ...BASE_CONFIG,
        auto_compact_trigger: 'tiers',
        // The hard threshold is the line of the emergency tier.
        auto_compact_pct_override: 85,
        packet_author: 'watcher',
        micro_compact_enabled: false,
        preserve_user_messages: true,
        ...NOTHING_RESTORED,
      };
    case 'tiered':
      return {
        ...BASE_CONFIG,
        auto_compact_pct_override: 80,
        free_space_buffer: 0,
        warning_threshold: contextWindow - Math.floor(contextWindow * 0.7),
        error_threshold: Math.min(20_000, Math.floor(contextWindow / 10)),
        micro_compact_strategy: 'all_older',
        // A step that breaks the provider's prompt cache has to pay.
        micro_compact_min_tokens_to_save: Math.floor(contextWindow / 50),
        micro_compact_min_result_tokens: leastResult(contextWindow),
        micro_compact_eligible_tools: ['*'],
        micro_compact_clear_errors: true,
        micro_compact_truncate_over_tokens: 2_500,
        protected_messages: 12,
        manual_commands: true,
        tool_compact_min_tokens: 10_000,
        summary_template: 'seven-sections',
        summarizer_fallback: ['micro'],
        ...NOTHING_RESTORED,
      };
    case 'codex-classic':
      return {
        ...BASE_CONFIG,
        auto_compact_trigger: 'limit',
        auto_compact_min_messages: 8,
        manual_commands: true,
        micro_compact_enabled: false,
        preserve_user_messages: true,
        summary_template: 'handoff',
        transcript_style: 'turns',
        ...NOTHING_RESTORED,
      };
    default:
      return profile satisfies never;
  }
}

/** For the systems whose documents restore no files, todos or plan. */
const NOTHING_RESTORED = {
  restore_max_files: 0,
  restore_todos: false,
  restore_plan: false,
} as const satisfies Partial<Config>;

/** 200 tokens (SPEC section 26), and less in a window in which that is much. */
function leastResult(contextWindow: number): number {
  return Math.min(200, Math.floor(contextWindow / 50));
}

function scaledDefault(contextWindow: number): Config {
  const share = Math.min(1, contextWindow / DEFAULT_CONTEXT_WINDOW);
  const config: Config = {
    ...BASE_CONFIG,
    retention_check: 'repair',
    micro_compact_eligible_tools: ALL_BUT_LASTING_TOOLS,
    micro_compact_replacement: 'digest',
    micro_compact_min_result_tokens: leastResult(contextWindow),
    protected_tokens: Math.floor(contextWindow / 10),
    // A summary may take a tenth of a small window, and never needs more than 8,000 tokens.
    summary_max_tokens: Math.max(64, Math.min(8_000, Math.floor(contextWindow / 10))),
  };
  for (const field of SCALED) config[field] = Math.floor(BASE_CONFIG[field] * share);
  return config;
}

/**
 * The configuration in force: profile, then the server's overrides, then the session's; later ones win
 * field by field. Only the limits of the operator stay what they are: a session can narrow them (SPEC
 * section 15).
 */
export function resolveConfig(settings: {
  profile: Profile;
  context_window: number;
  server: ConfigOverrides;
  session: ConfigOverrides;
}): Config {
  const server = withoutUndefined(settings.server);
  const config = {
    ...profileConfig(settings.profile, settings.context_window),
    ...server,
    ...withoutUndefined(settings.session),
  };
  // A promise that cannot be kept is never made, and one that is kept is.
  return withinLimits({ ...config, recall: config.recall || config.gateway_recall }, server);
}

/**
 * What the operator has set of the fields that say what a session may reach: off stays off, a list of
 * what is left out grows, a figure is the highest.
 */
function withinLimits(config: Config, server: Partial<Config>): Config {
  const limited = { ...config };
  for (const field of SWITCHES) if (server[field] === false) limited[field] = false;
  for (const field of EXCLUSIONS) {
    limited[field] = [...new Set([...(server[field] ?? []), ...config[field]])];
  }
  for (const field of CEILINGS) {
    limited[field] = Math.min(config[field], server[field] ?? Number.POSITIVE_INFINITY);
  }
  for (const [field, ceiling] of WAITS) {
    limited[field] = Math.min(config[field], server[field] ?? ceiling);
  }
  return limited;
}

/** Compaction as a whole; sending conversations to the provider's own compaction. */
const SWITCHES = ['enabled', 'remote_compaction'] as const satisfies readonly (keyof Config)[];
/** Paths that are not read, also from the operator's folder. */
const EXCLUSIONS = ['restore_exclude'] as const satisfies readonly (keyof Config)[];
/** How much of files comes back, also from the operator's folder. */
const CEILINGS = [
  'restore_max_files',
  'restore_tokens_per_file',
  'restore_total_file_budget',
] as const satisfies readonly (keyof Config)[];

/** How long a compaction may hold a slot, and what a session may ask for where nothing is set. */
const WAITS = [
  ['summarizer_max_attempts', 5],
  ['summarizer_timeout_seconds', 300],
] as const satisfies readonly (readonly [keyof Config, number])[];

function withoutUndefined(overrides: ConfigOverrides): Partial<Config> {
  return Object.fromEntries(
    Object.entries(overrides).filter(([, value]) => value !== undefined),
  ) as Partial<Config>;
}

/**
 * Says why a configuration has no room in a window, with the figures, or null when it has
 * (SPEC section 15: refused, never silently bent).
 */
export function windowProblem(config: Config, contextWindow: number): string | null {
  const usable = contextWindow - config.max_output_tokens;
  const threshold = usable - config.free_space_buffer;
  const from = config.threshold_style === 'limit' ? threshold : usable;
  const needed = Math.max(config.warning_threshold, config.error_threshold);
  if (threshold > 0 && from - needed > 0) return null;
  const buffer = config.free_space_buffer;
  const least =
    1 +
    config.max_output_tokens +
    (config.threshold_style === 'limit' ? buffer + needed : Math.max(buffer, needed));
  const answer =
    config.max_output_tokens === 0 ? '' : `max_output_tokens ${config.max_output_tokens}, `;
  return (
    `a context_window of ${contextWindow} tokens leaves no room for ${answer}free_space_buffer ` +
    `${config.free_space_buffer}, warning_threshold ${config.warning_threshold} and error_threshold ` +
    `${config.error_threshold}; use a context_window of at least ${least}, smaller figures, or profile "default", ` +
    'whose figures follow the window'
  );
}
