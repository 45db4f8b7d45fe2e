import type { Format, Item } from '../items/item.ts';
import type { JsonObject } from '../json.ts';
import type { Attribution } from '../policy/attribution.ts';
import type { Boundary } from '../policy/boundaries.ts';
import type { Config, ConfigOverrides } from '../policy/config.ts';
import type { Profile } from '../policy/profiles.ts';
import type { OpenCommand } from '../policy/shell-commands.ts';
import type { Entry } from './entry.ts';

/** Version of the event data below; older stored events are upcast when read (SPEC section 3). */
export const EVENT_SCHEMA_VERSION = 3;

export const MODES = ['auto', 'micro', 'full', 'remote'] as const;
export type Mode = (typeof MODES)[number];
export type Trigger = 'auto' | 'manual' | 'tool';

/** The packet that a compaction appends when it has completed (SPEC section 12). */
export type PacketSource =
  | { author: 'watcher' }
  /** The text stands in the `packet.received` event of this version. */
  | { author: 'agent'; received_version: number };

/** What a client can tell about a turn, or what is derived from its items (SPEC section 11). */
export type Signal = Boundary | 'turn_started' | 'sampling_complete';

export const HOOK_EVENTS = ['PreCompact', 'SessionStart', 'PostCompact'] as const;

/** What a hook answered, as far as it is used (SPEC section 16). */
export type HookResult = {
  new_custom_instructions?: string;
  user_display_message?: string;
  block?: boolean;
  items?: Item[];
};

/** A change of one tool result inside the live context: which one, and its new content. */
export type ResultEdit = {
  seq: number;
  tool_use_id: string;
  content: string;
  kind: 'cleared' | 'truncated';
  tokens_before: number;
  tokens_after: number;
};

/** What a context is built on: a full compaction, or the start of a fork (null). Its event stands at `version`. */
export type Base = { compaction_id: string | null; version: number; through: number };

export const FAILURE_REASONS = [
  'no_summary',
  'api_error',
  'prompt_too_long',
  'interrupted',
  'timeout',
  'hook_blocked',
] as const;
export type FailureReason = (typeof FAILURE_REASONS)[number];

export const SKIP_REASONS = [
  'nothing_to_compact',
  'below_threshold',
  'not_effective',
  'would_not_shrink',
  'irreducible_floor',
  'compaction_disabled',
  'no_natural_boundary',
  'too_few_tokens',
] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

export type SummarizerUsage = {
  input: number;
  output: number;
  cache_read: number;
  cache_creation: number;
};

/** What the summariser's input had to leave out to fit its window (SPEC section 8, phase 3). */
export type LeftOut = { cleared_results: number; truncated_results: number; dropped_items: number };

export type CompletedReport = {
  tokens_before: number;
  tokens_after: number;
  /** Estimates without margin: what the compaction replaced, and what it put there. */
  covered_tokens: number;
  replacement_tokens: number;
  is_above_threshold: boolean;
  /** The context is still inside the tier that asked for the compaction. */
  is_still_due: boolean;
  summarizer: string;
  model: string | null;
  template: string;
  usage: SummarizerUsage;
  left_out: LeftOut;
  /** Turns of the transcript that did not fit (SPEC section 13). */
  truncated_turns: number;
  user_display_message?: string;
  /** Of a command, where it differs from the summary: what the summariser has written, untouched. */
  answer?: string;
  files_restored: number;
  duration_ms: number;
  summarizer_ms: number;
};

export type Contributor = { what: string; tokens: number };

export type EventData = {
  'session.created': {
    format: Format;
    profile: Profile;
    config: ConfigOverrides;
    model: string | null;
    context_window: number;
    initial_context: Entry[];
    metadata: JsonObject;
  };
  'session.configured': {
    profile?: Profile;
    config?: ConfigOverrides;
    model?: string | null;
    context_window?: number;
    metadata?: JsonObject;
  };
  'session.forked': {
    parent_session_id: string;
    parent_version: number;
    entries: Entry[];
  };
  'item.appended': {
    item: Item;
    /** Estimate without margin, after the edits below. */
    tokens: number;
    /** Context tokens that the provider reported with this message. */
    usage?: number;
    /** Edits that were in force in the parent when this session was forked from it. */
    edits?: ResultEdit[];
    /** Recorded, and kept out of the context (SPEC section 13). */
    excluded?: 'command';
    /** Put there by the service: no news, and no sign of a boundary. */
    source?: 'packet' | 'hook';
    commands?: OpenCommand[];
    /** Ids of open commands whose result stands here, or that another call has taken over. */
    closed_commands?: string[];
  };
  'signal.observed': {
    signal: Signal;
    source: 'posted' | 'derived';
    /** The item that it was derived from. */
    seq: number | null;
    needs_follow_up?: boolean;
    queued_user_messages?: number;
    review_mode?: boolean;
    /** Of the plan, with `plan_checkpoint`. */
    completed_steps?: number;
  };
  'compaction.requested': {
    compaction_id: string;
    mode: Mode;
    trigger: Trigger;
    reason: string;
    attribution: Attribution;
    /** The cut has to stand before this item. */
    before?: number;
    packet?: PacketSource;
    instructions?: string;
    focus?: string;
  };
  'compaction.started': { compaction_id: string; attempt: number; config: Config };
  'compaction.micro_completed': {
    compaction_id: string;
    strategy: Config['micro_compact_strategy'];
    edits: ResultEdit[];
    tokens_saved: number;
    tokens_before: number;
    tokens_after: number;
    /** Of the eligible results that had not been cleared before, without margin. */
    result_tokens_before: number;
    result_tokens_after: number;
    is_above_threshold: boolean;
    is_still_due: boolean;
    duration_ms: number;
  };
  'compaction.completed': {
    compaction_id: string;
    mode: 'full' | 'remote';
    through: number;
    previous: Base | null;
    summary_text: string;
    entries: Entry[];
    /** Results after the cut that had to be shortened to stay. */
    edits?: ResultEdit[];
    report: CompletedReport;
  };
  'compaction.skipped': {
    compaction_id: string;
    reason: SkipReason;
    detail: string;
    contributors?: Contributor[];
    /** What a summary has cost that was not put in place, with the failures before it. */
    usage?: SummarizerUsage;
  };
  'compaction.failed': {
    compaction_id: string;
    reason: FailureReason;
    message: string;
    attempt: number;
    /** What the answers of this attempt have cost that came to nothing; left out when that is nothing. */
    usage?: SummarizerUsage;
    /** False: this ends the compaction. True: it goes on, with another attempt or with a fallback. */
    will_retry: boolean;
  };
  'compaction.cancelled': { compaction_id: string };
  'compaction.reverted': {
    compaction_id: string;
    /** What was undone: edits of tool results only, or a replacement of the context too. */
    kind: 'micro' | 'full';
    /** The base of the context from now on. */
    base: Base | null;
    /** Estimate without margin of the context from now on. */
    tokens: number;
  };
  'compaction.threshold_exceeded': {
    compaction_id: string;
    post_compact_tokens: number;
    threshold: number;
  };
  'packet.requested': {
    /** Of the compaction that the packet is for. */
    attribution: Attribution;
    prompt: string;
    template: string;
    /** After it the service writes the packet itself. */
    deadline_ms: number;
  };
  'packet.received': {
    source: 'posted' | 'assistant_item' | 'turn_complete' | 'timeout';
    /** The assistant item that was taken as the packet. */
    seq: number | null;
    /** Null when none has come by the end of the turn or in time: the worker composes the packet. */
    text: string | null;
    is_truncated: boolean;
  };
  'preflight.armed': { percent_remaining: number };
  'hook.ran': {
    compaction_id: string;
    hook: string;
    event: (typeof HOOK_EVENTS)[number];
    ok: boolean;
    required: boolean;
    /** HTTP status; null when there was no answer. */
    status: number | null;
    error: string | null;
    duration_ms: number;
    result: HookResult;
  };
  'breaker.opened': { failures: number; reset_at_ms: number };
  'breaker.closed': { reason: 'success' | 'timeout' };
};

export type EventType = keyof EventData;
export const EVENT_TYPES = [
  'session.created',
  'session.configured',
  'session.forked',
  'item.appended',
  'signal.observed',
  'compaction.requested',
  'compaction.started',
  'compaction.micro_completed',
  'compaction.completed',
  'compaction.skipped',
  'compaction.failed',
  'compaction.cancelled',
  'compaction.reverted',
  'compaction.threshold_exceeded',
  'packet.requested',
  'packet.received',
  'preflight.armed',
  'hook.ran',
  'breaker.opened',
  'breaker.closed',
] as const satisfies readonly EventType[];

/** What `decide` answers: type and data; the store adds version, time and hash. */
export type NewEvent = { [T in EventType]: { type: T; data: EventData[T] } }[EventType];
/** An event of the log. `at` is ISO 8601 in UTC. */
export type SessionEvent = NewEvent & { version: number; at: string };
export type EventOf<T extends EventType> = Extract<SessionEvent, { type: T }>;
