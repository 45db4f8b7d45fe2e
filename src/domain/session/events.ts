import { z } from 'zod';
import { FORMATS } from '../items/codecs.ts';
import { usageSchema } from '../items/item.ts';
import { jsonObjectSchema } from '../json.ts';
import { ledgerSchema } from '../ledger/ledger.ts';
import { attributionSchema } from '../policy/attribution.ts';
import { SIGNALS } from '../policy/boundaries.ts';
import { configOverridesSchema, configSchema } from '../policy/config.ts';
import { PROFILES } from '../policy/profiles.ts';
import { openCommandSchema } from '../policy/shell-commands.ts';
import { costBasisSchema } from './cost-basis.ts';
import { entrySchema } from './entry.ts';
import { hookResultSchema } from './hook-result.ts';
import { occurredAtSchema } from './occurred-at.ts';
import { pinAddedSchema, pinRemovedSchema } from './pins.ts';
import { resultEditSchema } from './result-edits.ts';
import { retentionReportSchema } from './retention-report.ts';
import { skipReasonSchema } from './skip-reason.ts';
import { observedSchema, supersededSchema, toldSchema } from './told.ts';
import { worthSchema } from './worth.ts';

/** Version of the event data below; older stored events are upcast when read (SPEC section 3). */
export const EVENT_SCHEMA_VERSION = 3;

const count = z.int().min(0);
const version = z.int().min(1);
const compaction_id = z.string().min(1);
const duration_ms = z.number().min(0);

export const modeSchema = z.enum(['auto', 'micro', 'full', 'remote']);
export type Mode = z.infer<typeof modeSchema>;
export const triggerSchema = z.enum(['auto', 'manual', 'tool']);
export type Trigger = z.infer<typeof triggerSchema>;

/** The packet that a compaction appends when it has completed (SPEC section 12). */
const packetSourceSchema = z.discriminatedUnion('author', [
  z.strictObject({ author: z.literal('watcher') }),
  /** The text stands in the `packet.received` event of this version. */
  z.strictObject({ author: z.literal('agent'), received_version: version }),
]);
export type PacketSource = z.infer<typeof packetSourceSchema>;

export const HOOK_EVENTS = ['PreCompact', 'SessionStart', 'PostCompact'] as const;

/**
 * What a context is built on: a full compaction, or (null) the start of a fork or a compaction by the
 * client. Its event stands at `version`.
 */
const baseSchema = z.strictObject({
  compaction_id: compaction_id.nullable(),
  version,
  through: count,
});
export type Base = z.infer<typeof baseSchema>;

const failureReasonSchema = z.enum([
  'no_summary',
  'api_error',
  'prompt_too_long',
  'interrupted',
  'timeout',
  'hook_blocked',
]);
export type FailureReason = z.infer<typeof failureReasonSchema>;

/** What the summariser's input had to leave out to fit its window (SPEC section 8, phase 3). */
export const leftOutSchema = z.strictObject({
  cleared_results: count,
  truncated_results: count,
  dropped_items: count,
});
export type LeftOut = z.infer<typeof leftOutSchema>;
export const NOTHING_LEFT_OUT: LeftOut = {
  cleared_results: 0,
  truncated_results: 0,
  dropped_items: 0,
};

/** The provider has reported `tokens_before`; else it is an estimate. Earlier releases did not say, or not that. */
const is_before_reported = z.boolean().exactOptional();

const completedReportSchema = z.strictObject({
  tokens_before: count,
  tokens_after: count,
  is_before_reported,
  /** Estimates without margin: what the compaction replaced, and what it put there. */
  covered_tokens: count,
  replacement_tokens: count,
  is_above_threshold: z.boolean(),
  /** The context is still inside the tier that asked for the compaction. */
  is_still_due: z.boolean(),
  summarizer: z.string(),
  model: z.string().nullable(),
  template: z.string(),
  usage: usageSchema,
  left_out: leftOutSchema,
  /** Turns of the transcript that did not fit (SPEC section 13). */
  truncated_turns: count,
  user_display_message: z.string().exactOptional(),
  /** Of a command, where it differs from the summary: what the summariser has written, untouched. */
  answer: z.string().exactOptional(),
  files_restored: count,
  duration_ms,
  summarizer_ms: duration_ms,
  cost_basis: costBasisSchema.exactOptional(),
  /** Earlier releases checked nothing. */
  retention: retentionReportSchema.exactOptional(),
});
export type CompletedReport = z.infer<typeof completedReportSchema>;

export const contributorSchema = z.strictObject({ what: z.string(), tokens: count });
export type Contributor = z.infer<typeof contributorSchema>;

const microCompletedSchema = z.strictObject({
  compaction_id,
  strategy: configSchema.shape.micro_compact_strategy,
  edits: z.array(resultEditSchema),
  tokens_saved: count,
  tokens_before: count,
  tokens_after: count,
  is_before_reported,
  /** Of the eligible results that had not been cleared before, without margin. */
  result_tokens_before: count,
  result_tokens_after: count,
  is_above_threshold: z.boolean(),
  is_still_due: z.boolean(),
  duration_ms,
  cost_basis: costBasisSchema.exactOptional(),
});

const completedSchema = z.strictObject({
  compaction_id,
  mode: z.enum(['full', 'remote']),
  through: count,
  previous: baseSchema.nullable(),
  summary_text: z.string(),
  entries: z.array(entrySchema),
  /** Results after the cut that had to be shortened to stay. */
  edits: z.array(resultEditSchema).exactOptional(),
  /** The newest event about pins that it has gone by; left out where nothing was pinned so far. */
  pins_version: version.exactOptional(),
  /** What the log says up to the cut; compactions of version 0.1 have none. */
  ledger: ledgerSchema.exactOptional(),
  report: completedReportSchema,
});

/**
 * What a proposal would write, with the figures as they stood when it was made: the event of a
 * compaction without its id (SPEC section 20).
 */
const candidateSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('compaction.micro_completed'),
    data: microCompletedSchema.omit({ compaction_id: true }),
  }),
  z.strictObject({
    type: z.literal('compaction.completed'),
    data: completedSchema.omit({ compaction_id: true }),
  }),
]);
export type Candidate = z.infer<typeof candidateSchema>;

/** The data of every event, in the shape of EVENT_SCHEMA_VERSION. */
export const eventSchemas = {
  'session.created': z.strictObject({
    format: z.enum(FORMATS),
    profile: z.enum(PROFILES),
    config: configOverridesSchema,
    model: z.string().nullable(),
    context_window: version,
    initial_context: z.array(entrySchema),
    metadata: jsonObjectSchema,
  }),
  'session.configured': z.strictObject({
    profile: z.enum(PROFILES).exactOptional(),
    config: configOverridesSchema.exactOptional(),
    model: z.string().nullable().exactOptional(),
    context_window: version.exactOptional(),
    metadata: jsonObjectSchema.exactOptional(),
  }),
  'session.forked': z.strictObject({
    parent_session_id: z.string().min(1),
    parent_version: version,
    entries: z.array(entrySchema),
    ledger: ledgerSchema.exactOptional(),
  }),
  'item.appended': z.strictObject({
    item: jsonObjectSchema,
    /** Estimate without margin, after the edits below. */
    tokens: count,
    /** Context tokens that the provider reported with this message. */
    usage: count.exactOptional(),
    /** Edits that were in force in the parent when this session was forked from it. */
    edits: z.array(resultEditSchema).exactOptional(),
    /** Recorded, and kept out of the context (SPEC section 13). */
    excluded: z.literal('command').exactOptional(),
    /** Put there by the service: no news, and no sign of a boundary. */
    source: z.enum(['packet', 'hook']).exactOptional(),
    commands: z.array(openCommandSchema).exactOptional(),
    /** Ids of open commands whose result stands here, or that another call has taken over. */
    closed_commands: z.array(z.string()).exactOptional(),
    occurred_at: occurredAtSchema.exactOptional(),
    /** What the client's history came to up to this item, where it came as a whole. */
    told: toldSchema.exactOptional(),
  }),
  /** The client's history has another answer instead, or none: a retry, a stream that was cut off. */
  'item.superseded': z.strictObject({ items: z.array(supersededSchema).min(1) }),
  'pin.added': pinAddedSchema,
  'pin.removed': pinRemovedSchema,
  'signal.observed': z.strictObject({
    signal: z.enum(SIGNALS),
    source: z.enum(['posted', 'derived']),
    /** The item that it was derived from. */
    seq: version.nullable(),
    needs_follow_up: z.boolean().exactOptional(),
    queued_user_messages: count.exactOptional(),
    review_mode: z.boolean().exactOptional(),
    /** Of the plan, with `plan_checkpoint`. */
    completed_steps: count.exactOptional(),
  }),
  'compaction.requested': z.strictObject({
    compaction_id,
    mode: modeSchema,
    trigger: triggerSchema,
    reason: z.string(),
    attribution: attributionSchema,
    /** The cut has to stand before this item. */
    before: version.exactOptional(),
    packet: packetSourceSchema.exactOptional(),
    /** Ends with a proposal, which somebody applies or discards (SPEC section 20). */
    propose: z.literal(true).exactOptional(),
    /** Somebody waits for it: no model is asked. */
    offline: z.literal(true).exactOptional(),
    instructions: z.string().exactOptional(),
    focus: z.string().exactOptional(),
  }),
  'compaction.started': z.strictObject({ compaction_id, attempt: version, config: configSchema }),
  'compaction.micro_completed': microCompletedSchema,
  'compaction.completed': completedSchema,
  'compaction.proposed': z.strictObject({ compaction_id, candidate: candidateSchema }),
  'compaction.discarded': z.strictObject({
    compaction_id,
    /**
     * The compaction that has changed the context since; null: somebody has asked for it, or the client
     * has changed its history.
     */
    superseded_by: compaction_id.nullable(),
  }),
  'compaction.observed': observedSchema,
  'compaction.skipped': z.strictObject({
    compaction_id,
    reason: skipReasonSchema,
    detail: z.string(),
    contributors: z.array(contributorSchema).exactOptional(),
    /** What a summary has cost that was not put in place, with the failures before it. */
    usage: usageSchema.exactOptional(),
    /** Who has written that summary. */
    model: z.string().exactOptional(),
    /** What a compaction was weighed by that had to pay. */
    worth: worthSchema.exactOptional(),
  }),
  'compaction.failed': z.strictObject({
    compaction_id,
    reason: failureReasonSchema,
    message: z.string(),
    attempt: count,
    /** What the answers of this attempt have cost that came to nothing; left out when that is nothing. */
    usage: usageSchema.exactOptional(),
    /** Whose answers they were, as `provider/model`. */
    model: z.string().exactOptional(),
    /** False: this ends the compaction. True: it goes on, with another attempt or with a fallback. */
    will_retry: z.boolean(),
  }),
  'compaction.cancelled': z.strictObject({ compaction_id }),
  'compaction.reverted': z.strictObject({
    compaction_id,
    /** What was undone: edits of tool results only, or a replacement of the context too. */
    kind: z.enum(['micro', 'full']),
    /** The base of the context from now on. */
    base: baseSchema.nullable(),
    /** Estimate without margin of the context from now on. */
    tokens: count,
  }),
  'compaction.threshold_exceeded': z.strictObject({
    compaction_id,
    post_compact_tokens: count,
    threshold: z.int(),
  }),
  'packet.requested': z.strictObject({
    /** Of the compaction that the packet is for. */
    attribution: attributionSchema,
    prompt: z.string(),
    template: z.string(),
    /** After it the service writes the packet itself. */
    deadline_ms: count,
  }),
  'packet.received': z.strictObject({
    source: z.enum(['posted', 'assistant_item', 'turn_complete', 'timeout']),
    /** The assistant item that was taken as the packet. */
    seq: version.nullable(),
    /** Null when none has come by the end of the turn or in time: the worker composes the packet. */
    text: z.string().nullable(),
    is_truncated: z.boolean(),
  }),
  'preflight.armed': z.strictObject({ percent_remaining: count }),
  'hook.ran': z.strictObject({
    compaction_id,
    hook: z.string(),
    event: z.enum(HOOK_EVENTS),
    ok: z.boolean(),
    required: z.boolean(),
    /** HTTP status; null when there was no answer. */
    status: z.int().nullable(),
    error: z.string().nullable(),
    duration_ms,
    result: hookResultSchema,
  }),
  'breaker.opened': z.strictObject({ failures: count, reset_at_ms: count }),
  'breaker.closed': z.strictObject({ reason: z.enum(['success', 'timeout']) }),
  /** Requests went past the gateway, which has failed: `reason` names the last failure. */
  'turn.bypassed': z.strictObject({ reason: z.string().max(60), turns: count }),
};

export type EventType = keyof typeof eventSchemas;
export type EventData = { [T in EventType]: z.infer<(typeof eventSchemas)[T]> };
// `Object.keys` forgets what the keys are.
export const EVENT_TYPES = Object.keys(eventSchemas) as EventType[];

export function isEventType(type: string): type is EventType {
  return Object.hasOwn(eventSchemas, type);
}

/** The events that say to which compaction they belong. */
export const COMPACTION_EVENTS: readonly EventType[] = EVENT_TYPES.filter(
  (type) => 'compaction_id' in eventSchemas[type].shape,
);

/**
 * What an event does to the context, beside adding to it: changes what stands in it, or sets what it
 * is built on. What a provider has counted before says nothing about the context after it.
 */
const CONTEXT_EFFECTS = {
  'session.created': null,
  'session.configured': null,
  'session.forked': 'base',
  'item.appended': null,
  'item.superseded': 'entries',
  'pin.added': 'entries',
  'pin.removed': 'entries',
  'signal.observed': null,
  'compaction.requested': null,
  'compaction.started': null,
  'compaction.micro_completed': 'entries',
  'compaction.completed': 'base',
  'compaction.proposed': null,
  'compaction.discarded': null,
  'compaction.observed': 'base',
  'compaction.skipped': null,
  'compaction.failed': null,
  'compaction.cancelled': null,
  'compaction.reverted': 'base',
  'compaction.threshold_exceeded': null,
  'packet.requested': null,
  'packet.received': null,
  'preflight.armed': null,
  'hook.ran': null,
  'breaker.opened': null,
  'breaker.closed': null,
  'turn.bypassed': null,
} as const satisfies Record<EventType, 'entries' | 'base' | null>;

type Effects = typeof CONTEXT_EFFECTS;
type ContextChange = { [T in keyof Effects]: Effects[T] extends null ? never : T }[keyof Effects];
type BaseChange = { [T in keyof Effects]: Effects[T] extends 'base' ? T : never }[keyof Effects];

export const CONTEXT_CHANGES: readonly EventType[] = EVENT_TYPES.filter(
  (type) => CONTEXT_EFFECTS[type] !== null,
);
export const BASE_CHANGES: readonly EventType[] = EVENT_TYPES.filter(
  (type) => CONTEXT_EFFECTS[type] === 'base',
);

export function changesContext(event: SessionEvent): event is EventOf<ContextChange> {
  return CONTEXT_EFFECTS[event.type] !== null;
}

export function changesBase(event: SessionEvent): event is EventOf<BaseChange> {
  return CONTEXT_EFFECTS[event.type] === 'base';
}

/** What `decide` answers: type and data; the store adds version, time and hash. */
export type NewEvent = { [T in EventType]: { type: T; data: EventData[T] } }[EventType];
/** An event of the log. `at` is ISO 8601 in UTC. */
export type SessionEvent = NewEvent & { version: number; at: string };
export type EventOf<T extends EventType> = Extract<SessionEvent, { type: T }>;
