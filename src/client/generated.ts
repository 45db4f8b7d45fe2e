// Written by "npm run client-types" from the OpenAPI document: change the schemas of src/api.

/** The session after the change. */
export type ChangedSession = Session & {
  /** A note about the window, such as that the model is unknown. */
  note: string | null;
};

/** How full the context is. */
export type ContextLevels = {
  /** Tokens of the context: what the provider has counted, where messages bring it, and estimates with their margin. */
  tokens: number;
  /** What the percentage refers to, in tokens. */
  limit: number;
  /** How much of that is left, 0 to 100. */
  percent_remaining: number;
  /** It is time to tell the user that the context fills up. */
  is_above_warning: boolean;
  /** The same, more urgently. */
  is_above_error: boolean;
  /** A compaction is due by the number of tokens. */
  is_above_auto_compact: boolean;
};

/** A compaction that has not ended. */
export type RunningCompaction = {
  /** Id of the compaction. */
  id: string;
  /** Whether a worker has begun with it. */
  status: "queued" | "running";
  /** What was asked for; `auto` lets the service choose. */
  mode: "auto" | "micro" | "full" | "remote";
  /** Who has asked: the service itself, somebody by hand, or the agent by a tool. */
  trigger: "auto" | "manual" | "tool";
} | null;

/** Where the continuation packet stands. */
export type PacketStanding = {
  /** Whether the agent was asked for a packet, or its compaction is under way. */
  state: "idle" | "awaiting_packet" | "compacting";
  /** While a packet is awaited: when the service will go on without it. */
  deadline: string | null;
};

/** The configuration in force: profile, then server, then session. */
export type Config = {
  /** False switches all compaction off, also by hand. */
  enabled: boolean;
  /** Whether an append may request a compaction by itself. */
  auto_compact_enabled: boolean;
  /** Tokens of the context at which a compaction is requested. It can only lower the threshold that follows from `free_space_buffer`. */
  auto_compact_threshold: number | null;
  /** The same as a percentage of the window; used when no threshold in tokens is set. */
  auto_compact_pct_override: number | null;
  /** What asks for an automatic compaction: the `threshold`, the `tiers` of signals, or `limit`, which is `auto_compact_token_limit` alone. */
  auto_compact_trigger: "threshold" | "tiers" | "limit";
  /** `auto` compacts. `tag` and `suggest` only tell the client, as `advice`, that it would be done. */
  auto_compact_mode: "tag" | "suggest" | "auto";
  /** With trigger `limit`: a message of the user that finds the context above so many tokens asks for a compaction. Null: never. */
  auto_compact_token_limit: number | null;
  /** With trigger `limit`: so many messages must stand since the last full compaction. */
  auto_compact_min_messages: number;
  /** Tier `early` begins when less than this percentage of the window is left. */
  trigger_early_percent_remaining_lt: number;
  /** Tier `ready` begins below this percentage of the window. Above it the end of a turn compacts nothing. */
  trigger_ready_percent_remaining_lt: number;
  /** Tier `asap` begins below this percentage of the window. */
  trigger_asap_percent_remaining_lt: number;
  /** Tier `emergency`, which needs no boundary, begins below this percentage of the window. */
  trigger_emergency_percent_remaining_lt: number;
  /** When not empty: the boundaries that every tier but `emergency` accepts, instead of its own. */
  auto_requires_any_boundary: Array<"plan_checkpoint" | "plan_update" | "pr_checkpoint" | "topic_shift" | "commit" | "agent_done" | "concluding_thought" | "turn_complete">;
  /** Shell commands that count as boundary `commit` when they succeed. */
  signal_commit_commands: Array<string>;
  /** Shell commands that count as boundary `pr_checkpoint` when they succeed. */
  signal_pr_commands: Array<string>;
  /** Tools whose calls count as `plan_update`, or as `plan_checkpoint` when more steps are done. */
  signal_plan_tools: Array<string>;
  /** Phrases of the assistant that count as `agent_done`. */
  signal_agent_done: Array<string>;
  /** Phrases of the assistant beside which `agent_done` does not count. */
  signal_agent_done_unless: Array<string>;
  /** Phrases of the assistant that count as `topic_shift`. */
  signal_topic_shift: Array<string>;
  /** Phrases of the assistant that count as `concluding_thought`. */
  signal_concluding_thought: Array<string>;
  /** Who writes the packet that a compaction at the end of a turn appends: nobody, the service (`watcher`), or the `agent` (in an emergency the service). */
  packet_author: "none" | "watcher" | "agent";
  /** Characters of the last answer that a packet of the service repeats. */
  packet_max_tail_chars: number;
  /** Tokens of a packet; a longer one is cut in the middle. */
  packet_max_tokens: number;
  /** Seconds that the agent has for its packet; after them the service writes it. */
  packet_timeout_seconds: number;
  /** Whether a message that is nothing but `/compact`, with or without instructions, compacts instead of being sent. */
  manual_commands: boolean;
  /** New tokens since the last compaction that one by a tool needs; with fewer, nothing is done. */
  tool_compact_min_tokens: number;
  /** Whether the provider compacts where it can: OpenAI, in sessions of format `openai-responses`. */
  remote_compaction: boolean;
  /** Tokens of the window that an answer of the model may take. Thresholds are measured from the rest. */
  max_output_tokens: number;
  /** Tokens of the window that are kept free: the threshold is the rest. */
  free_space_buffer: number;
  /** The warning level begins so many tokens before the end. */
  warning_threshold: number;
  /** The error level begins so many tokens before the end. */
  error_threshold: number;
  /** What the levels and the percentage are taken from: the whole `window`, or the `limit` at which a compaction is requested. */
  threshold_style: "window" | "limit";
  /** Whether old tool results may be cleared. */
  micro_compact_enabled: boolean;
  /** `until_target` clears the oldest results until `micro_compact_target_tokens` is reached, `all_older` all but the last. */
  micro_compact_strategy: "all_older" | "until_target";
  /** When clearing would save fewer tokens, nothing is cleared. */
  micro_compact_min_tokens_to_save: number;
  /** A result of fewer tokens is never cleared. */
  micro_compact_min_result_tokens: number;
  /** How many of the last results are never cleared. */
  micro_compact_keep_last_n_tools: number;
  /** Tokens of tool results at which `until_target` stops. */
  micro_compact_target_tokens: number;
  /** Names of the tools whose results may be cleared, in any case of letters: `*` stands for any text, `!` in front leaves tools out. */
  micro_compact_eligible_tools: Array<string>;
  /** Whether results that are errors may be cleared too. */
  micro_compact_clear_errors: boolean;
  /** What takes the place of a result: a `digest` of its most telling lines, or the `placeholder` alone. */
  micro_compact_replacement: "digest" | "placeholder";
  /** The text in place of a cleared result; `{tool_use_id}` becomes the id of the call. */
  micro_compact_placeholder: string;
  /** The agent has a way to read originals again, such as MCP: what takes their place says how. */
  recall: boolean;
  /** Whether the gateway offers tools to the model with which it reads its own history, and answers their calls itself. */
  gateway_recall: boolean;
  /** How often the model is asked again for one answer of the gateway. */
  gateway_recall_rounds: number;
  /** Results of more tokens are first cut in the middle; null switches that off. */
  micro_compact_truncate_over_tokens: number | null;
  /** Inputs of more tokens, of old calls that wrote or edited files, are cut to that: paths and the beginning of each text stay; null switches that off. */
  micro_compact_truncate_inputs_over_tokens: number | null;
  /** Whether a full compaction takes the place of clearing that would not be enough. */
  micro_compact_escalate: boolean;
  /** How many files are put back after the summary, as they were known last. */
  restore_max_files: number;
  /** Tokens to which each restored file is cut. */
  restore_tokens_per_file: number;
  /** Tokens that all restored files may take together. */
  restore_total_file_budget: number;
  /** A file that does not fit: `skip` it and try the next, or `stop`. */
  restore_over_budget: "skip" | "stop";
  /** Paths that are never restored: `*.x` matches the end of a path, anything else a part of it. */
  restore_exclude: Array<string>;
  /** Whether the latest list of todos is put back. */
  restore_todos: boolean;
  /** Whether the latest plan is put back. */
  restore_plan: boolean;
  /** How tokens are counted: by an estimate, or by a real tokenizer. */
  token_counter: "estimate" | "o200k_base" | "cl100k_base";
  /** `utf8_ceil`: bytes of UTF-8 divided by `approx_bytes_per_token`, rounded up. `utf16_round`: length in UTF-16 divided by 4, rounded. */
  token_estimate: "utf8_ceil" | "utf16_round";
  /** Estimates of a context are multiplied by this; what a provider has counted is not. */
  token_safety_multiplier: number;
  /** Bytes that `utf8_ceil` takes for one token. */
  approx_bytes_per_token: number;
  /** Tokens that an image counts. */
  tokens_per_image: number;
  /** Whether messages of the user stay verbatim in front of the summary. */
  preserve_user_messages: boolean;
  /** Tokens that these messages may take, newest first. */
  user_message_max_tokens: number;
  /** How many of the last messages stay verbatim behind the summary. */
  protected_messages: number | null;
  /** Tokens at the end that stay verbatim behind the summary, at most a quarter of the context. */
  protected_tokens: number | null;
  /** Who writes the summaries: `provider/model`, the name of a model, or `extractive`, which asks no model. Null or empty: the choice of the server. */
  summarization_model: string | null;
  /** Provider of `summarization_model`; alone, the provider whose cheapest model is taken. */
  summarization_model_provider_id: string | null;
  /** Prompt and sections of the summary. */
  summary_template: "nine-sections" | "seven-sections" | "handoff";
  /** How the message with the summary opens. */
  summary_style: "lines" | "claude-code";
  /** Whether the analysis that the model wrote first stays in the summary. */
  summary_include_analysis: boolean;
  /** Tokens that a summary may have. */
  summary_max_tokens: number;
  /** How the summariser reads the conversation: as a `record`, or as `turns` with labels, of which the oldest are left out first. */
  transcript_style: "record" | "turns";
  /** Tokens of the conversation that `turns` may show; null: what fits in the window of the model. */
  transcript_max_tokens: number | null;
  /** What is done about facts that a summary has lost. */
  retention_check: "off" | "report" | "repair";
  /** When a smaller share of the facts is kept (0 to 1), what is missing is put back. */
  retention_min: number;
  /** A summary of a model that keeps a smaller share even then (0 to 1) counts as a failed answer. */
  retention_reject: number;
  /** Tokens that facts may take which are put back. */
  retention_repair_max_tokens: number;
  /** Whether an automatic compaction waits as long as it would cost more than it saves. */
  compaction_cost_aware: boolean;
  /** Calls of the session’s model that are expected to follow, by which that is reckoned. */
  cost_horizon_turns: number;
  /** What is tried, in order, when the model has failed for good. */
  summarizer_fallback: Array<"extractive" | "micro">;
  /** How often the model is asked before it counts as failed. */
  summarizer_max_attempts: number;
  /** Seconds that one attempt may take. */
  summarizer_timeout_seconds: number;
  /** New tokens, without margin, that must come before the next automatic compaction. */
  min_new_tokens_between_compactions: number;
  /** After so many automatic compactions in a row that failed or changed nothing, they stop. */
  breaker_max_failures: number;
  /** Seconds after which the next append may try again. */
  breaker_reset_seconds: number;
};

/** Fields of the configuration that differ from the profile. */
export type ConfigOverrides = { [Field in keyof Config]?: Config[Field] | undefined };

/** A session with its configuration. */
export type Session = SessionSummary & {
  config: Config;
  config_overrides: ConfigOverrides;
};

/** A session without its configuration. */
export type SessionSummary = {
  /** Id of the session. */
  id: string;
  /** The beginning of what the user has said first; null: nothing yet. */
  title: string | null;
  /** Wire format of the items. */
  format: "anthropic" | "openai-responses" | "openai-chat" | "ai-sdk";
  /** Named set of configuration defaults. */
  profile: "default" | "claude-code" | "codex-v2" | "rawr" | "tiered" | "codex-classic";
  /** The model that the context is for; null: not said. */
  model: string | null;
  /** Tokens that the model takes, answer included. */
  context_window: number;
  /** Anything that the client wants to keep with the session; at most 64 KiB of JSON. */
  metadata: Record<string, unknown>;
  /** Number of the newest event: it grows with each write. */
  version: number;
  /** What the session holds. */
  counts: {
    /** Items ever appended. */
    items: number;
    /** Compactions by how they have ended. */
    compactions: {
      /** Those that cleared tool results. */
      micro: number;
      /** Those that put a summary in place. */
      full: number;
      /** Those that the provider made. */
      remote: number;
      /** Those that found nothing to do. */
      skipped: number;
      /** Those that came to nothing. */
      failed: number;
    };
  };
  context: ContextLevels;
  /** What compactions have made of the context. */
  compact_state: {
    /** The full compaction that the context is built on. */
    base_compaction_id: string | null;
    /** Its cut: the last `seq` it covers. */
    through: number | null;
    /** Newest version at which something else than an append changed the context. */
    changed_at_version: number | null;
    /** Tokens that came since, without margin. */
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
  /** Stops automatic compactions that fail again and again. */
  breaker: {
    /** Automatic compactions have stopped for now. */
    is_open: boolean;
    /** Automatic compactions in a row that came to nothing. */
    failures: number;
    /** When they go on. */
    reset_at: string | null;
  };
  /** When the session began. */
  created_at: string;
  /** The latest time of its events. */
  updated_at: string;
};

/** Why a request was refused. Branch on `type`, show `detail`. */
export type Problem = {
  /** Stable name of the kind of problem, as a URN. */
  type: string;
  /** The kind of problem in words. */
  title: string;
  /** The HTTP status, once more. */
  status: number;
  /** What is wrong with this request, and what to change. */
  detail: string;
  /** On validation: the offending fields, at most 100. */
  errors?: Array<{
    /** Where it stands: names and indexes with dots between them, such as `0.role`. */
    path: string;
    /** What it has to be instead. */
    message: string;
  }> | undefined;
};

/** Settings of a new session. All are optional. */
export type CreateSession = {
  /** Default: a UUIDv7. */
  id?: string | undefined;
  /** Default: anthropic. */
  format?: "anthropic" | "openai-responses" | "openai-chat" | "ai-sdk" | undefined;
  /** Default: default. */
  profile?: "default" | "claude-code" | "codex-v2" | "rawr" | "tiered" | "codex-classic" | undefined;
  config?: ConfigOverrides | undefined;
  /** Name of the model that the context is for: it tells the window, the provider and the price. */
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

/** Settings to change: what is left out stays. a field of `config` changes alone, `metadata` as a whole. */
export type ChangeSession = {
  config?: ConfigOverrides | undefined;
  /** Named set of configuration defaults. */
  profile?: "default" | "claude-code" | "codex-v2" | "rawr" | "tiered" | "codex-classic" | undefined;
  /** Name of the model that the context is for: it tells the window, the provider and the price. */
  model?: string | null | undefined;
  /** Tokens that the model takes, answer included. */
  context_window?: number | undefined;
  /** Anything that the client wants to keep with the session; at most 64 KiB of JSON. */
  metadata?: Record<string, unknown> | undefined;
};

/** What was appended, and what follows from it. */
export type Appended = {
  /** The session that this is about. */
  session_id: string;
  /** The version that the session has now. */
  version: number;
  /** `seq` of the first of these items: its place in the log. */
  first_seq: number;
  /** `seq` of the last of them. */
  last_seq: number;
  context: ContextLevels;
  /** The compaction that is under way now; with `Prefer: wait`, possibly ended. */
  compaction: {
    /** Id of the compaction. */
    id: string;
    /** How far it has come. */
    status: "queued" | "running" | "ended";
    /** What was asked for; `auto` lets the service choose. */
    mode: "auto" | "micro" | "full" | "remote";
    /** Who has asked: the service itself, somebody by hand, or the agent by a tool. */
    trigger: "auto" | "manual" | "tool";
    /** Why it was requested. */
    reason: string;
  } | null;
  /** `tag`, `suggest`: the context would be compacted now if its mode did not forbid it. `no_natural_boundary`: it is not compacted at the end of this turn, since nothing is finished. */
  advice: "tag" | "suggest" | "no_natural_boundary" | null;
  /** A note about this request, such as that it waits for a compaction. */
  note: string | null;
  /** With `Prefer: wait`, when the compaction has ended that this append has requested: what to show the user who has sent a command, or whose message has waited. */
  message: string | null;
};

/** Items to append: one, an array of them, or an object that holds them. */
export type AppendItems = {
  /** The items, oldest first. */
  items: Array<Item>;
} | Array<Item> | Item;

/** An item of the log. */
export type LogItem = {
  /** Its place in the log. */
  seq: number;
  /** When it was appended. */
  at: string;
  /** When it was said, where its client or its transcript tells. */
  occurred_at: string | null;
  item: StoredItem;
  /** Its tokens, estimated without margin. */
  tokens: number;
};

/** An item exactly as it was posted. */
export type StoredItem = Record<string, unknown>;

/** What goes to the model at one version. */
export type Context = {
  /** The session that this is about. */
  session_id: string;
  /** The version whose context this is; also the ETag. */
  version: number;
  /** The version asked for; the same, by default the newest. */
  at: number;
  /** Wire format of the items. */
  format: "anthropic" | "openai-responses" | "openai-chat" | "ai-sdk";
  /** What to send to the model, in this order; with `origins` each says where it is from. */
  items: Array<ContextItem | Record<string, unknown>>;
  /** Tokens of these items. */
  tokens: number;
  /** Ids of the tool calls whose results were cleared or digested, oldest first: GET …/tool-results/:id has them as they were. */
  compacted_tool_ids: Array<string>;
  /** The full compaction that it is built on, if any. */
  base_compaction_id: string | null;
  /** SHA-256 of the canonical JSON of the items: the same for the same log, version and format, on any replica and any day. */
  hash: string;
};

/** An item of a context, with where it is from. */
export type ContextItem = {
  /** The first item of the log that went into it; null for what a compaction made. */
  seq: number | null;
  /** What put it there: `log` for an item that was appended, else the part of a compaction; `added`: what the format of the provider asks for. */
  origin: "initial" | "pinned" | "instructions" | "boundary" | "preserved" | "summary" | "file" | "todo" | "plan" | "hook" | "remote" | "ghost" | "log" | "added";
  /** It is not as it was appended. */
  edited: boolean;
  /** The item as the provider takes it. */
  item: Record<string, unknown>;
};

/** What was new, and the context. */
export type Synced = {
  /** The session that this is about. */
  session_id: string;
  /** The version whose context this is. */
  version: number;
  /** How many of the items were known. */
  matched: number;
  /** How many were new: the rest. */
  appended: number;
  /** Items of the log that the history does not have, such as an answer that was asked for again: the context holds them no more. */
  superseded: Array<number>;
  /** The history begins with a summary of the client’s own, or keeps a window over the newest only: that was recorded. */
  is_compacted_by_client: boolean;
  divergence: Divergence;
  /** The compaction that is under way now. */
  compaction: RunningCompaction & {
    /** Why it was requested. */
    reason: string;
  } | null;
  /** `tag`, `suggest`: the context would be compacted now if its mode did not forbid it. `no_natural_boundary`: it is not compacted at the end of this turn, since nothing is finished. */
  advice: "tag" | "suggest" | "no_natural_boundary" | null;
  /** As in the answer to an append. */
  note: string | null;
  context: SyncedContext;
};

/** Where a history of another past went: into a fork. */
export type Divergence = {
  /** The fork: sync with it from now on. */
  session_id: string;
  /** The session that was asked for. */
  parent_session_id: string;
  /** The version of the parent that both share. */
  parent_version: number;
  /** The first item of the history that the parent lacks. */
  index: number;
} | null;

/** What to send to the model, and how full it is. */
export type SyncedContext = ContextLevels & {
  /** Wire format of the items. */
  format: "anthropic" | "openai-responses" | "openai-chat" | "ai-sdk";
  /** What to send to the model, in this order. */
  items: Array<ContextItem>;
  /** Ids of the tool calls whose results were cleared or digested. */
  compacted_tool_ids: Array<string>;
  /** The full compaction that it is built on, if any. */
  base_compaction_id: string | null;
  /** SHA-256 of the canonical JSON of the items: the same for the same log, version and format, on any replica and any day. */
  hash: string;
};

/** A history as the client holds it. */
export type Sync = {
  /** The whole history that the client holds, oldest first. */
  items: Array<Item>;
  /** Of the items, and of a session that is created. */
  format?: "anthropic" | "openai-responses" | "openai-chat" | "ai-sdk" | undefined;
  /** Holds the answer (at most 60 s) while a compaction is under way. */
  wait?: "compaction" | boolean | undefined;
  /** Tokens of your requests that the count of the context lacks: system prompt, tools, and what the provider counts more. So much of the window is kept free from now on, at most half: `free_space_buffer` of the session is raised where it is smaller. Not for histories whose assistant messages bring their `usage`, which includes it. */
  overhead?: number | undefined;
  /** What to do with a history of another past; by default it is forked. */
  on_divergence?: "fork" | "reject" | undefined;
};

/** The pin, and what follows from it. */
export type Pinned = {
  pin: Pin;
  /** The version that the session has now. */
  version: number;
  context: ContextLevels;
};

/** What stands in every context, word for word. */
export type Pin = {
  /** Id of the pin. */
  id: string;
  /** The text that is pinned; null: it is an item. */
  text: string | null;
  /** The item that was asked for. */
  seq: number | null;
  /** All items that are pinned with it. */
  items: Array<number>;
  /** Tokens of what is pinned, without margin. */
  tokens: number;
  /** The version at which it was pinned. */
  version: number;
  /** When it was pinned. */
  at: string;
};

/** What to keep: a text, or an item of the session. */
export type AddPin = {
  /** Stands in the context as a message of the user. */
  text: string;
} | {
  /** An item of the session; what it cannot stand without is pinned with it. */
  seq: number;
};

/** What the log says that a successor has to know. */
export type Ledger = {
  /** The session that this is about. */
  session_id: string;
  /** The version that the facts are of. */
  version: number;
  /** Kind by kind, oldest first. */
  facts: Array<Fact>;
  /** What compactions have covered, oldest first. */
  epochs: Array<Epoch>;
  /** How many facts of a kind gave way to newer ones, where any did. */
  condensed: Record<string, unknown>;
};

/** Something that a successor has to know. */
export type Fact = {
  /** What kind of fact. */
  kind: "request" | "constraint" | "decision" | "change" | "run" | "error" | "finding" | "plan" | "open" | "artifact" | "name";
  /** The item that it was said in first. */
  seq: number;
  /** The item that has touched it last. */
  last_seq: number;
  /** The session that the numbers are of, where this one was forked from it. */
  of?: string | undefined;
  /** Whether it still holds. */
  state: "open" | "done" | "current" | "superseded";
  /** Who it comes from. */
  source: "user" | "assistant" | "tool" | "subagent" | "hook" | "project_instructions";
  /** The fact in words; what was said is quoted. */
  text: string;
};

/** A stretch of the session that a full compaction has covered. */
export type Epoch = {
  /** Its first `seq`. */
  from: number;
  /** Its last `seq`. */
  through: number;
  /** When the compaction ended. */
  at: string;
  /** When its last item was said (ISO 8601), where its client told it. */
  said_at?: string | undefined;
  /** The compaction that has covered it. */
  compaction_id: string;
  /** The session that the numbers are of, where this one was forked from it. */
  of?: string | undefined;
};

/** A compaction in short, with what to answer who has asked for it. */
export type RequestedCompaction = Compaction & {
  /** With trigger `tool`, once it has ended: what the agent is told, above all the summary. Of any trigger: that focus or instructions came too late for a compaction that was under way. */
  message: string | null;
};

/** A compaction in short. */
export type Compaction = {
  /** The session that this is about. */
  session_id: string;
  /** Id of the compaction. */
  id: string;
  /** How far it has come; when it has `ended`, `outcome` says how. */
  status: "queued" | "running" | "ended";
  /** How it has ended; null before. */
  outcome: "skipped" | "not_needed" | "micro_compacted" | "full_compacted" | "remote_compacted" | "proposed" | "discarded" | "failed" | "cancelled" | null;
  /** What was asked for; `auto` lets the service choose. */
  mode: "auto" | "micro" | "full" | "remote";
  /** Who has asked: the service itself, somebody by hand, or the agent by a tool. */
  trigger: "auto" | "manual" | "tool";
  /** Why it was requested. */
  reason: string;
  /** Why it was skipped, has failed or was discarded. */
  outcome_reason: string | null;
  /** How often a worker has begun with it. */
  attempts: number;
  /** Tokens of the context when it began; null before. */
  tokens_before: number | null;
  /** Tokens of the context that it made; null when it made none. */
  tokens_after: number | null;
  /** The version of its first event. */
  requested_version: number;
  /** The version of the event that ended it; null before. */
  ended_version: number | null;
  /** When it was requested. */
  requested_at: string;
  /** When it ended; null before. */
  ended_at: string | null;
  /** When it was undone; null when it was not. */
  reverted_at: string | null;
};

/** What a compaction would do now. */
export type DryRun = {
  /** Says that nothing was done. */
  dry_run: true;
  /** What a compaction would do. */
  action: "skip" | "micro" | "full" | "remote";
  /** Why nothing would be done; null when something would. */
  skip: {
    /** Why nothing was done, by name. */
    reason: "nothing_to_compact" | "below_threshold" | "not_effective" | "would_not_shrink" | "irreducible_floor" | "compaction_disabled" | "no_natural_boundary" | "too_few_tokens" | "not_worth_it";
    /** The same in words, with the figures. */
    detail: string;
    /** What takes the room that cannot be made free, largest first. */
    contributors: Array<{
      /** A part of the context, in words. */
      what: string;
      /** Tokens of that part, without margin. */
      tokens: number;
    }>;
  } | null;
  /** Tool results whose content was replaced. */
  cleared_tool_results: Array<ToolResultEdit>;
  /** Tokens of the context now. */
  tokens_before: number;
  /** After the mechanical part; as before when nothing is cleared. */
  tokens_after_micro: number;
  /** The cut: the last `seq` that it would cover. */
  through: number | null;
  /** Tokens that would be covered, without margin. */
  covered_tokens: number | null;
  /** Tokens behind the cut, without margin. */
  kept_tokens: number | null;
  /** Estimate of the conversation that the summariser would read. */
  prompt_tokens: number | null;
  /** Tokens that the summary could have. */
  summary_budget: number | null;
  /** Files that could be restored. */
  files: Array<string>;
};

/** A tool result whose content was replaced. */
export type ToolResultEdit = {
  /** The item that carries the result, or the call whose input was cut. */
  seq: number;
  /** Id of the tool call, as the provider gave it. */
  tool_use_id: string;
  /** What stands there now: the placeholder, a digest, the result without its middle, or the call with its input cut. */
  kind: "cleared" | "digested" | "truncated" | "input_truncated";
  /** Tokens of the result, or of the call, before, without margin. */
  tokens_before: number;
  /** Tokens of what stands there now, without margin. */
  tokens_after: number;
};

/** How to compact. All fields are optional. */
export type CompactRequest = {
  /** Default: auto. `remote` needs a session of format `openai-responses` with a model of OpenAI. */
  mode?: "auto" | "micro" | "full" | "remote" | undefined;
  /** For the summariser, under a heading of its own in the prompt. */
  instructions?: string | undefined;
  /** What the summary has to keep above all. */
  focus?: string | undefined;
  /** Default: manual. `tool`: the agent itself asks, for instance before it turns to a new task, after a large piece of work, or when it notices that it is losing the thread. The `message` of the compaction is the answer to its call. */
  trigger?: "manual" | "tool" | undefined;
  /** Says what would happen, and appends nothing. */
  dry_run?: boolean | undefined;
  /** Does everything but the last step: the finished candidate waits as a proposal, outcome `proposed`, to be looked at and then applied or discarded. */
  propose?: boolean | undefined;
};

/** A compaction in short, with its cost. */
export type CostedCompaction = Compaction & {
  cost: CompactionCost;
};

/** What a compaction has cost, and saves. */
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
  /** What that saves, US dollars. */
  saves_usd_per_call: number | null;
  /** Calls of the model after which it has paid for itself. */
  pays_after_calls: number | null;
  /** Calls of the model that have followed. */
  calls_since: number | null;
  /** Why a price is null. */
  unpriced: string | null;
};

/** Tokens of the summariser as providers counted them; `input` without the cached ones. */
export type PaidTokens = {
  /** Tokens that were read and neither taken from the provider’s cache nor written to it. */
  input: number;
  /** Tokens that were written. */
  output: number;
  /** Tokens that were read from the provider’s cache. */
  cache_read: number;
  /** Tokens that were written to the provider’s cache. */
  cache_creation: number;
};

/** Everything about a compaction. */
export type CompactionDetail = Compaction & {
  /** What was asked for. */
  request: {
    /** The mode that was asked for. */
    mode: "auto" | "micro" | "full" | "remote";
    /** Who has asked. */
    trigger: "auto" | "manual" | "tool";
    /** Why it was requested. */
    reason: string;
    /** What the summariser was told besides. */
    instructions: string | null;
    /** What the summary had to keep above all. */
    focus: string | null;
  };
  attribution: Attribution;
  /** Of a compaction that was asked to `propose`. While it is open, summary, edits and all other fields of the result say what applying it would put in place. */
  proposal: {
    /** What became of it. */
    state: "open" | "applied" | "discarded";
    /** When the candidate was finished. */
    proposed_at: string;
    /** The version of the event that holds it. */
    proposed_version: number;
    /** The compaction that has changed the context since, which discarded it. */
    superseded_by: string | null;
  } | null;
  /** What the user is told whose message waits for this compaction; once it has ended, that the request can go on. */
  note: string | null;
  /** What clients of other services look for. */
  metadata: {
    codex_compaction: CodexCompaction;
  };
  /** Once it has ended. With trigger `tool`: what the agent is told, above all the summary. After a command: what the summariser has written, untouched, for the user. After a compaction that a message of the user has waited for: the note, then the summary. */
  message: string | null;
  /** Each time that a worker has begun with it, oldest first. */
  attempt_history: Array<{
    /** 1 for the first. */
    attempt: number;
    /** When a worker began with it. */
    started_at: string;
    /** How it failed; null: it did not. */
    failure: {
      /** When it failed. */
      at: string;
      /** What went wrong, by name. */
      reason: "no_summary" | "api_error" | "prompt_too_long" | "interrupted" | "timeout" | "hook_blocked";
      /** The same in words, without any text of the conversation. */
      message: string;
      /** It goes on, with another attempt or with a fallback; false: this was the end. */
      will_retry: boolean;
      usage: SummarizerUsage;
    } | null;
  }>;
  /** The calls of the operator’s hooks. */
  hook_runs: Array<HookRun>;
  /** What PreCompact hooks want the user to see. */
  user_display_message: string | null;
  /** The configuration that the last attempt ran with; null before the first. */
  config: Config | null;
  /** Why nothing was done. */
  skip: {
    /** Why nothing was done, by name. */
    reason: "nothing_to_compact" | "below_threshold" | "not_effective" | "would_not_shrink" | "irreducible_floor" | "compaction_disabled" | "no_natural_boundary" | "too_few_tokens" | "not_worth_it";
    /** The same in words, with the figures. */
    detail: string;
    /** What takes the room that cannot be made free, largest first. */
    contributors: Array<{
      /** A part of the context, in words. */
      what: string;
      /** Tokens of that part, without margin. */
      tokens: number;
    }>;
  } | null;
  /** Figures of a compaction that cleared tool results. */
  micro: {
    /** How results were chosen: see `micro_compact_strategy` of the configuration. */
    strategy: "all_older" | "until_target";
    /** Tokens that the context has lost by it, without margin. */
    tokens_saved: number;
    /** Tokens of the context when it began. */
    tokens_before: number;
    /** Tokens of the context that it made. */
    tokens_after: number;
    /** Of all tool results that could be cleared, without margin. */
    result_tokens_before: number;
    /** Of the same results afterwards, without margin. */
    result_tokens_after: number;
    /** Milliseconds that it took. */
    duration_ms: number;
  } | null;
  /** Tool results whose content was replaced. */
  cleared_tool_results: Array<ToolResultEdit>;
  /** The cut: the last `seq` that it covers. */
  through: number | null;
  /** The item that marks the place in the context. */
  boundary: Record<string, unknown> | null;
  /** The summary as it stands in the context. */
  summary: string | null;
  /** User messages kept verbatim, and calls whose result comes behind the cut. */
  preserved: Array<Record<string, unknown>>;
  /** What was put back behind the summary, as it was known last. */
  restored: Array<{
    /** What was put back. */
    kind: "file" | "todo" | "plan";
    /** Path of the file or plan, where it has one. */
    path: string | null;
    /** Tokens of it, without margin. */
    tokens: number;
  }>;
  /** Estimates without margin: what was covered, and what replaced it. */
  tokens: {
    /** Tokens of what was covered. */
    covered: number;
    /** Tokens of what stands there instead. */
    replacement: number;
  } | null;
  /** Who has written the summary, such as `extractive`. */
  summarizer: string | null;
  /** The model that wrote it; null: none was asked. */
  model: string | null;
  /** Name and version of the prompt. */
  template: string | null;
  usage: SummarizerUsage & unknown;
  cost: CompactionCost;
  /** What the summariser could not be shown, to fit its window. */
  left_out: {
    /** Tool results of which the summariser saw a placeholder. */
    cleared_results: number;
    /** Tool results of which it saw beginning and end. */
    truncated_results: number;
    /** Items that it did not see. */
    dropped_items: number;
  } | null;
  /** Which of the facts that have to be kept stand in the context after it, by kind; null when nothing was checked. */
  retention: {
    /** What is kept, 0 to 1; facts that were touched lately or often count for more. */
    share: number;
    /** The same before facts were put back; left out where none were. */
    written_share?: number | undefined;
    /** How many facts were put back. */
    put_back: number;
    /** The same by kind of fact. */
    kinds: Array<{
      /** What kind of fact. */
      kind: "request" | "constraint" | "decision" | "change" | "run" | "error" | "finding" | "plan" | "open" | "artifact" | "name";
      /** Facts that have to be kept. */
      total: number;
      /** How many of them are. */
      kept: number;
      /** What is kept of them, 0 to 1, weighted. */
      share: number;
      /** The weightiest of what is missing, each by its beginning. */
      missing: Array<string>;
    }>;
  } | null;
  /** How long it took; null before its end, and of one that wrote no summary. */
  durations: {
    /** Milliseconds of the last attempt. */
    total_ms: number;
    /** Milliseconds of them that the summariser took. */
    summarizer_ms: number;
  } | null;
  /** Stands there when the context is above its threshold even afterwards. */
  threshold_exceeded: {
    /** Tokens of the context that it made. */
    post_compact_tokens: number;
    /** Tokens at which the next compaction is due. */
    threshold: number;
  } | null;
};

/** What led to the request for the compaction. */
export type Attribution = {
  /** By which way it was asked for: an append, the middle or end of a turn, a message held back, a command in a message, or a request. */
  path: "append" | "mid_turn" | "turn_complete" | "preflight" | "command" | "request";
  /** The tier that asked for it; null: none did. */
  tier: "early" | "ready" | "asap" | "emergency" | null;
  /** What was left of the window then; null where no tier was asked. */
  percent_remaining: number | null;
  /** The boundaries that the decision rests on; they are used up by it. */
  boundaries: Array<"plan_checkpoint" | "plan_update" | "pr_checkpoint" | "topic_shift" | "commit" | "agent_done" | "concluding_thought" | "turn_complete">;
};

/** Of compactions by a command in a message, or by `auto_compact_token_limit`. */
export type CodexCompaction = {
  /** By a command in a message, or by the token limit. */
  mode: "command" | "auto";
  /** The name that clients of Codex look for. */
  command: "codex-compact";
  /** By `auto_compact_token_limit`, not by a command. */
  auto: boolean;
  /** It is queued or running. */
  active: boolean;
  /** Stands there when it was not a command. */
  reason?: "token_limit" | undefined;
  /** Turns that the summariser did not get to read. */
  truncated_turns: number;
} | null;

/** What answers have cost that came to nothing; null: nothing. */
export type SummarizerUsage = {
  /** Tokens that were read and neither taken from the provider’s cache nor written to it. */
  input: number;
  /** Tokens that were written. */
  output: number;
  /** Tokens that were read from the provider’s cache. */
  cache_read: number;
  /** Tokens that were written to the provider’s cache. */
  cache_creation: number;
} | null;

/** A call of a hook of the operator. */
export type HookRun = {
  /** When it was called. */
  at: string;
  /** Name of the hook. */
  hook: string;
  /** What it was called for. */
  event: "PreCompact" | "SessionStart" | "PostCompact";
  /** It has answered, and the answer could be used. */
  ok: boolean;
  /** Without its answer the compaction fails. */
  required: boolean;
  /** HTTP status; null without an answer. */
  status: number | null;
  /** What went wrong; null: nothing. */
  error: string | null;
  /** Milliseconds until its answer. */
  duration_ms: number;
  /** What it has answered, as far as it is used. */
  result: {
    /** What it adds to the instructions of the summariser. */
    new_custom_instructions?: string | undefined;
    /** What it wants the user to see. */
    user_display_message?: string | undefined;
    /** It forbids the compaction. */
    block?: boolean | undefined;
    /** What it puts into the context behind the summary. */
    items?: Array<Record<string, unknown>> | undefined;
  };
};

/** The context on both sides of a compaction. */
export type CompactionDiff = {
  /** The session that this is about. */
  session_id: string;
  /** Id of the compaction. */
  compaction_id: string;
  /** The version of the context before. */
  before_version: number;
  /** The version of the context after. */
  after_version: number;
  /** What stands in both, as it is afterwards. */
  kept: Array<DiffEntry>;
  /** Tool results whose content was replaced. */
  cleared: Array<ToolResultEdit>;
  /** What stands only in the one before. */
  removed: Array<DiffEntryWithItem>;
  /** What stands only in the one after. */
  added: Array<DiffEntryWithItem>;
  /** Estimates without margin. */
  tokens: {
    /** Tokens of the context before. */
    before: number;
    /** Tokens of the context after. */
    after: number;
    /** Tokens of what was kept. */
    kept: number;
    /** Tokens that clearing has saved. */
    cleared: number;
    /** Tokens of what was removed. */
    removed: number;
    /** Tokens of what was added. */
    added: number;
  };
};

/** One place of a context. */
export type DiffEntry = {
  /** The item of the log; null for what a compaction made. */
  seq: number | null;
  /** Tokens of it, without margin. */
  tokens: number;
  /** What put it there: `log` for an item that was appended, else the part of a compaction. */
  origin: "initial" | "pinned" | "instructions" | "boundary" | "preserved" | "summary" | "file" | "todo" | "plan" | "hook" | "remote" | "ghost" | "log";
};

/** One place of a context, with what stands there. */
export type DiffEntryWithItem = DiffEntry & {
  /** A stored item. */
  item: Record<string, unknown>;
};

/** The compaction that was undone, and what follows from it. */
export type Reverted = {
  compaction: Compaction;
  /** Ids of what was undone, in that order; more than one with `cascade`. */
  reverted: Array<string>;
  /** The version that the session has now. */
  version: number;
  context: ContextLevels;
  /** A warning when the context is above the threshold again. */
  note: string | null;
};

/** How far to go. The body may be left out. */
export type RevertRequest = {
  /** Takes back the later compactions that build on it, too, newest first. */
  cascade?: boolean | undefined;
};

/** The proposal that was applied, and what follows from it. */
export type Applied = {
  compaction: Compaction;
  /** The version that the session has now. */
  version: number;
  context: ContextLevels;
};

/** Nothing: the path says it all. The body may be left out. */
export type NoFields = Record<string, never>;

/** What all compactions of a session have cost, and saved. */
export type SessionCost = {
  /** The session that this is about. */
  session_id: string;
  /** The model of the session, else the newest one that its messages name. */
  model: string | null;
  /** Calls of that model, as its answers show them. */
  calls: number;
  /** The day of the price table. */
  prices_date: string;
  /** US dollars per million tokens. */
  model_price: {
    /** Of tokens that are read. */
    input: number;
    /** Of tokens that are written. */
    output: number;
    /** Of tokens from the cache; null: what other input costs. */
    cache_read: number | null;
    /** Of tokens into the cache; null: what other input costs. */
    cache_write: number | null;
  } | null;
  /** Why there is no such price. */
  model_unpriced: string | null;
  /** Compactions so far, whatever came of them. */
  compactions: number;
  tokens: PaidTokens;
  /** What compactions have cost, of those with a price. */
  usd: number;
  /** Over all calls since. */
  saved_tokens: number;
  /** What these have cost less, US dollars. */
  saved_usd: number;
  /** Saved less paid; null while a compaction has no price. */
  net_usd: number | null;
  /** Compactions of which a price is not known, and why that of the newest is not. */
  unpriced: {
    /** How many. */
    compactions: number;
    /** Why, of the newest of them. */
    reason: string | null;
  };
};

/** Something that has happened; it never changes. */
export type Event = {
  /** Its place in the log of the session, from 1. */
  version: number;
  /** What has happened, by name. */
  type: "session.created" | "session.configured" | "session.forked" | "item.appended" | "item.superseded" | "pin.added" | "pin.removed" | "signal.observed" | "compaction.requested" | "compaction.started" | "compaction.micro_completed" | "compaction.completed" | "compaction.proposed" | "compaction.discarded" | "compaction.observed" | "compaction.skipped" | "compaction.failed" | "compaction.cancelled" | "compaction.reverted" | "compaction.threshold_exceeded" | "packet.requested" | "packet.received" | "preflight.armed" | "hook.ran" | "breaker.opened" | "breaker.closed" | "turn.bypassed";
  /** When it was written. */
  at: string;
  /** What happened; the fields depend on the type. */
  data: Record<string, unknown>;
  /** SHA-256, chained to the event before. */
  hash: string;
};

/** What a tool has answered, in full. */
export type ToolResult = {
  /** In a fork also that of a parent. */
  session_id: string;
  /** Id of the tool call, in full. */
  tool_use_id: string;
  /** The item that carries the result. */
  seq: number;
  /** When that was appended. */
  at: string;
  /** The tool has said that it failed. */
  is_error: boolean;
  /** The whole result as text; images only as a note. */
  content: string;
  item: StoredItem & unknown;
};

/** What was found. */
export type SearchAnswer = {
  /** The hits of this page, best first. */
  data: Array<SearchHit>;
  /** Send it as `cursor` for the next page; null: there is none. */
  next_cursor: string | null;
  /** False: more may be found than was looked at. Use rarer words, filters, or the cursor. Also where the archive has lost the file of a session. */
  is_complete: boolean;
};

/** A place where it was found. */
export type SearchHit = {
  /** In a fork also that of a parent. */
  session_id: string;
  /** The item in which it stands. */
  seq: number;
  /** When that was said, where its client told it; else when it was appended. */
  at: string;
  /** Who has said it. */
  role: "system" | "user" | "assistant" | "tool" | null;
  /** What part of the item it is. */
  kind: "message" | "tool_call" | "tool_result" | "reasoning" | "attachment" | "summary";
  /** Name of the tool of a call or result. */
  tool: string | null;
  /** Id of that call. */
  tool_use_id: string | null;
  /** The words around what was found. */
  snippet: string;
  /** Places in the snippet, in UTF-16 units. */
  matches: Array<{
    /** Where it begins. */
    start: number;
    /** Where it ends: the first place behind it. */
    end: number;
  }>;
  /** How well it fits, higher is better; compare within one answer only. */
  score: number;
  /** Null: it never went to a model, or belongs to a compaction that was reverted. */
  state: "in_context" | "cleared" | "summarised" | null;
  /** The compaction that took it out of the context. */
  compaction_id: string | null;
};

/** Where an item is now, and how it got there. */
export type Trace = {
  /** The session that this is about. */
  session_id: string;
  /** The version of the session that this is told of. */
  version: number;
  /** The item that was asked for. */
  item: {
    /** The session in whose log it stands. */
    session_id: string;
    /** Its place in that log. */
    seq: number;
    /** When it was appended. */
    at: string;
    /** Its tokens, estimated without margin. */
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
    /** The session in whose log it stands. */
    session_id: string;
    /** Its id; null: the client’s own compaction. */
    compaction_id: string | null;
    /** The version of that session at which it ended. */
    version: number;
    /** When it ended. */
    at: string;
  } | null;
  /** What that compaction has put back of it. */
  restored: Array<{
    /** As which part of the context. */
    origin: "initial" | "pinned" | "instructions" | "boundary" | "preserved" | "summary" | "file" | "todo" | "plan" | "hook" | "remote" | "ghost" | "log";
    /** Path of the file or plan, where it has one. */
    path: string | null;
    /** The item itself, word for word. */
    is_whole: boolean;
  }>;
  /** All that has happened to it, oldest first. */
  history: Array<TraceStep>;
};

/** A tool result that is not as it was appended. */
export type EditedResult = {
  /** Id of the tool call. */
  tool_use_id: string;
  /** What stands there now: the placeholder, a digest, or the result without its middle. */
  kind: "cleared" | "digested" | "truncated" | "input_truncated";
  /** Tokens of the result as it was, without margin. */
  tokens_before: number;
  /** Tokens of what stands there now, without margin. */
  tokens_after: number;
  /** The compaction that did it, where it is known. */
  compaction_id: string | null;
};

/** One thing that has happened to an item. */
export type TraceStep = {
  /** What has happened to the item. */
  what: "appended" | "forked" | "cleared" | "digested" | "truncated" | "input_truncated" | "summarised" | "summarised_again" | "reverted" | "superseded" | "pinned" | "unpinned";
  /** In whose log it happened. */
  session_id: string;
  /** The version of that session at which it happened. */
  version: number;
  /** When it happened. */
  at: string;
  /** The compaction that did it; null: none. */
  compaction_id: string | null;
  /** The result that was cleared, digested or truncated. */
  result: {
    /** Id of the tool call. */
    tool_use_id: string;
    /** Tokens of the result as it was, without margin. */
    tokens_before: number;
    /** Tokens of what stands there now, without margin. */
    tokens_after: number;
  } | null;
  /** The pin that was added or removed. */
  pin_id: string | null;
};

/** An item that a compaction took away. */
export type CoveredItem = {
  /** In a fork also that of a parent. */
  session_id: string;
  /** Its place in the log of that session. */
  seq: number;
  /** When it was appended. */
  at: string;
  item: StoredItem;
  /** Its tokens, estimated without margin. */
  tokens: number;
  /** What the compaction did to it, or to a result of it. */
  taken: "summarised" | "cleared" | "digested" | "truncated" | "input_truncated";
  /** In the context; cleared: a result of it was replaced; summarised: only a summary tells of it; superseded: the client has taken it back; excluded: a command to the service, never sent. */
  state: "in_context" | "cleared" | "summarised" | "superseded" | "excluded";
  /** The compaction that took it away; null where that was the client, or nobody. */
  compaction_id: string | null;
};

/** The new session. */
export type ForkedSession = Session & {
  /** Where the session comes from. */
  forked_from: {
    /** The parent. */
    session_id: string;
    /** The version of the parent whose context it began with. */
    version: number;
  };
};

/** Where to fork, and what the fork is called. */
export type ForkSession = {
  /** Version whose context the new session gets; default: the current one. */
  at?: number | undefined;
  /** Id of the new session; default: a UUIDv7. */
  id?: string | undefined;
};

/** Where the turn stands, and what to do. */
export type Observed = {
  /** The session that this is about. */
  session_id: string;
  /** The version that the session has now. */
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
    /** Why it was requested. */
    reason: string;
  } | null;
  /** `tag`, `suggest`: the context would be compacted now if its mode did not forbid it. `no_natural_boundary`: it is not compacted at the end of this turn, since nothing is finished. */
  advice: "tag" | "suggest" | "no_natural_boundary" | null;
  /** What to ask the agent before the compaction. */
  packet: {
    /** Give it to the agent; its answer is the packet. */
    prompt: string;
    /** When the service goes on without a packet. */
    deadline: string;
  } | null;
  /** The next user message waits for a compaction. */
  preflight_armed: boolean;
};

/** What the client tells of a turn. */
export type PostSignal = {
  /** What has happened in the turn. */
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
  /** What was made of the packet. */
  packet: {
    /** It was longer than `packet_max_tokens`, and was cut. */
    is_truncated: boolean;
  };
};

/** The packet that the agent was asked for. */
export type PostPacket = {
  /** Cut in the middle when it is longer than `packet_max_tokens`. */
  text: string;
};

/** A named set of defaults, with all its figures. */
export type Profile = {
  /** What sessions call it, as `profile`. */
  name: "default" | "claude-code" | "codex-v2" | "rawr" | "tiered" | "codex-classic";
  /** When to choose it. */
  description: string;
  /** Tokens of the window that the figures are for. */
  context_window: number;
  config: Config;
  /** Why a session with this profile and window is refused. */
  problem: string | null;
};

/** The compacted conversation, as OpenAI has it. */
export type CompactedResponse = {
  /** A new id; nothing is kept under it. */
  id: string;
  /** As in the OpenAI API. */
  object: "response.compaction";
  /** Seconds since 1970. */
  created_at: number;
  /** One item of type `compaction` that stands for the whole conversation, the newest user messages as they came included, then tool calls that are still open. */
  output: Array<Record<string, unknown>>;
  /** Tokens used by the model that wrote the summary; zeros when it was written without one. */
  usage: {
    /** Tokens that were read. */
    input_tokens: number;
    /** How these were read. */
    input_tokens_details: {
      /** Tokens of them from the cache. */
      cached_tokens: number;
      /** Tokens of them that were written to the cache. */
      cache_write_tokens: number;
    };
    /** Tokens that were written. */
    output_tokens: number;
    /** What these were spent on. */
    output_tokens_details: {
      /** Always 0: it is not told apart. */
      reasoning_tokens: number;
    };
    /** Tokens that were read or written. */
    total_tokens: number;
  };
};

/** An error as clients of the OpenAI API read it. */
export type OpenAiError = {
  /** What went wrong. */
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

/** The body as clients of the OpenAI API send it; other fields are ignored. */
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

/** The process answers. */
export type Health = {
  /** The process answers. */
  status: "ok";
  /** The release of the service that runs. */
  version: string;
};

/** Store and queue can be reached. */
export type Readiness = {
  /** Requests can be served. */
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
  | 'archive_unavailable'
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
      /** The entries of this page. */
      data: Array<SessionSummary & {
        /** Its events are in the archive: what reads or writes them brings them back first. */
        archived: boolean;
      }>;
      /** Send it as `cursor` for the next page; null: there is none. */
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
      /** The entries of this page. */
      data: Array<LogItem>;
      /** Send it as `cursor` for the next page; null: there is none. */
      next_cursor: string | null;
    };
  };
  /** The items to send to the model */
  getContext: {
    args: {
      /** Id of the session. */
      id: string;
      /** Wire format of the answer; default: that of the session. */
      format?: "anthropic" | "openai-responses" | "openai-chat" | "ai-sdk" | undefined;
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
      /** The entries of this page. */
      data: Array<Pin>;
      /** Send it as `cursor` for the next page; null: there is none. */
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
      /** The entries of this page. */
      data: Array<CostedCompaction>;
      /** Send it as `cursor` for the next page; null: there is none. */
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
      body?: RevertRequest | undefined;
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
      /** The entries of this page. */
      data: Array<Event>;
      /** Send it as `cursor` for the next page; null: there is none. */
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
      /** Instead of `q`: a regular expression in the syntax of RE2, such as `E_[A-Z]+_[0-9]+`. */
      regex?: string | undefined;
      /** Only what this role has said. */
      role?: "system" | "user" | "assistant" | "tool" | undefined;
      /** Only parts of this kind. */
      kind?: "message" | "tool_call" | "tool_result" | "reasoning" | "attachment" | "summary" | undefined;
      /** Name of the tool of a call or result. */
      tool?: string | undefined;
      /** Only items after this `seq`. */
      after?: number | undefined;
      /** Only items before this `seq`. */
      before?: number | undefined;
      /** Only items of this time or later: when they were said, as `at` of a hit. */
      since?: string | undefined;
      /** Only items of before this time. */
      until?: string | undefined;
      /** Where the item stands now. */
      state?: "in_context" | "cleared" | "summarised" | undefined;
      /** Hits per page; default 50. */
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
      /** Instead of `q`: a regular expression in the syntax of RE2, such as `E_[A-Z]+_[0-9]+`. */
      regex?: string | undefined;
      /** Only what this role has said. */
      role?: "system" | "user" | "assistant" | "tool" | undefined;
      /** Only parts of this kind. */
      kind?: "message" | "tool_call" | "tool_result" | "reasoning" | "attachment" | "summary" | undefined;
      /** Name of the tool of a call or result. */
      tool?: string | undefined;
      /** Only items after this `seq`. */
      after?: number | undefined;
      /** Only items before this `seq`. */
      before?: number | undefined;
      /** Only items of this time or later: when they were said, as `at` of a hit. */
      since?: string | undefined;
      /** Only items of before this time. */
      until?: string | undefined;
      /** Where the item stands now. */
      state?: "in_context" | "cleared" | "summarised" | undefined;
      /** Hits per page; default 50. */
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
      /** The entries of this page. */
      data: Array<CoveredItem>;
      /** Send it as `cursor` for the next page; null: there is none. */
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
      /** All profiles. */
      data: Array<Profile>;
      /** Always null: there is one page. */
      next_cursor: null;
    };
  };
  /** Compact a conversation, as OpenAI does */
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
