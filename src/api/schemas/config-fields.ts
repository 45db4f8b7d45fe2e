import type { Config } from '../../domain/policy/config.ts';

/** What the reference says of each field; docs/configuration.md has the defaults of each profile. */
export const CONFIG_FIELDS: { readonly [F in keyof Config]: string } = {
  enabled: 'False switches all compaction off, also by hand.',
  auto_compact_enabled: 'Whether an append may request a compaction by itself.',
  auto_compact_threshold:
    'Tokens of the context at which a compaction is requested. It can only lower the threshold that ' +
    'follows from `free_space_buffer`.',
  auto_compact_pct_override:
    'The same as a percentage of the window; used when no threshold in tokens is set.',
  auto_compact_trigger:
    'What asks for an automatic compaction: the `threshold`, the `tiers` of signals, or `limit`, which ' +
    'is `auto_compact_token_limit` alone.',
  auto_compact_mode:
    '`auto` compacts. `tag` and `suggest` only tell the client, as `advice`, that it would be done.',
  auto_compact_token_limit:
    'With trigger `limit`: a message of the user that finds the context above so many tokens asks for a ' +
    'compaction. Null: never.',
  auto_compact_min_messages:
    'With trigger `limit`: so many messages must stand since the last full compaction.',
  trigger_early_percent_remaining_lt:
    'Tier `early` begins when less than this percentage of the window is left.',
  trigger_ready_percent_remaining_lt:
    'Tier `ready` begins below this percentage of the window. Above it the end of a turn compacts nothing.',
  trigger_asap_percent_remaining_lt: 'Tier `asap` begins below this percentage of the window.',
  trigger_emergency_percent_remaining_lt:
    'Tier `emergency`, which needs no boundary, begins below this percentage of the window.',
  auto_requires_any_boundary:
    'When not empty: the boundaries that every tier but `emergency` accepts, instead of its own.',
  signal_commit_commands: 'Shell commands that count as boundary `commit` when they succeed.',
  signal_pr_commands: 'Shell commands that count as boundary `pr_checkpoint` when they succeed.',
  signal_plan_tools:
    'Tools whose calls count as `plan_update`, or as `plan_checkpoint` when more steps are done.',
  signal_agent_done: 'Phrases of the assistant that count as `agent_done`.',
  signal_agent_done_unless: 'Phrases of the assistant beside which `agent_done` does not count.',
  signal_topic_shift: 'Phrases of the assistant that count as `topic_shift`.',
  signal_concluding_thought: 'Phrases of the assistant that count as `concluding_thought`.',
  packet_author:
    'Who writes the packet that a compaction at the end of a turn appends: nobody, the service ' +
    '(`watcher`), or the `agent` (in an emergency the service).',
  packet_max_tail_chars: 'Characters of the last answer that a packet of the service repeats.',
  packet_max_tokens: 'Tokens of a packet; a longer one is cut in the middle.',
  packet_timeout_seconds:
    'Seconds that the agent has for its packet; after them the service writes it.',
  manual_commands:
    'Whether a message that is nothing but `/compact`, with or without instructions, compacts instead of ' +
    'being sent.',
  tool_compact_min_tokens:
    'New tokens since the last compaction that one by a tool needs; with fewer, nothing is done.',
  remote_compaction:
    'Whether the provider compacts where it can: OpenAI, in sessions of format `openai-responses`.',
  max_output_tokens:
    'Tokens of the window that an answer of the model may take. Thresholds are measured from the rest.',
  free_space_buffer: 'Tokens of the window that are kept free: the threshold is the rest.',
  warning_threshold: 'The warning level begins so many tokens before the end.',
  error_threshold: 'The error level begins so many tokens before the end.',
  threshold_style:
    'What the levels and the percentage are taken from: the whole `window`, or the `limit` at which a ' +
    'compaction is requested.',
  micro_compact_enabled: 'Whether old tool results may be cleared.',
  micro_compact_strategy:
    '`until_target` clears the oldest results until `micro_compact_target_tokens` is reached, `all_older` ' +
    'all but the last.',
  micro_compact_min_tokens_to_save: 'When clearing would save fewer tokens, nothing is cleared.',
  micro_compact_min_result_tokens: 'A result of fewer tokens is never cleared.',
  micro_compact_keep_last_n_tools: 'How many of the last results are never cleared.',
  micro_compact_target_tokens: 'Tokens of tool results at which `until_target` stops.',
  micro_compact_eligible_tools:
    'Names of the tools whose results may be cleared, in any case of letters: `*` stands for any text, ' +
    '`!` in front leaves tools out.',
  micro_compact_clear_errors: 'Whether results that are errors may be cleared too.',
  micro_compact_replacement:
    'What takes the place of a result: a `digest` of its most telling lines, or the `placeholder` alone.',
  micro_compact_placeholder:
    'The text in place of a cleared result; `{tool_use_id}` becomes the id of the call.',
  recall:
    'The agent has a way to read originals again, such as MCP: what takes their place says how.',
  gateway_recall:
    'Whether the gateway offers tools to the model with which it reads its own history, and answers ' +
    'their calls itself.',
  gateway_recall_rounds: 'How often the model is asked again for one answer of the gateway.',
  micro_compact_truncate_over_tokens:
    'Results of more tokens are first cut in the middle; null switches that off.',
  micro_compact_truncate_inputs_over_tokens:
    'Inputs of more tokens, of old calls that wrote or edited files, are cut to that: paths and the ' +
    'beginning of each text stay; null switches that off.',
  micro_compact_escalate:
    'Whether a full compaction takes the place of clearing that would not be enough.',
  restore_max_files: 'How many files are put back after the summary, as they were known last.',
  restore_tokens_per_file: 'Tokens to which each restored file is cut.',
  restore_total_file_budget: 'Tokens that all restored files may take together.',
  restore_over_budget: 'A file that does not fit: `skip` it and try the next, or `stop`.',
  restore_exclude:
    'Paths that are never restored: `*.x` matches the end of a path, anything else a part of it.',
  restore_todos: 'Whether the latest list of todos is put back.',
  restore_plan: 'Whether the latest plan is put back.',
  token_counter: 'How tokens are counted: by an estimate, or by a real tokenizer.',
  token_estimate:
    '`utf8_ceil`: bytes of UTF-8 divided by `approx_bytes_per_token`, rounded up. `utf16_round`: length ' +
    'in UTF-16 divided by 4, rounded.',
  token_safety_multiplier:
    'Estimates of a context are multiplied by this; what a provider has counted is not.',
  approx_bytes_per_token: 'Bytes that `utf8_ceil` takes for one token.',
  tokens_per_image: 'Tokens that an image counts.',
  preserve_user_messages: 'Whether messages of the user stay verbatim in front of the summary.',
  user_message_max_tokens: 'Tokens that these messages may take, newest first.',
  protected_messages: 'How many of the last messages stay verbatim behind the summary.',
  protected_tokens:
    'Tokens at the end that stay verbatim behind the summary, at most a quarter of the context.',
  summarization_model:
    'Who writes the summaries: `provider/model`, the name of a model, or `extractive`, which asks no ' +
    'model. Null or empty: the choice of the server.',
  summarization_model_provider_id:
    'Provider of `summarization_model`; alone, the provider whose cheapest model is taken.',
  summary_template: 'Prompt and sections of the summary.',
  summary_style: 'How the message with the summary opens.',
  summary_include_analysis: 'Whether the analysis that the model wrote first stays in the summary.',
  summary_max_tokens: 'Tokens that a summary may have.',
  transcript_style:
    'How the summariser reads the conversation: as a `record`, or as `turns` with labels, of which the ' +
    'oldest are left out first.',
  transcript_max_tokens:
    'Tokens of the conversation that `turns` may show; null: what fits in the window of the model.',
  retention_check: 'What is done about facts that a summary has lost.',
  retention_min: 'When a smaller share of the facts is kept (0 to 1), what is missing is put back.',
  retention_reject:
    'A summary of a model that keeps a smaller share even then (0 to 1) counts as a failed answer.',
  retention_repair_max_tokens: 'Tokens that facts may take which are put back.',
  compaction_cost_aware:
    'Whether an automatic compaction waits as long as it would cost more than it saves.',
  cost_horizon_turns:
    'Calls of the session’s model that are expected to follow, by which that is reckoned.',
  summarizer_fallback: 'What is tried, in order, when the model has failed for good.',
  summarizer_max_attempts: 'How often the model is asked before it counts as failed.',
  summarizer_timeout_seconds: 'Seconds that one attempt may take.',
  min_new_tokens_between_compactions:
    'New tokens, without margin, that must come before the next automatic compaction.',
  breaker_max_failures:
    'After so many automatic compactions in a row that failed or changed nothing, they stop.',
  breaker_reset_seconds: 'Seconds after which the next append may try again.',
};
