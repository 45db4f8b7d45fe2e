import type { Entry } from '../context/entry.ts';
import type { Format, Item } from '../items/item.ts';
import type { JsonObject } from '../json.ts';
import type { Config, ConfigOverrides } from '../policy/config.ts';
import type { Profile } from '../policy/profiles.ts';

/** Version of the event data below; older stored events are upcast when read (SPEC section 3). */
export const EVENT_SCHEMA_VERSION = 1;

export type Mode = 'auto' | 'micro' | 'full';
export type Trigger = 'auto' | 'manual' | 'tool';

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
] as const;
export type FailureReason = (typeof FAILURE_REASONS)[number];

export const SKIP_REASONS = [
  'nothing_to_compact',
  'below_threshold',
  'not_effective',
  'would_not_shrink',
  'irreducible_floor',
  'compaction_disabled',
] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

export type SummarizerUsage = { input: number; output: number; cache_read: number };

/** What the summariser's input had to leave out to fit its window (SPEC section 8, phase 3). */
export type LeftOut = { cleared_results: number; truncated_results: number; dropped_items: number };

export type CompletedReport = {
  tokens_before: number;
  tokens_after: number;
  /** Estimates without margin: what the compaction replaced, and what it put there. */
  covered_tokens: number;
  replacement_tokens: number;
  is_above_threshold: boolean;
  summarizer: string;
  model: string | null;
  template: string;
  usage: SummarizerUsage;
  left_out: LeftOut;
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
  };
  'compaction.requested': {
    compaction_id: string;
    mode: Mode;
    trigger: Trigger;
    reason: string;
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
    is_above_threshold: boolean;
    duration_ms: number;
  };
  'compaction.completed': {
    compaction_id: string;
    mode: 'full';
    through: number;
    previous: Base | null;
    summary_text: string;
    entries: Entry[];
    report: CompletedReport;
  };
  'compaction.skipped': {
    compaction_id: string;
    reason: SkipReason;
    detail: string;
    contributors?: Contributor[];
  };
  'compaction.failed': {
    compaction_id: string;
    reason: FailureReason;
    message: string;
    attempt: number;
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
  'breaker.opened': { failures: number; reset_at_ms: number };
  'breaker.closed': { reason: 'success' | 'timeout' };
};

export type EventType = keyof EventData;
export const EVENT_TYPES = [
  'session.created',
  'session.configured',
  'session.forked',
  'item.appended',
  'compaction.requested',
  'compaction.started',
  'compaction.micro_completed',
  'compaction.completed',
  'compaction.skipped',
  'compaction.failed',
  'compaction.cancelled',
  'compaction.reverted',
  'compaction.threshold_exceeded',
  'breaker.opened',
  'breaker.closed',
] as const satisfies readonly EventType[];

/** What `decide` answers: type and data; the store adds version, time and hash. */
export type NewEvent = { [T in EventType]: { type: T; data: EventData[T] } }[EventType];
/** An event of the log. `at` is ISO 8601 in UTC. */
export type SessionEvent = NewEvent & { version: number; at: string };
export type EventOf<T extends EventType> = Extract<SessionEvent, { type: T }>;
