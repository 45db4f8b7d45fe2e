import { z } from 'zod';
import { FORMATS } from '../domain/items/item.ts';
import { isJsonObject, type JsonObject } from '../domain/json.ts';
import { REQUEST_PATHS } from '../domain/policy/attribution.ts';
import { BOUNDARIES, TIERS } from '../domain/policy/boundaries.ts';
import { configOverridesSchema, configSchema } from '../domain/policy/config.ts';
import { PROFILES } from '../domain/policy/profiles.ts';
import { ORIGINS } from '../domain/session/entry.ts';
import {
  type EventData,
  type EventType,
  FAILURE_REASONS,
  HOOK_EVENTS,
  MODES,
  SKIP_REASONS,
} from '../domain/session/events.ts';

/** Stored data was parsed from JSON text, so an object is all that needs to be checked. */
const jsonObject = z.custom<JsonObject>(isJsonObject, 'must be an object');
const count = z.int().min(0);
const version = z.int().min(1);
const compaction_id = z.string().min(1);

const entry = z.strictObject({
  seq: version.nullable(),
  item: jsonObject,
  tokens: count,
  origin: z.enum(ORIGINS),
});

const resultEdit = z.strictObject({
  seq: version,
  tool_use_id: z.string(),
  content: z.string(),
  kind: z.enum(['cleared', 'truncated']),
  tokens_before: count,
  tokens_after: count,
});

const base = z.strictObject({ compaction_id: compaction_id.nullable(), version, through: count });

const usage = z.strictObject({
  input: count,
  output: count,
  cache_read: count,
  cache_creation: count,
});

const report = z.strictObject({
  tokens_before: count,
  tokens_after: count,
  is_above_threshold: z.boolean(),
  is_still_due: z.boolean(),
  covered_tokens: count,
  replacement_tokens: count,
  summarizer: z.string(),
  model: z.string().nullable(),
  template: z.string(),
  usage,
  left_out: z.strictObject({
    cleared_results: count,
    truncated_results: count,
    dropped_items: count,
  }),
  truncated_turns: count,
  answer: z.string().exactOptional(),
  user_display_message: z.string().exactOptional(),
  files_restored: count,
  duration_ms: z.number().min(0),
  summarizer_ms: z.number().min(0),
});

const attribution = z.strictObject({
  path: z.enum(REQUEST_PATHS),
  tier: z.enum(TIERS).nullable(),
  percent_remaining: count.nullable(),
  boundaries: z.array(z.enum(BOUNDARIES)),
});

const packet = z.discriminatedUnion('author', [
  z.strictObject({ author: z.literal('watcher') }),
  z.strictObject({ author: z.literal('agent'), received_version: version }),
]);

/** The shape of every event's data (today's schema version), for `verify`. */
export const eventSchemas = {
  'session.created': z.strictObject({
    format: z.enum(FORMATS),
    profile: z.enum(PROFILES),
    config: configOverridesSchema,
    model: z.string().nullable(),
    context_window: version,
    initial_context: z.array(entry),
    metadata: jsonObject,
  }),
  'session.configured': z.strictObject({
    profile: z.enum(PROFILES).exactOptional(),
    config: configOverridesSchema.exactOptional(),
    model: z.string().nullable().exactOptional(),
    context_window: version.exactOptional(),
    metadata: jsonObject.exactOptional(),
  }),
  'session.forked': z.strictObject({
    parent_session_id: z.string().min(1),
    parent_version: version,
    entries: z.array(entry),
  }),
  'item.appended': z.strictObject({
    item: jsonObject,
    tokens: count,
    usage: count.exactOptional(),
    edits: z.array(resultEdit).exactOptional(),
    excluded: z.literal('command').exactOptional(),
    source: z.enum(['packet', 'hook']).exactOptional(),
    commands: z
      .array(z.strictObject({ id: z.string(), boundary: z.enum(['commit', 'pr_checkpoint']) }))
      .exactOptional(),
    closed_commands: z.array(z.string()).exactOptional(),
  }),
  'signal.observed': z.strictObject({
    signal: z.enum([...BOUNDARIES, 'turn_started', 'sampling_complete']),
    source: z.enum(['posted', 'derived']),
    seq: version.nullable(),
    needs_follow_up: z.boolean().exactOptional(),
    queued_user_messages: count.exactOptional(),
    review_mode: z.boolean().exactOptional(),
    completed_steps: count.exactOptional(),
  }),
  'compaction.requested': z.strictObject({
    compaction_id,
    mode: z.enum(MODES),
    trigger: z.enum(['auto', 'manual', 'tool']),
    reason: z.string(),
    attribution,
    before: version.exactOptional(),
    packet: packet.exactOptional(),
    instructions: z.string().exactOptional(),
    focus: z.string().exactOptional(),
  }),
  'compaction.started': z.strictObject({ compaction_id, attempt: version, config: configSchema }),
  'compaction.micro_completed': z.strictObject({
    compaction_id,
    strategy: configSchema.shape.micro_compact_strategy,
    edits: z.array(resultEdit),
    tokens_saved: count,
    tokens_before: count,
    tokens_after: count,
    result_tokens_before: count,
    result_tokens_after: count,
    is_above_threshold: z.boolean(),
    is_still_due: z.boolean(),
    duration_ms: z.number().min(0),
  }),
  'compaction.completed': z.strictObject({
    compaction_id,
    mode: z.enum(['full', 'remote']),
    through: count,
    previous: base.nullable(),
    summary_text: z.string(),
    entries: z.array(entry),
    edits: z.array(resultEdit).exactOptional(),
    report,
  }),
  'compaction.skipped': z.strictObject({
    compaction_id,
    reason: z.enum(SKIP_REASONS),
    detail: z.string(),
    contributors: z.array(z.strictObject({ what: z.string(), tokens: count })).exactOptional(),
    usage: usage.exactOptional(),
  }),
  'compaction.failed': z.strictObject({
    compaction_id,
    reason: z.enum(FAILURE_REASONS),
    message: z.string(),
    attempt: count,
    usage: usage.exactOptional(),
    will_retry: z.boolean(),
  }),
  'compaction.cancelled': z.strictObject({ compaction_id }),
  'compaction.reverted': z.strictObject({
    compaction_id,
    kind: z.enum(['micro', 'full']),
    base: base.nullable(),
    tokens: count,
  }),
  'compaction.threshold_exceeded': z.strictObject({
    compaction_id,
    post_compact_tokens: count,
    threshold: z.int(),
  }),
  'packet.requested': z.strictObject({
    attribution,
    prompt: z.string(),
    template: z.string(),
    deadline_ms: count,
  }),
  'packet.received': z.strictObject({
    source: z.enum(['posted', 'assistant_item', 'turn_complete', 'timeout']),
    seq: version.nullable(),
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
    status: z.int().nullable(),
    error: z.string().nullable(),
    duration_ms: z.number().min(0),
    result: z.strictObject({
      new_custom_instructions: z.string().exactOptional(),
      user_display_message: z.string().exactOptional(),
      block: z.boolean().exactOptional(),
      items: z.array(jsonObject).exactOptional(),
    }),
  }),
  'breaker.opened': z.strictObject({ failures: count, reset_at_ms: count }),
  'breaker.closed': z.strictObject({ reason: z.enum(['success', 'timeout']) }),
} satisfies { [T in EventType]: z.ZodType<EventData[T]> };

type Uncovered = {
  [T in EventType]: EventData[T] extends z.infer<(typeof eventSchemas)[T]> ? never : T;
}[EventType];
type Nothing<T extends never> = T;
/** The other direction, at compile time: no event may hold what its schema would refuse. */
export type EverythingIsCovered = Nothing<Uncovered>;
