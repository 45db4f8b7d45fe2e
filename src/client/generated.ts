// Written by "npm run client-types" from the OpenAPI document: change the schemas of src/api.

export type ChangedSession = Session & {
  /** A note about the window, such as that the model is unknown. */
  note: string | null;
};

export type ContextLevels = {
  tokens: number;
  /** What the percentage refers to, in tokens. */
  limit: number;
  percent_remaining: number;
  is_above_warning: boolean;
  is_above_error: boolean;
  is_above_auto_compact: boolean;
};

export type RunningCompaction = {
  id: string;
  status: "queued" | "running";
  mode: "auto" | "micro" | "full" | "remote";
  trigger: "auto" | "manual" | "tool";
} | null;

export type PacketStanding = {
  state: "idle" | "awaiting_packet" | "compacting";
  /** While a packet is awaited: when the service will go on without it. */
  deadline: string | null;
};

/** The configuration in force: profile, then server, then session. */
export type Config = {
  enabled: boolean;
  auto_compact_enabled: boolean;
  auto_compact_threshold: number | null;
  auto_compact_pct_override: number | null;
  auto_compact_trigger: "threshold" | "tiers" | "limit";
  auto_compact_mode: "tag" | "suggest" | "auto";
  auto_compact_token_limit: number | null;
  auto_compact_min_messages: number;
  trigger_early_percent_remaining_lt: number;
  trigger_ready_percent_remaining_lt: number;
  trigger_asap_percent_remaining_lt: number;
  trigger_emergency_percent_remaining_lt: number;
  auto_requires_any_boundary: Array<"plan_checkpoint" | "plan_update" | "pr_checkpoint" | "topic_shift" | "commit" | "agent_done" | "concluding_thought" | "turn_complete">;
  signal_commit_commands: Array<string>;
  signal_pr_commands: Array<string>;
  signal_plan_tools: Array<string>;
  signal_agent_done: Array<string>;
  signal_agent_done_unless: Array<string>;
  signal_topic_shift: Array<string>;
  signal_concluding_thought: Array<string>;
  packet_author: "none" | "watcher" | "agent";
  packet_max_tail_chars: number;
  packet_max_tokens: number;
  packet_timeout_seconds: number;
  manual_commands: boolean;
  tool_compact_min_tokens: number;
  remote_compaction: boolean;
  max_output_tokens: number;
  free_space_buffer: number;
  warning_threshold: number;
  error_threshold: number;
  threshold_style: "window" | "limit";
  micro_compact_enabled: boolean;
  micro_compact_strategy: "all_older" | "until_target";
  micro_compact_min_tokens_to_save: number;
  micro_compact_min_result_tokens: number;
  micro_compact_keep_last_n_tools: number;
  micro_compact_target_tokens: number;
  micro_compact_eligible_tools: Array<string>;
  micro_compact_clear_errors: boolean;
  micro_compact_replacement: "digest" | "placeholder";
  micro_compact_placeholder: string;
  recall: boolean;
  micro_compact_truncate_over_tokens: number | null;
  micro_compact_escalate: boolean;
  restore_max_files: number;
  restore_tokens_per_file: number;
  restore_total_file_budget: number;
  restore_over_budget: "skip" | "stop";
  restore_exclude: Array<string>;
  restore_todos: boolean;
  restore_plan: boolean;
  token_counter: "estimate" | "o200k_base" | "cl100k_base";
  token_estimate: "utf8_ceil" | "utf16_round";
  token_safety_multiplier: number;
  approx_bytes_per_token: number;
  tokens_per_image: number;
  preserve_user_messages: boolean;
  user_message_max_tokens: number;
  protected_messages: number | null;
  protected_tokens: number | null;
  summarization_model: string | null;
  summarization_model_provider_id: string | null;
  summary_template: "nine-sections" | "seven-sections" | "handoff";
  summary_style: "lines" | "claude-code";
  summary_include_analysis: boolean;
  summary_max_tokens: number;
  transcript_style: "record" | "turns";
  transcript_max_tokens: number | null;
  retention_check: "off" | "report" | "repair";
  retention_min: number;
  retention_reject: number;
  retention_repair_max_tokens: number;
  compaction_cost_aware: boolean;
  cost_horizon_turns: number;
  summarizer_fallback: Array<"extractive" | "micro">;
  summarizer_max_attempts: number;
  summarizer_timeout_seconds: number;
  min_new_tokens_between_compactions: number;
  breaker_max_failures: number;
  breaker_reset_seconds: number;
};

/** Fields of the configuration that differ from the profile. */
export type ConfigOverrides = {
  enabled?: boolean | undefined;
  auto_compact_enabled?: boolean | undefined;
  auto_compact_threshold?: number | null | undefined;
  auto_compact_pct_override?: number | null | undefined;
  auto_compact_trigger?: "threshold" | "tiers" | "limit" | undefined;
  auto_compact_mode?: "tag" | "suggest" | "auto" | undefined;
  auto_compact_token_limit?: number | null | undefined;
  auto_compact_min_messages?: number | undefined;
  trigger_early_percent_remaining_lt?: number | undefined;
  trigger_ready_percent_remaining_lt?: number | undefined;
  trigger_asap_percent_remaining_lt?: number | undefined;
  trigger_emergency_percent_remaining_lt?: number | undefined;
  auto_requires_any_boundary?: Array<"plan_checkpoint" | "plan_update" | "pr_checkpoint" | "topic_shift" | "commit" | "agent_done" | "concluding_thought" | "turn_complete"> | undefined;
  signal_commit_commands?: Array<string> | undefined;
  signal_pr_commands?: Array<string> | undefined;
  signal_plan_tools?: Array<string> | undefined;
  signal_agent_done?: Array<string> | undefined;
  signal_agent_done_unless?: Array<string> | undefined;
  signal_topic_shift?: Array<string> | undefined;
  signal_concluding_thought?: Array<string> | undefined;
  packet_author?: "none" | "watcher" | "agent" | undefined;
  packet_max_tail_chars?: number | undefined;
  packet_max_tokens?: number | undefined;
  packet_timeout_seconds?: number | undefined;
  manual_commands?: boolean | undefined;
  tool_compact_min_tokens?: number | undefined;
  remote_compaction?: boolean | undefined;
  max_output_tokens?: number | undefined;
  free_space_buffer?: number | undefined;
  warning_threshold?: number | undefined;
  error_threshold?: number | undefined;
  threshold_style?: "window" | "limit" | undefined;
  micro_compact_enabled?: boolean | undefined;
  micro_compact_strategy?: "all_older" | "until_target" | undefined;
  micro_compact_min_tokens_to_save?: number | undefined;
  micro_compact_min_result_tokens?: number | undefined;
  micro_compact_keep_last_n_tools?: number | undefined;
  micro_compact_target_tokens?: number | undefined;
  micro_compact_eligible_tools?: Array<string> | undefined;
  micro_compact_clear_errors?: boolean | undefined;
  micro_compact_replacement?: "digest" | "placeholder" | undefined;
  micro_compact_placeholder?: string | undefined;
  recall?: boolean | undefined;
  micro_compact_truncate_over_tokens?: number | null | undefined;
  micro_compact_escalate?: boolean | undefined;
  restore_max_files?: number | undefined;
  restore_tokens_per_file?: number | undefined;
  restore_total_file_budget?: number | undefined;
  restore_over_budget?: "skip" | "stop" | undefined;
  restore_exclude?: Array<string> | undefined;
  restore_todos?: boolean | undefined;
  restore_plan?: boolean | undefined;
  token_counter?: "estimate" | "o200k_base" | "cl100k_base" | undefined;
  token_estimate?: "utf8_ceil" | "utf16_round" | undefined;
  token_safety_multiplier?: number | undefined;
  approx_bytes_per_token?: number | undefined;
  tokens_per_image?: number | undefined;
  preserve_user_messages?: boolean | undefined;
  user_message_max_tokens?: number | undefined;
  protected_messages?: number | null | undefined;
  protected_tokens?: number | null | undefined;
  summarization_model?: string | null | undefined;
  summarization_model_provider_id?: string | null | undefined;
  summary_template?: "nine-sections" | "seven-sections" | "handoff" | undefined;
  summary_style?: "lines" | "claude-code" | undefined;
  summary_include_analysis?: boolean | undefined;
  summary_max_tokens?: number | undefined;
  transcript_style?: "record" | "turns" | undefined;
  transcript_max_tokens?: number | null | undefined;
  retention_check?: "off" | "report" | "repair" | undefined;
  retention_min?: number | undefined;
  retention_reject?: number | undefined;
  retention_repair_max_tokens?: number | undefined;
  compaction_cost_aware?: boolean | undefined;
  cost_horizon_turns?: number | undefined;
  summarizer_fallback?: Array<"extractive" | "micro"> | undefined;
  summarizer_max_attempts?: number | undefined;
  summarizer_timeout_seconds?: number | undefined;
  min_new_tokens_between_compactions?: number | undefined;
  breaker_max_failures?: number | undefined;
  breaker_reset_seconds?: number | undefined;
};

export type Session = SessionSummary & {
  config: Config;
  config_overrides: ConfigOverrides;
};

export type SessionSummary = {
  id: string;
  /** Wire format of the items. */
  format: "anthropic" | "openai-responses" | "openai-chat";
  /** Named set of configuration defaults. */
  profile: "default" | "claude-code" | "codex-v2" | "rawr" | "tiered" | "codex-classic";
  model: string | null;
  context_window: number;
  /** Anything that the client wants to keep with the session; at most 64 KiB of JSON. */
  metadata: Record<string, unknown>;
  version: number;
  counts: {
    items: number;
    compactions: {
      micro: number;
      full: number;
      remote: number;
      skipped: number;
      failed: number;
    };
  };
  context: ContextLevels;
  compact_state: {
    /** The full compaction that the context is built on. */
    base_compaction_id: string | null;
    /** Its cut: the last `seq` it covers. */
    through: number | null;
    /** Newest version at which something else than an append changed the context. */
    changed_at_version: number | null;
    tokens_since_compaction: number;
  };
  running_compaction: RunningCompaction;
  /** Boundaries seen since the turn began. */
  signals: Array<"plan_checkpoint" | "plan_update" | "pr_checkpoint" | "topic_shift" | "commit" | "agent_done" | "concluding_thought" | "turn_complete">;
  /** Null: more is left than any tier asks for. */
  tier: "early" | "ready" | "asap" | "emergency" | null;
  /** For display: rounded down; above 100 when the window is overfull. */
  percent_used_of_window: number;
  /** What is left of the whole window, as the tiers measure it. */
  percent_remaining_of_window: number;
  /** The next user message waits for a compaction. */
  preflight_armed: boolean;
  packet: PacketStanding;
  breaker: {
    is_open: boolean;
    failures: number;
    reset_at: string | null;
  };
  created_at: string;
  updated_at: string;
};

export type Problem = {
  /** Stable name of the kind of problem, as a URN. */
  type: string;
  title: string;
  status: number;
  /** What is wrong with this request, and what to change. */
  detail: string;
  /** On validation: the offending fields, at most 100. */
  errors?: Array<{
    path: string;
    message: string;
  }> | undefined;
};

export type CreateSession = {
  /** Default: a UUIDv7. */
  id?: string | undefined;
  /** Default: anthropic. */
  format?: "anthropic" | "openai-responses" | "openai-chat" | undefined;
  /** Default: default. */
  profile?: "default" | "claude-code" | "codex-v2" | "rawr" | "tiered" | "codex-classic" | undefined;
  config?: ConfigOverrides | undefined;
  model?: string | undefined;
  /** Tokens. Default: that of the model, else 200,000. */
  context_window?: number | undefined;
  /** Items that survive every compaction. */
  initial_context?: Array<Item> | undefined;
  /** Anything that the client wants to keep with the session; at most 64 KiB of JSON. */
  metadata?: Record<string, unknown> | undefined;
};

/** A message in the format of the session, stored exactly as it comes, or a control item. */
export type Item = object;

export type ChangeSession = {
  config?: ConfigOverrides | undefined;
  /** Named set of configuration defaults. */
  profile?: "default" | "claude-code" | "codex-v2" | "rawr" | "tiered" | "codex-classic" | undefined;
  model?: string | null | undefined;
  /** Tokens. */
  context_window?: number | undefined;
  /** Anything that the client wants to keep with the session; at most 64 KiB of JSON. */
  metadata?: Record<string, unknown> | undefined;
};

export type Appended = {
  session_id: string;
  version: number;
  first_seq: number;
  last_seq: number;
  context: ContextLevels;
  /** The compaction that is under way now; with `Prefer: wait`, possibly ended. */
  compaction: {
    id: string;
    status: "queued" | "running" | "ended";
    mode: "auto" | "micro" | "full" | "remote";
    trigger: "auto" | "manual" | "tool";
    reason: string;
  } | null;
  /** `tag`, `suggest`: the context would be compacted now if its mode did not forbid it. `no_natural_boundary`: it is not compacted at the end of this turn, since nothing is finished. */
  advice: "tag" | "suggest" | "no_natural_boundary" | null;
  /** A note about this request, such as that it waits for a compaction. */
  note: string | null;
  /** With `Prefer: wait`, when the compaction has ended that this append has requested: what to show the user who has sent a command, or whose message has waited. */
  message: string | null;
};

export type AppendItems = {
  items: Array<Item>;
} | Array<Item> | Item;

export type LogItem = {
  seq: number;
  at: string;
  item: StoredItem;
  tokens: number;
};

/** An item exactly as it was posted. */
export type StoredItem = Record<string, unknown>;

export type Context = {
  session_id: string;
  /** The version whose context this is; also the ETag. */
  version: number;
  /** The version asked for; the same, by default the newest. */
  at: number;
  format: "anthropic" | "openai-responses" | "openai-chat";
  items: Array<ContextItem | Record<string, unknown>>;
  tokens: number;
  /** Ids of the tool calls whose results were cleared or digested, oldest first: GET …/tool-results/:id has them as they were. */
  compacted_tool_ids: Array<string>;
  /** The full compaction that it is built on, if any. */
  base_compaction_id: string | null;
  /** SHA-256 of the canonical JSON of the items: the same for the same log, version and format, on any replica and any day. */
  hash: string;
};

export type ContextItem = {
  /** The first item of the log that went into it; null for what a compaction made. */
  seq: number | null;
  origin: "initial" | "pinned" | "instructions" | "boundary" | "preserved" | "summary" | "file" | "todo" | "plan" | "hook" | "remote" | "ghost" | "log" | "added";
  /** It is not as it was appended. */
  edited: boolean;
  /** The item as the provider takes it. */
  item: Record<string, unknown>;
};

export type Synced = {
  session_id: string;
  /** The version whose context this is. */
  version: number;
  /** How many of the items were known. */
  matched: number;
  /** How many were new: the rest. */
  appended: number;
  /** Items of the log that the history does not have, such as an answer that was asked for again: the context holds them no more. */
  superseded: Array<number>;
  /** The history begins with a summary of the client’s own, which was recorded. */
  is_compacted_by_client: boolean;
  divergence: Divergence;
  /** The compaction that is under way now. */
  compaction: RunningCompaction & {
    reason: string;
  } | null;
  /** `tag`, `suggest`: the context would be compacted now if its mode did not forbid it. `no_natural_boundary`: it is not compacted at the end of this turn, since nothing is finished. */
  advice: "tag" | "suggest" | "no_natural_boundary" | null;
  /** As in the answer to an append. */
  note: string | null;
  context: SyncedContext;
};

export type Divergence = {
  /** The fork: sync with it from now on. */
  session_id: string;
  parent_session_id: string;
  /** The version of the parent that both share. */
  parent_version: number;
  /** The first item of the history that the parent lacks. */
  index: number;
} | null;

export type SyncedContext = ContextLevels & {
  format: "anthropic" | "openai-responses" | "openai-chat";
  items: Array<ContextItem>;
  compacted_tool_ids: Array<string>;
  base_compaction_id: string | null;
  /** SHA-256 of the canonical JSON of the items: the same for the same log, version and format, on any replica and any day. */
  hash: string;
};

export type Sync = {
  /** The whole history that the client holds, oldest first. */
  items: Array<Item>;
  /** Of the items, and of a session that is created. */
  format?: "anthropic" | "openai-responses" | "openai-chat" | undefined;
  /** Holds the answer (at most 60 s) while a compaction is under way. */
  wait?: "compaction" | boolean | undefined;
  /** What to do with a history of another past; by default it is forked. */
  on_divergence?: "fork" | "reject" | undefined;
};

export type Pinned = {
  pin: Pin;
  version: number;
  context: ContextLevels;
};

export type Pin = {
  id: string;
  text: string | null;
  /** The item that was asked for. */
  seq: number | null;
  /** All items that are pinned with it. */
  items: Array<number>;
  tokens: number;
  version: number;
  at: string;
};

export type AddPin = {
  /** Stands in the context as a message of the user. */
  text: string;
} | {
  /** An item of the session; what it cannot stand without is pinned with it. */
  seq: number;
};

export type Ledger = {
  session_id: string;
  /** The version that the facts are of. */
  version: number;
  facts: Array<Fact>;
  epochs: Array<Epoch>;
  /** How many facts of a kind gave way to newer ones, where any did. */
  condensed: Record<string, unknown>;
};

export type Fact = {
  kind: "request" | "constraint" | "decision" | "change" | "run" | "error" | "finding" | "plan" | "open" | "artifact" | "name";
  /** The item that it was said in first. */
  seq: number;
  /** The item that has touched it last. */
  last_seq: number;
  /** The session that the numbers are of, where this one was forked from it. */
  of?: string | undefined;
  state: "open" | "done" | "current" | "superseded";
  source: "user" | "assistant" | "tool" | "subagent" | "hook" | "project_instructions";
  /** The fact in words; what was said is quoted. */
  text: string;
};

/** A stretch of the session that a full compaction has covered. */
export type Epoch = {
  from: number;
  through: number;
  at: string;
  compaction_id: string;
  /** The session that the numbers are of, where this one was forked from it. */
  of?: string | undefined;
};

export type RequestedCompaction = Compaction & {
  /** With trigger `tool`, once it has ended: what the agent is told, above all the summary. Of any trigger: that focus or instructions came too late for a compaction that was under way. */
  message: string | null;
};

export type Compaction = {
  session_id: string;
  id: string;
  status: "queued" | "running" | "ended";
  outcome: "skipped" | "not_needed" | "micro_compacted" | "full_compacted" | "remote_compacted" | "proposed" | "discarded" | "failed" | "cancelled" | null;
  mode: "auto" | "micro" | "full" | "remote";
  trigger: "auto" | "manual" | "tool";
  /** Why it was requested. */
  reason: string;
  /** Why it was skipped or failed. */
  outcome_reason: string | null;
  attempts: number;
  tokens_before: number | null;
  tokens_after: number | null;
  requested_at: string;
  ended_at: string | null;
  reverted_at: string | null;
  requested_version: number;
  ended_version: number | null;
};

export type DryRun = {
  dry_run: true;
  action: "skip" | "micro" | "full" | "remote";
  skip: {
    reason: "nothing_to_compact" | "below_threshold" | "not_effective" | "would_not_shrink" | "irreducible_floor" | "compaction_disabled" | "no_natural_boundary" | "too_few_tokens" | "not_worth_it";
    detail: string;
    contributors: Array<{
      what: string;
      tokens: number;
    }>;
  } | null;
  cleared_tool_results: Array<ToolResultEdit>;
  tokens_before: number;
  /** After the mechanical part; as before when nothing is cleared. */
  tokens_after_micro: number;
  through: number | null;
  covered_tokens: number | null;
  kept_tokens: number | null;
  /** Estimate of the conversation that the summariser would read. */
  prompt_tokens: number | null;
  summary_budget: number | null;
  /** Files that could be restored. */
  files: Array<string>;
};

export type ToolResultEdit = {
  seq: number;
  tool_use_id: string;
  kind: "cleared" | "digested" | "truncated";
  tokens_before: number;
  tokens_after: number;
};

export type CompactRequest = {
  /** Default: auto. `remote` needs a session of format `openai-responses` with a model of OpenAI. */
  mode?: "auto" | "micro" | "full" | "remote" | undefined;
  /** For the summariser, under a heading of its own in the prompt. */
  instructions?: string | undefined;
  focus?: string | undefined;
  /** Default: manual. `tool`: the agent itself asks, for instance before it turns to a new task, after a large piece of work, or when it notices that it is losing the thread. The `message` of the compaction is the answer to its call. */
  trigger?: "manual" | "tool" | undefined;
  /** Says what would happen, and appends nothing. */
  dry_run?: boolean | undefined;
  /** Does everything but the last step: the finished candidate waits as a proposal, outcome `proposed`, to be looked at and then applied or discarded. */
  propose?: boolean | undefined;
};

export type CostedCompaction = Compaction & {
  cost: CompactionCost;
};

export type CompactionCost = {
  tokens: PaidTokens;
  /** What those answers have cost, US dollars. */
  summarizer_usd: number | null;
  /** What the first call after it pays beyond the later ones, since the provider has the new context not in its cache yet. */
  cache_write_usd: number | null;
  /** Both together. */
  usd: number | null;
  /** What each later call of the model reads less. */
  saved_tokens: number | null;
  saves_usd_per_call: number | null;
  /** Calls of the model after which it has paid for itself. */
  pays_after_calls: number | null;
  calls_since: number | null;
  /** Why a price is null. */
  unpriced: string | null;
};

/** Tokens of the summariser as providers counted them; `input` without the cached ones. */
export type PaidTokens = {
  input: number;
  output: number;
  cache_read: number;
  cache_creation: number;
};

export type CompactionDetail = Compaction & {
  request: {
    mode: "auto" | "micro" | "full" | "remote";
    trigger: "auto" | "manual" | "tool";
    reason: string;
    instructions: string | null;
    focus: string | null;
  };
  attribution: Attribution;
  /** Of a compaction that was asked to `propose`. While it is open, summary, edits and all other fields of the result say what applying it would put in place. */
  proposal: {
    state: "open" | "applied" | "discarded";
    proposed_at: string;
    proposed_version: number;
    /** The compaction that has changed the context since, which discarded it. */
    superseded_by: string | null;
  } | null;
  /** What the user is told whose message waits for this compaction; once it has ended, that the request can go on. */
  note: string | null;
  metadata: {
    codex_compaction: CodexCompaction;
  };
  /** Once it has ended. With trigger `tool`: what the agent is told, above all the summary. After a command: what the summariser has written, untouched, for the user. After a compaction that a message of the user has waited for: the note, then the summary. */
  message: string | null;
  attempt_history: Array<{
    attempt: number;
    started_at: string;
    failure: {
      at: string;
      reason: "no_summary" | "api_error" | "prompt_too_long" | "interrupted" | "timeout" | "hook_blocked";
      message: string;
      usage: SummarizerUsage;
      will_retry: boolean;
    } | null;
  }>;
  /** The calls of the operator’s hooks. */
  hook_runs: Array<HookRun>;
  /** What PreCompact hooks want the user to see. */
  user_display_message: string | null;
  config: CompactionConfig;
  /** Why nothing was done. */
  skip: {
    reason: "nothing_to_compact" | "below_threshold" | "not_effective" | "would_not_shrink" | "irreducible_floor" | "compaction_disabled" | "no_natural_boundary" | "too_few_tokens" | "not_worth_it";
    detail: string;
    contributors: Array<{
      what: string;
      tokens: number;
    }>;
  } | null;
  micro: {
    strategy: "all_older" | "until_target";
    tokens_saved: number;
    tokens_before: number;
    tokens_after: number;
    /** Of all tool results that could be cleared, without margin. */
    result_tokens_before: number;
    result_tokens_after: number;
    duration_ms: number;
  } | null;
  cleared_tool_results: Array<ToolResultEdit>;
  /** The cut: the last `seq` that it covers. */
  through: number | null;
  /** A stored item. */
  boundary: Record<string, unknown> | null;
  summary: string | null;
  /** User messages kept verbatim. */
  preserved: Array<Record<string, unknown>>;
  restored: Array<{
    kind: "file" | "todo" | "plan";
    path: string | null;
    tokens: number;
  }>;
  /** Estimates without margin: what was covered, and what replaced it. */
  tokens: {
    covered: number;
    replacement: number;
  } | null;
  summarizer: string | null;
  model: string | null;
  template: string | null;
  usage: SummarizerUsage & unknown;
  cost: CompactionCost;
  left_out: {
    cleared_results: number;
    truncated_results: number;
    dropped_items: number;
  } | null;
  /** Which of the facts that have to be kept stand in the context after it, by kind; null when nothing was checked. */
  retention: {
    share: number;
    written_share?: number | undefined;
    put_back: number;
    kinds: Array<{
      kind: "request" | "constraint" | "decision" | "change" | "run" | "error" | "finding" | "plan" | "open" | "artifact" | "name";
      total: number;
      kept: number;
      share: number;
      missing: Array<string>;
    }>;
  } | null;
  durations: {
    total_ms: number;
    summarizer_ms: number;
  } | null;
  threshold_exceeded: {
    post_compact_tokens: number;
    threshold: number;
  } | null;
};

/** What led to the request for the compaction. */
export type Attribution = {
  path: "append" | "mid_turn" | "turn_complete" | "preflight" | "command" | "request";
  tier: "early" | "ready" | "asap" | "emergency" | null;
  percent_remaining: number | null;
  boundaries: Array<"plan_checkpoint" | "plan_update" | "pr_checkpoint" | "topic_shift" | "commit" | "agent_done" | "concluding_thought" | "turn_complete">;
};

/** Of compactions by a command in a message, or by `auto_compact_token_limit`. */
export type CodexCompaction = {
  mode: "command" | "auto";
  command: "codex-compact";
  /** By `auto_compact_token_limit`, not by a command. */
  auto: boolean;
  /** It is queued or running. */
  active: boolean;
  reason?: "token_limit" | undefined;
  /** Turns that the summariser did not get to read. */
  truncated_turns: number;
} | null;

/** Tokens as the provider counted them. */
export type SummarizerUsage = {
  /** Without tokens read from or written to the provider’s cache. */
  input: number;
  output: number;
  cache_read: number;
  cache_creation: number;
} | null;

export type HookRun = {
  at: string;
  /** Its name. */
  hook: string;
  event: "PreCompact" | "SessionStart" | "PostCompact";
  ok: boolean;
  required: boolean;
  /** HTTP status; null without an answer. */
  status: number | null;
  error: string | null;
  duration_ms: number;
  result: {
    new_custom_instructions?: string | undefined;
    user_display_message?: string | undefined;
    block?: boolean | undefined;
    items?: Array<Record<string, unknown>> | undefined;
  };
};

/** The configuration that the last attempt ran with. */
export type CompactionConfig = {
  enabled: boolean;
  auto_compact_enabled: boolean;
  auto_compact_threshold: number | null;
  auto_compact_pct_override: number | null;
  auto_compact_trigger: "threshold" | "tiers" | "limit";
  auto_compact_mode: "tag" | "suggest" | "auto";
  auto_compact_token_limit: number | null;
  auto_compact_min_messages: number;
  trigger_early_percent_remaining_lt: number;
  trigger_ready_percent_remaining_lt: number;
  trigger_asap_percent_remaining_lt: number;
  trigger_emergency_percent_remaining_lt: number;
  auto_requires_any_boundary: Array<"plan_checkpoint" | "plan_update" | "pr_checkpoint" | "topic_shift" | "commit" | "agent_done" | "concluding_thought" | "turn_complete">;
  signal_commit_commands: Array<string>;
  signal_pr_commands: Array<string>;
  signal_plan_tools: Array<string>;
  signal_agent_done: Array<string>;
  signal_agent_done_unless: Array<string>;
  signal_topic_shift: Array<string>;
  signal_concluding_thought: Array<string>;
  packet_author: "none" | "watcher" | "agent";
  packet_max_tail_chars: number;
  packet_max_tokens: number;
  packet_timeout_seconds: number;
  manual_commands: boolean;
  tool_compact_min_tokens: number;
  remote_compaction: boolean;
  max_output_tokens: number;
  free_space_buffer: number;
  warning_threshold: number;
  error_threshold: number;
  threshold_style: "window" | "limit";
  micro_compact_enabled: boolean;
  micro_compact_strategy: "all_older" | "until_target";
  micro_compact_min_tokens_to_save: number;
  micro_compact_min_result_tokens: number;
  micro_compact_keep_last_n_tools: number;
  micro_compact_target_tokens: number;
  micro_compact_eligible_tools: Array<string>;
  micro_compact_clear_errors: boolean;
  micro_compact_replacement: "digest" | "placeholder";
  micro_compact_placeholder: string;
  recall: boolean;
  micro_compact_truncate_over_tokens: number | null;
  micro_compact_escalate: boolean;
  restore_max_files: number;
  restore_tokens_per_file: number;
  restore_total_file_budget: number;
  restore_over_budget: "skip" | "stop";
  restore_exclude: Array<string>;
  restore_todos: boolean;
  restore_plan: boolean;
  token_counter: "estimate" | "o200k_base" | "cl100k_base";
  token_estimate: "utf8_ceil" | "utf16_round";
  token_safety_multiplier: number;
  approx_bytes_per_token: number;
  tokens_per_image: number;
  preserve_user_messages: boolean;
  user_message_max_tokens: number;
  protected_messages: number | null;
  protected_tokens: number | null;
  summarization_model: string | null;
  summarization_model_provider_id: string | null;
  summary_template: "nine-sections" | "seven-sections" | "handoff";
  summary_style: "lines" | "claude-code";
  summary_include_analysis: boolean;
  summary_max_tokens: number;
  transcript_style: "record" | "turns";
  transcript_max_tokens: number | null;
  retention_check: "off" | "report" | "repair";
  retention_min: number;
  retention_reject: number;
  retention_repair_max_tokens: number;
  compaction_cost_aware: boolean;
  cost_horizon_turns: number;
  summarizer_fallback: Array<"extractive" | "micro">;
  summarizer_max_attempts: number;
  summarizer_timeout_seconds: number;
  min_new_tokens_between_compactions: number;
  breaker_max_failures: number;
  breaker_reset_seconds: number;
} | null;

/** Token figures are estimates without margin. */
export type CompactionDiff = {
  session_id: string;
  compaction_id: string;
  before_version: number;
  after_version: number;
  kept: Array<DiffEntry>;
  cleared: Array<ToolResultEdit>;
  removed: Array<DiffEntryWithItem>;
  added: Array<DiffEntryWithItem>;
  tokens: {
    before: number;
    after: number;
    kept: number;
    /** What clearing saved. */
    cleared: number;
    removed: number;
    added: number;
  };
};

export type DiffEntry = {
  /** Null for what a compaction made. */
  seq: number | null;
  tokens: number;
  origin: "initial" | "pinned" | "instructions" | "boundary" | "preserved" | "summary" | "file" | "todo" | "plan" | "hook" | "remote" | "ghost" | "log";
};

export type DiffEntryWithItem = DiffEntry & {
  /** A stored item. */
  item: Record<string, unknown>;
};

export type Reverted = {
  compaction: Compaction;
  version: number;
  context: ContextLevels & unknown;
};

export type NoFields = Record<string, never>;

export type Applied = {
  compaction: Compaction;
  version: number;
  context: ContextLevels & unknown;
};

export type SessionCost = {
  session_id: string;
  /** The model of the session, else the newest one that its messages name. */
  model: string | null;
  /** Calls of that model, as its answers show them. */
  calls: number;
  /** The day of the price table. */
  prices_date: string;
  /** US dollars per million tokens. */
  model_price: {
    input: number;
    output: number;
    cache_read: number | null;
    cache_write: number | null;
  } | null;
  /** Why there is no such price. */
  model_unpriced: string | null;
  compactions: number;
  tokens: PaidTokens;
  /** What compactions have cost, of those with a price. */
  usd: number;
  /** Over all calls since. */
  saved_tokens: number;
  saved_usd: number;
  /** Saved less paid; null while a compaction has no price. */
  net_usd: number | null;
  /** Compactions of which a price is not known, and why that of the newest is not. */
  unpriced: {
    compactions: number;
    reason: string | null;
  };
};

export type Event = {
  version: number;
  type: "session.created" | "session.configured" | "session.forked" | "item.appended" | "item.superseded" | "pin.added" | "pin.removed" | "signal.observed" | "compaction.requested" | "compaction.started" | "compaction.micro_completed" | "compaction.completed" | "compaction.proposed" | "compaction.discarded" | "compaction.observed" | "compaction.skipped" | "compaction.failed" | "compaction.cancelled" | "compaction.reverted" | "compaction.threshold_exceeded" | "packet.requested" | "packet.received" | "preflight.armed" | "hook.ran" | "breaker.opened" | "breaker.closed";
  at: string;
  /** What happened; the fields depend on the type. */
  data: Record<string, unknown>;
  /** SHA-256, chained to the event before. */
  hash: string;
};

export type ToolResult = {
  session_id: string;
  tool_use_id: string;
  seq: number;
  at: string;
  is_error: boolean;
  /** The whole result as text; images only as a note. */
  content: string;
  item: StoredItem & unknown;
};

export type SearchAnswer = {
  data: Array<SearchHit>;
  next_cursor: string | null;
  /** False: more may be found than was looked at. Use rarer words, filters, or the cursor. */
  is_complete: boolean;
};

export type SearchHit = {
  /** In a fork also that of a parent. */
  session_id: string;
  seq: number;
  at: string;
  role: "system" | "user" | "assistant" | "tool" | null;
  kind: "message" | "tool_call" | "tool_result" | "reasoning" | "attachment" | "summary";
  tool: string | null;
  tool_use_id: string | null;
  snippet: string;
  /** Places in the snippet, in UTF-16 units. */
  matches: Array<{
    start: number;
    end: number;
  }>;
  score: number;
  /** Null: it never went to a model, or belongs to a compaction that was reverted. */
  state: "in_context" | "cleared" | "summarised" | null;
  /** The compaction that took it out of the context. */
  compaction_id: string | null;
};

export type Trace = {
  session_id: string;
  /** The version of the session that this is told of. */
  version: number;
  item: {
    session_id: string;
    seq: number;
    at: string;
    tokens: number;
  };
  /** In the context; cleared: a result of it was replaced; summarised: only a summary tells of it; superseded: the client has taken it back; excluded: a command to the service, never sent. */
  state: "in_context" | "cleared" | "summarised" | "superseded" | "excluded";
  /** The compaction that took it away; null where that was the client, or nobody. */
  compaction_id: string | null;
  /** It stands in the context as it was appended. */
  is_verbatim: boolean;
  /** The pin that keeps it there. */
  pin_id: string | null;
  /** Its results that do not stand there as they were appended. */
  results: Array<EditedResult>;
  /** What that saves, without margin. */
  tokens_cleared: number;
  /** Of what was summarised: the compaction whose summary stands for it now. */
  summary: {
    session_id: string;
    compaction_id: string | null;
    version: number;
    at: string;
  } | null;
  /** What that compaction has put back of it. */
  restored: Array<{
    origin: "initial" | "pinned" | "instructions" | "boundary" | "preserved" | "summary" | "file" | "todo" | "plan" | "hook" | "remote" | "ghost" | "log";
    path: string | null;
    /** The item itself, word for word. */
    is_whole: boolean;
  }>;
  /** All that has happened to it, oldest first. */
  history: Array<TraceStep>;
};

export type EditedResult = {
  tool_use_id: string;
  kind: "cleared" | "digested" | "truncated";
  tokens_before: number;
  tokens_after: number;
  compaction_id: string | null;
};

export type TraceStep = {
  what: "appended" | "forked" | "cleared" | "digested" | "truncated" | "summarised" | "summarised_again" | "reverted" | "superseded" | "pinned" | "unpinned";
  /** In whose log it happened. */
  session_id: string;
  version: number;
  at: string;
  compaction_id: string | null;
  /** The result that was cleared, digested or truncated. */
  result: {
    tool_use_id: string;
    tokens_before: number;
    tokens_after: number;
  } | null;
  pin_id: string | null;
};

export type CoveredItem = {
  /** In a fork also that of a parent. */
  session_id: string;
  seq: number;
  at: string;
  item: StoredItem;
  tokens: number;
  /** What the compaction did to it, or to a result of it. */
  taken: "summarised" | "cleared" | "digested" | "truncated";
  /** In the context; cleared: a result of it was replaced; summarised: only a summary tells of it; superseded: the client has taken it back; excluded: a command to the service, never sent. */
  state: "in_context" | "cleared" | "summarised" | "superseded" | "excluded";
  /** The compaction that took it away; null where that was the client, or nobody. */
  compaction_id: string | null;
};

export type ForkedSession = Session & {
  forked_from: {
    session_id: string;
    version: number;
  };
};

export type ForkSession = {
  /** Version whose context the new session gets; default: the current one. */
  at?: number | undefined;
  /** Id of the new session; default: a UUIDv7. */
  id?: string | undefined;
};

export type Observed = {
  session_id: string;
  version: number;
  /** Boundaries seen since the turn began. */
  signals: Array<"plan_checkpoint" | "plan_update" | "pr_checkpoint" | "topic_shift" | "commit" | "agent_done" | "concluding_thought" | "turn_complete">;
  /** Null: more is left than any tier asks for. */
  tier: "early" | "ready" | "asap" | "emergency" | null;
  /** What is left of the whole window, as the tiers measure it. */
  percent_remaining_of_window: number;
  context: ContextLevels;
  /** The compaction that is under way now. */
  compaction: RunningCompaction & {
    reason: string;
  } | null;
  /** `tag`, `suggest`: the context would be compacted now if its mode did not forbid it. `no_natural_boundary`: it is not compacted at the end of this turn, since nothing is finished. */
  advice: "tag" | "suggest" | "no_natural_boundary" | null;
  /** What to ask the agent before the compaction. */
  packet: {
    prompt: string;
    deadline: string;
  } | null;
  /** The next user message waits for a compaction. */
  preflight_armed: boolean;
};

export type PostSignal = {
  signal: "plan_checkpoint" | "plan_update" | "pr_checkpoint" | "topic_shift" | "commit" | "agent_done" | "concluding_thought" | "turn_complete" | "turn_started" | "sampling_complete";
  /** With `sampling_complete`: the turn goes on with another model call. */
  needs_follow_up?: boolean | undefined;
  /** With `turn_complete`: how many messages of the user are waiting. Of a list, only its length is recorded. */
  queued_user_messages?: number | boolean | Array<unknown> | undefined;
  /** With `turn_complete`: the watcher does nothing. */
  review_mode?: boolean | undefined;
  /** With `plan_checkpoint` or `plan_update`: how many steps of the plan are done. */
  completed_steps?: number | undefined;
};

/** The compaction that the packet is for. */
export type ReceivedPacket = Compaction & {
  packet: {
    /** It was longer than `packet_max_tokens`, and was cut. */
    is_truncated: boolean;
  };
};

export type PostPacket = {
  /** Cut in the middle when it is longer than `packet_max_tokens`. */
  text: string;
};

export type Profile = {
  name: "default" | "claude-code" | "codex-v2" | "rawr" | "tiered" | "codex-classic";
  description: string;
  context_window: number;
  config: Config;
  /** Why a session with this profile and window is refused. */
  problem: string | null;
};

export type CompactedResponse = {
  id: string;
  object: "response.compaction";
  /** Seconds since 1970. */
  created_at: number;
  /** One item of type `compaction` that stands for the whole conversation, the newest user messages as they came included, then tool calls that are still open. */
  output: Array<Record<string, unknown>>;
  /** Tokens used by the model that wrote the summary; zeros when it was written without one. */
  usage: {
    input_tokens: number;
    input_tokens_details: {
      cached_tokens: number;
      cache_write_tokens: number;
    };
    output_tokens: number;
    output_tokens_details: {
      reasoning_tokens: number;
    };
    total_tokens: number;
  };
};

export type OpenAiError = {
  error: {
    /** What is wrong, and what to change. */
    message: string;
    /** `invalid_request_error`, `rate_limit_error` or `server_error`. */
    type: string;
    /** The field of the request, if any. */
    param: string | null;
    /** Stable name of the kind of error. */
    code: string;
  };
};

export type ResponsesCompactRequest = {
  /** The model of the conversation; it chooses the summariser, like the `model` of a session. */
  model: string;
  /** The conversation: one user text, or items. */
  input?: string | Array<ResponseInputItem> | null | undefined;
  /** What the summary should also pay attention to; only the first 2,000 tokens count. */
  instructions?: string | null | undefined;
  /** Refused unless null, since this service keeps no responses: send `input`. */
  previous_response_id?: string | null | undefined;
};

/** An item of the Responses API: a message, a call, an output, a compaction item. Types that the service does not know are kept as they are. */
export type ResponseInputItem = object;

export type Health = {
  status: "ok";
  version: string;
};

export type Readiness = {
  status: "ready";
};

/** What a problem is about: branch on it. */
export type ProblemCode =
  | 'session_not_found'
  | 'session_exists'
  | 'version_mismatch'
  | 'idempotency_mismatch'
  | 'history_diverged'
  | 'invalid_item'
  | 'invalid_config'
  | 'compaction_disabled'
  | 'compaction_not_found'
  | 'compaction_not_cancellable'
  | 'compaction_not_revertible'
  | 'compaction_not_proposable'
  | 'compaction_not_applicable'
  | 'proposal_not_open'
  | 'compaction_under_way'
  | 'not_pinnable'
  | 'pin_not_found'
  | 'packet_not_requested'
  | 'version_not_found'
  | 'invalid_request'
  | 'unauthorized'
  | 'host_not_local'
  | 'cross_site_request'
  | 'form_outdated'
  | 'not_found'
  | 'method_not_allowed'
  | 'compaction_not_ended'
  | 'body_too_large'
  | 'answer_too_large'
  | 'unsupported_media_type'
  | 'rate_limited'
  | 'store_full'
  | 'store_read_only'
  | 'store_damaged'
  | 'internal_error'
  | 'unavailable';

/** What each operation takes and answers. */
export type Operations = {
  /** Create a session */
  createSession: {
    args: {
      body?: CreateSession | undefined;
    };
    answer: ChangedSession;
  };
  /** List the sessions of this key, newest first */
  listSessions: {
    args: {
      /** Entries per page; default 50. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
    };
    answer: {
      data: Array<SessionSummary>;
      next_cursor: string | null;
    };
  };
  /** The state of a session */
  getSession: {
    args: {
      /** Id of the session. */
      id: string;
    };
    answer: Session;
  };
  /** Change the settings of a session */
  changeSession: {
    args: {
      /** Id of the session. */
      id: string;
      body: ChangeSession;
    };
    answer: ChangedSession;
  };
  /** Erase a session with everything in it */
  eraseSession: {
    args: {
      /** Id of the session. */
      id: string;
    };
    answer: undefined;
  };
  /** Append items, all or nothing */
  appendItems: {
    args: {
      /** Id of the session. */
      id: string;
      body: AppendItems;
    };
    answer: Appended;
  };
  /** The raw log, oldest first */
  listItems: {
    args: {
      /** Id of the session. */
      id: string;
      /** Only entries after this one. */
      after?: number | undefined;
      /** `next_cursor` of the page before; wins over `after`. */
      cursor?: number | undefined;
      /** Entries per page; default 50. */
      limit?: number | undefined;
    };
    answer: {
      data: Array<LogItem>;
      next_cursor: string | null;
    };
  };
  /** The items to send to the model */
  getContext: {
    args: {
      /** Id of the session. */
      id: string;
      /** Wire format of the answer; default: that of the session. */
      format?: "anthropic" | "openai-responses" | "openai-chat" | undefined;
      /** Shows the context as it was at this version. */
      at?: number | undefined;
      /** Id of an open proposal: shows the context that applying it now would give. */
      proposal?: string | undefined;
      /** Holds the answer (at most 60 s) while a compaction is under way. */
      wait?: "compaction" | undefined;
      /** Each item comes as `{ seq, origin, edited, item }` and says where it is from. */
      origins?: boolean | undefined;
    };
    answer: Context;
  };
  /** The whole history in, the context out */
  syncSession: {
    args: {
      /** Id of the session. */
      id: string;
      body: Sync;
    };
    answer: Synced;
  };
  /** Keep a text or an item in every context, word for word */
  addPin: {
    args: {
      /** Id of the session. */
      id: string;
      body: AddPin;
    };
    answer: Pinned;
  };
  /** What is pinned, in the order in which it stands in the context */
  listPins: {
    args: {
      /** Id of the session. */
      id: string;
    };
    answer: {
      data: Array<Pin>;
      next_cursor: string | null;
    };
  };
  /** Remove a pin */
  removePin: {
    args: {
      /** Id of the session. */
      id: string;
      /** Id of the pin. */
      pin_id: string;
    };
    answer: undefined;
  };
  /** What the log says that a successor needs to know */
  getLedger: {
    args: {
      /** Id of the session. */
      id: string;
      /** Only facts of this kind. */
      kind?: "request" | "constraint" | "decision" | "change" | "run" | "error" | "finding" | "plan" | "open" | "artifact" | "name" | undefined;
      /** Only facts in this state. */
      state?: "open" | "done" | "current" | "superseded" | undefined;
      /** Only what comes from there. */
      source?: "user" | "assistant" | "tool" | "subagent" | "hook" | "project_instructions" | undefined;
    };
    answer: Ledger;
  };
  /** Request a compaction */
  compact: {
    args: {
      /** Id of the session. */
      id: string;
      body?: CompactRequest | undefined;
    };
    answer: RequestedCompaction | DryRun | RequestedCompaction;
  };
  /** All compactions, newest first */
  listCompactions: {
    args: {
      /** Id of the session. */
      id: string;
      /** Entries per page; default 50. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
    };
    answer: {
      data: Array<CostedCompaction>;
      next_cursor: string | null;
    };
  };
  /** One compaction in full */
  getCompaction: {
    args: {
      /** Id of the session. */
      id: string;
      /** Id of the compaction. */
      cid: string;
    };
    answer: CompactionDetail;
  };
  /** The context before and after */
  diffCompaction: {
    args: {
      /** Id of the session. */
      id: string;
      /** Id of the compaction. */
      cid: string;
    };
    answer: CompactionDiff;
  };
  /** Undo a compaction */
  revertCompaction: {
    args: {
      /** Id of the session. */
      id: string;
      /** Id of the compaction. */
      cid: string;
      body?: NoFields | undefined;
    };
    answer: Reverted;
  };
  /** Apply a proposal */
  applyCompaction: {
    args: {
      /** Id of the session. */
      id: string;
      /** Id of the compaction. */
      cid: string;
      body?: NoFields | undefined;
    };
    answer: Applied;
  };
  /** Discard a proposal */
  discardCompaction: {
    args: {
      /** Id of the session. */
      id: string;
      /** Id of the compaction. */
      cid: string;
      body?: NoFields | undefined;
    };
    answer: Compaction;
  };
  /** Cancel a compaction that is queued or running */
  cancelCompaction: {
    args: {
      /** Id of the session. */
      id: string;
      /** Id of the compaction. */
      cid: string;
      body?: NoFields | undefined;
    };
    answer: Compaction;
  };
  /** What the compactions of a session have cost and saved */
  getCost: {
    args: {
      /** Id of the session. */
      id: string;
    };
    answer: SessionCost;
  };
  /** The event log, oldest first */
  listEvents: {
    args: {
      /** Id of the session. */
      id: string;
      /** Only entries after this one. */
      after?: number | undefined;
      /** `next_cursor` of the page before; wins over `after`. */
      cursor?: number | undefined;
      /** Entries per page; default 50. */
      limit?: number | undefined;
      /** Only events of these types, separated by commas. */
      types?: string | undefined;
    };
    answer: {
      data: Array<Event>;
      next_cursor: string | null;
    };
  };
  /** The audit trail as JSON lines */
  getRollout: {
    args: {
      /** Id of the session. */
      id: string;
    };
    answer: string;
  };
  /** The original content of a tool result, cleared or not */
  getToolResult: {
    args: {
      /** Id of the session. */
      id: string;
      /** Id of the tool call, as the provider gave it. */
      tool_use_id: string;
    };
    answer: ToolResult;
  };
  /** Search everything that a session ever held */
  searchSession: {
    args: {
      /** Id of the session. */
      id: string;
      /** Words, all of which have to stand there; `"a phrase"`, `begin*`, `-without`, `this OR that`. */
      q?: string | undefined;
      /** Instead of `q`: a regular expression in the syntax of RE2. */
      regex?: string | undefined;
      role?: "system" | "user" | "assistant" | "tool" | undefined;
      kind?: "message" | "tool_call" | "tool_result" | "reasoning" | "attachment" | "summary" | undefined;
      /** Name of the tool of a call or result. */
      tool?: string | undefined;
      /** Only items after this `seq`. */
      after?: number | undefined;
      /** Only items before this `seq`. */
      before?: number | undefined;
      /** Only items appended at this time or later. */
      since?: string | undefined;
      /** Only items appended before this time. */
      until?: string | undefined;
      /** Where the item stands now. */
      state?: "in_context" | "cleared" | "summarised" | undefined;
      /** Hits per page; default 10. */
      limit?: number | undefined;
      /** `next_cursor` of the page before, with the same query. */
      cursor?: string | undefined;
    };
    answer: SearchAnswer;
  };
  /** Search all sessions of the tenant */
  search: {
    args: {
      /** Words, all of which have to stand there; `"a phrase"`, `begin*`, `-without`, `this OR that`. */
      q?: string | undefined;
      /** Instead of `q`: a regular expression in the syntax of RE2. */
      regex?: string | undefined;
      role?: "system" | "user" | "assistant" | "tool" | undefined;
      kind?: "message" | "tool_call" | "tool_result" | "reasoning" | "attachment" | "summary" | undefined;
      /** Name of the tool of a call or result. */
      tool?: string | undefined;
      /** Only items after this `seq`. */
      after?: number | undefined;
      /** Only items before this `seq`. */
      before?: number | undefined;
      /** Only items appended at this time or later. */
      since?: string | undefined;
      /** Only items appended before this time. */
      until?: string | undefined;
      /** Where the item stands now. */
      state?: "in_context" | "cleared" | "summarised" | undefined;
      /** Hits per page; default 10. */
      limit?: number | undefined;
      /** `next_cursor` of the page before, with the same query. */
      cursor?: string | undefined;
    };
    answer: SearchAnswer;
  };
  /** Where did an item go? */
  traceItem: {
    args: {
      /** Id of the session. */
      id: string;
      /** `seq` of the item. */
      seq: number;
      /** In a fork: the session whose item it is, as a search names it; default: the fork itself. */
      session_id?: string | undefined;
      /** Says where it was at this version. */
      at?: number | undefined;
    };
    answer: Trace;
  };
  /** The items that a compaction took away, oldest first */
  listCovered: {
    args: {
      /** Id of the session. */
      id: string;
      /** Id of the compaction. */
      cid: string;
      /** Only entries after this one. */
      after?: number | undefined;
      /** `next_cursor` of the page before; wins over `after`. */
      cursor?: number | undefined;
      /** Entries per page; default 50. */
      limit?: number | undefined;
    };
    answer: {
      data: Array<CoveredItem>;
      next_cursor: string | null;
    };
  };
  /** A new session whose context equals this one at a version */
  forkSession: {
    args: {
      /** Id of the session. */
      id: string;
      body?: ForkSession | undefined;
    };
    answer: ForkedSession;
  };
  /** Report where a turn stands, or that something is finished */
  postSignal: {
    args: {
      /** Id of the session. */
      id: string;
      body: PostSignal;
    };
    answer: Observed;
  };
  /** Hand in the continuation packet that the agent has written */
  postPacket: {
    args: {
      /** Id of the session. */
      id: string;
      body: PostPacket;
    };
    answer: ReceivedPacket;
  };
  /** Every profile with its full configuration */
  listProfiles: {
    args: {
      /** Window in tokens that the figures are for; default 200000. */
      context_window?: number | undefined;
    };
    answer: {
      data: Array<Profile>;
      next_cursor: null;
    };
  };
  /** Compact a conversation that is not stored here */
  compactResponse: {
    args: {
      body: ResponsesCompactRequest;
    };
    answer: CompactedResponse;
  };
  /** Whether the process answers */
  health: {
    args: Record<never, never>;
    answer: Health;
  };
  /** Whether the store and the queue can be reached */
  readiness: {
    args: {
      /** Leave this out. An API can accept items without the queue: `exclude=queue` says whether it does. */
      exclude?: "store" | "queue" | undefined;
    };
    answer: Readiness;
  };
  /** What this process has measured, for Prometheus */
  metrics: {
    args: Record<never, never>;
    answer: undefined;
  };
};

/** How each is called; `isRepeatable`: it takes an idempotency key. */
export const OPERATIONS = {
  createSession: { method: 'POST', path: '/sessions', query: [], isRepeatable: false, answersLines: false },
  listSessions: { method: 'GET', path: '/sessions', query: ['limit', 'cursor'], isRepeatable: false, answersLines: false },
  getSession: { method: 'GET', path: '/sessions/{id}', query: [], isRepeatable: false, answersLines: false },
  changeSession: { method: 'PATCH', path: '/sessions/{id}', query: [], isRepeatable: false, answersLines: false },
  eraseSession: { method: 'DELETE', path: '/sessions/{id}', query: [], isRepeatable: false, answersLines: false },
  appendItems: { method: 'POST', path: '/sessions/{id}/items', query: [], isRepeatable: true, answersLines: false },
  listItems: { method: 'GET', path: '/sessions/{id}/items', query: ['after', 'cursor', 'limit'], isRepeatable: false, answersLines: false },
  getContext: { method: 'GET', path: '/sessions/{id}/context', query: ['format', 'at', 'proposal', 'wait', 'origins'], isRepeatable: false, answersLines: false },
  syncSession: { method: 'POST', path: '/sessions/{id}/sync', query: [], isRepeatable: true, answersLines: false },
  addPin: { method: 'POST', path: '/sessions/{id}/pins', query: [], isRepeatable: true, answersLines: false },
  listPins: { method: 'GET', path: '/sessions/{id}/pins', query: [], isRepeatable: false, answersLines: false },
  removePin: { method: 'DELETE', path: '/sessions/{id}/pins/{pin_id}', query: [], isRepeatable: false, answersLines: false },
  getLedger: { method: 'GET', path: '/sessions/{id}/ledger', query: ['kind', 'state', 'source'], isRepeatable: false, answersLines: false },
  compact: { method: 'POST', path: '/sessions/{id}/compact', query: [], isRepeatable: true, answersLines: false },
  listCompactions: { method: 'GET', path: '/sessions/{id}/compactions', query: ['limit', 'cursor'], isRepeatable: false, answersLines: false },
  getCompaction: { method: 'GET', path: '/sessions/{id}/compactions/{cid}', query: [], isRepeatable: false, answersLines: false },
  diffCompaction: { method: 'GET', path: '/sessions/{id}/compactions/{cid}/diff', query: [], isRepeatable: false, answersLines: false },
  revertCompaction: { method: 'POST', path: '/sessions/{id}/compactions/{cid}/revert', query: [], isRepeatable: false, answersLines: false },
  applyCompaction: { method: 'POST', path: '/sessions/{id}/compactions/{cid}/apply', query: [], isRepeatable: true, answersLines: false },
  discardCompaction: { method: 'POST', path: '/sessions/{id}/compactions/{cid}/discard', query: [], isRepeatable: true, answersLines: false },
  cancelCompaction: { method: 'POST', path: '/sessions/{id}/compactions/{cid}/cancel', query: [], isRepeatable: false, answersLines: false },
  getCost: { method: 'GET', path: '/sessions/{id}/cost', query: [], isRepeatable: false, answersLines: false },
  listEvents: { method: 'GET', path: '/sessions/{id}/events', query: ['after', 'cursor', 'limit', 'types'], isRepeatable: false, answersLines: false },
  getRollout: { method: 'GET', path: '/sessions/{id}/rollout', query: [], isRepeatable: false, answersLines: true },
  getToolResult: { method: 'GET', path: '/sessions/{id}/tool-results/{tool_use_id}', query: [], isRepeatable: false, answersLines: false },
  searchSession: { method: 'GET', path: '/sessions/{id}/search', query: ['q', 'regex', 'role', 'kind', 'tool', 'after', 'before', 'since', 'until', 'state', 'limit', 'cursor'], isRepeatable: false, answersLines: false },
  search: { method: 'GET', path: '/search', query: ['q', 'regex', 'role', 'kind', 'tool', 'after', 'before', 'since', 'until', 'state', 'limit', 'cursor'], isRepeatable: false, answersLines: false },
  traceItem: { method: 'GET', path: '/sessions/{id}/items/{seq}/trace', query: ['session_id', 'at'], isRepeatable: false, answersLines: false },
  listCovered: { method: 'GET', path: '/sessions/{id}/compactions/{cid}/covered', query: ['after', 'cursor', 'limit'], isRepeatable: false, answersLines: false },
  forkSession: { method: 'POST', path: '/sessions/{id}/fork', query: [], isRepeatable: false, answersLines: false },
  postSignal: { method: 'POST', path: '/sessions/{id}/signals', query: [], isRepeatable: true, answersLines: false },
  postPacket: { method: 'POST', path: '/sessions/{id}/packet', query: [], isRepeatable: false, answersLines: false },
  listProfiles: { method: 'GET', path: '/profiles', query: ['context_window'], isRepeatable: false, answersLines: false },
  compactResponse: { method: 'POST', path: '/v1/responses/compact', query: [], isRepeatable: false, answersLines: false },
  health: { method: 'GET', path: '/healthz', query: [], isRepeatable: false, answersLines: false },
  readiness: { method: 'GET', path: '/readyz', query: ['exclude'], isRepeatable: false, answersLines: false },
  metrics: { method: 'GET', path: '/metrics', query: [], isRepeatable: false, answersLines: false },
} as const;
