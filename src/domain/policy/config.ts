import { z } from 'zod';
import { BOUNDARIES } from './boundaries.ts';

const tokens = z.int().min(0).max(100_000_000);
const count = z.int().min(0).max(1_000_000);

/** Tool names that micro-compaction may clear, matched case-insensitively (SPEC section 7). */
export const DEFAULT_ELIGIBLE_TOOLS = [
  // our own vocabulary
  'shell',
  'read',
  'grep',
  'glob',
  'list_dir',
  'web_fetch',
  'web_search',
  'task_output',
  // the names that real agents use for the same things
  'bash',
  'exec_command',
  'local_shell',
  'container.exec',
  'execute_bash',
  'run_shell_command',
  'run_command',
  'read_file',
  'open_file',
  'view',
  'search_files',
  'ls',
  'find',
  'list_directory',
  'webfetch',
  'websearch',
  'fetch',
  'task',
  'taskoutput',
  'bashoutput',
];

/** What sessions of the real Claude Code clear: a subagent's report stays, what an edit showed goes. */
export const CLAUDE_CODE_TOOLS = [
  ...DEFAULT_ELIGIBLE_TOOLS.filter((name) => name !== 'task'),
  'edit',
  'multiedit',
  'write',
  'notebookedit',
];

/**
 * All tools, unknown ones and those of MCP servers too, but those whose results are not found again by
 * calling them again, or stand for the state of the work: plans, answers of the user, what was
 * remembered or recalled, skills and instructions that were loaded.
 */
export const ALL_BUT_LASTING_TOOLS = [
  '*',
  '!todo*',
  '!*todos',
  '!*todo_write',
  '!update_plan',
  '!enterplanmode',
  '!exitplanmode',
  '!exit_plan_mode',
  '!taskcreate',
  '!taskupdate',
  '!taskget',
  '!tasklist',
  '!askuserquestion',
  '!ask_user*',
  '!request_user_input',
  '!*ask_followup_question',
  '!memory',
  '!*memory*',
  '!remember*',
  '!recall',
  '!*__recall',
  '!search_history',
  '!*__search_history',
  '!compact',
  '!*__compact',
  '!skill',
];

/** An empty name leaves the choice to the service, like none. */
function emptyIsNone(name: string | null): string | null {
  return name === '' ? null : name;
}

/** Summarisers that ask nobody: as a `summarization_model` they switch models off. */
export const OFFLINE_SUMMARIZERS = ['extractive'] as const;
export type OfflineSummarizer = (typeof OFFLINE_SUMMARIZERS)[number];

export function isOffline(name: string): name is OfflineSummarizer {
  return OFFLINE_SUMMARIZERS.some((offline) => offline === name);
}

const percent = z.number().min(0).max(100);
const share = z.number().min(0).max(1);
const phrases = z.array(z.string().min(1).max(200)).max(200);

/**
 * The flat configuration table of SPEC section 15. Token figures are in tokens, times in seconds.
 * Every field has a value in every profile; `null` means "not set".
 */
export const configSchema = z.strictObject({
  enabled: z.boolean(),
  auto_compact_enabled: z.boolean(),
  auto_compact_threshold: tokens.min(1).nullable(),
  auto_compact_pct_override: z.number().gt(0).max(100).nullable(),
  /** What asks for an automatic compaction: the threshold, the tiers of signals, or a plain limit. */
  auto_compact_trigger: z.enum(['threshold', 'tiers', 'limit']),
  auto_compact_mode: z.enum(['tag', 'suggest', 'auto']),
  auto_compact_token_limit: tokens.min(1).nullable(),
  auto_compact_min_messages: count,
  trigger_early_percent_remaining_lt: percent,
  trigger_ready_percent_remaining_lt: percent,
  trigger_asap_percent_remaining_lt: percent,
  trigger_emergency_percent_remaining_lt: percent,
  auto_requires_any_boundary: z.array(z.enum(BOUNDARIES)).max(BOUNDARIES.length),
  /** Words and phrases that boundaries are derived from: plain text, found as it stands. */
  signal_commit_commands: phrases,
  signal_pr_commands: phrases,
  signal_plan_tools: phrases,
  signal_agent_done: phrases,
  signal_agent_done_unless: phrases,
  signal_topic_shift: phrases,
  signal_concluding_thought: phrases,
  packet_author: z.enum(['none', 'watcher', 'agent']),
  packet_max_tail_chars: z.int().min(0).max(1_000_000),
  packet_max_tokens: tokens.min(64),
  packet_timeout_seconds: z.number().gt(0).max(86_400),
  manual_commands: z.boolean(),
  /** A tool call compacts only when so many tokens came since the last compaction. */
  tool_compact_min_tokens: tokens,
  remote_compaction: z.boolean(),
  /** What an answer may take of the window: providers count it with the input. */
  max_output_tokens: tokens,
  free_space_buffer: tokens,
  warning_threshold: tokens,
  error_threshold: tokens,
  /** What warning and error levels and the percentage are taken from (SPEC section 6). */
  threshold_style: z.enum(['window', 'limit']),
  micro_compact_enabled: z.boolean(),
  micro_compact_strategy: z.enum(['all_older', 'until_target']),
  micro_compact_min_tokens_to_save: tokens,
  /** A result of fewer tokens is never cleared: the placeholder would save next to nothing. */
  micro_compact_min_result_tokens: tokens,
  micro_compact_keep_last_n_tools: count,
  micro_compact_target_tokens: tokens,
  micro_compact_eligible_tools: z.array(z.string().min(1).max(200)).max(500),
  micro_compact_clear_errors: z.boolean(),
  /** What stands in place of an old result: what matters in it, or the placeholder alone. */
  micro_compact_replacement: z.enum(['digest', 'placeholder']),
  micro_compact_placeholder: z.string().min(1).max(1000),
  /** The agent has a way to recall originals (MCP, gateway): what takes their place says so. */
  recall: z.boolean(),
  /** The gateway offers its tools to the model itself, and answers their calls (SPEC 2, section 23). */
  gateway_recall: z.boolean(),
  /** How often the model may be asked again for one answer of the gateway. */
  gateway_recall_rounds: z.int().min(1).max(20),
  micro_compact_truncate_over_tokens: tokens.min(16).nullable(),
  /** Inputs of old calls that wrote files are cut to so much (SPEC section 20). */
  micro_compact_truncate_inputs_over_tokens: tokens.min(16).nullable(),
  micro_compact_escalate: z.boolean(),
  restore_max_files: count,
  restore_tokens_per_file: tokens,
  restore_total_file_budget: tokens,
  restore_over_budget: z.enum(['skip', 'stop']),
  restore_exclude: z.array(z.string().min(1).max(500)).max(100),
  restore_todos: z.boolean(),
  restore_plan: z.boolean(),
  token_counter: z.enum(['estimate', 'o200k_base', 'cl100k_base']),
  token_estimate: z.enum(['utf8_ceil', 'utf16_round']),
  token_safety_multiplier: z.number().min(1).max(10),
  approx_bytes_per_token: z.int().min(1).max(64),
  tokens_per_image: tokens,
  preserve_user_messages: z.boolean(),
  user_message_max_tokens: tokens,
  protected_messages: count.nullable(),
  protected_tokens: tokens.nullable(),
  summarization_model: z.string().max(200).nullable().overwrite(emptyIsNone),
  summarization_model_provider_id: z.string().max(100).nullable().overwrite(emptyIsNone),
  summary_template: z.enum(['nine-sections', 'seven-sections', 'handoff']),
  summary_style: z.enum(['lines', 'claude-code']),
  summary_include_analysis: z.boolean(),
  summary_max_tokens: tokens.min(64),
  /** How the summariser is given the conversation: as a record, or as role-labelled turns. */
  transcript_style: z.enum(['record', 'turns']),
  transcript_max_tokens: tokens.min(64).nullable(),
  /** What is done about facts that a summary has lost (SPEC section 20); the shares are from 0 to 1. */
  retention_check: z.enum(['off', 'report', 'repair']),
  retention_min: share,
  retention_reject: share,
  retention_repair_max_tokens: tokens,
  /** Whether an automatic compaction waits while it costs more than it saves (SPEC section 20). */
  compaction_cost_aware: z.boolean(),
  /** Calls of the session's model that are expected to follow. */
  cost_horizon_turns: z.int().min(1).max(100_000),
  summarizer_fallback: z.array(z.enum([...OFFLINE_SUMMARIZERS, 'micro'])).max(2),
  summarizer_max_attempts: z.int().min(1).max(10),
  summarizer_timeout_seconds: z.number().gt(0).max(3600),
  min_new_tokens_between_compactions: tokens,
  breaker_max_failures: z.int().min(1).max(100),
  breaker_reset_seconds: z.number().gt(0).max(1_000_000),
});

export type Config = z.infer<typeof configSchema>;
export const configOverridesSchema = configSchema.partial();
export type ConfigOverrides = z.infer<typeof configOverridesSchema>;
