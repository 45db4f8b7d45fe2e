import { z } from 'zod';
import { ORIGINS } from '../domain/context/entry.ts';
import { FORMATS } from '../domain/items/item.ts';
import { isJsonObject, type JsonObject } from '../domain/json.ts';
import { configOverridesSchema, configSchema } from '../domain/policy/config.ts';
import { PROFILES } from '../domain/policy/profiles.ts';
import {
  type EventData,
  type EventType,
  FAILURE_REASONS,
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

const report = z.strictObject({
  tokens_before: count,
  tokens_after: count,
  is_above_threshold: z.boolean(),
  covered_tokens: count,
  replacement_tokens: count,
  summarizer: z.string(),
  model: z.string().nullable(),
  template: z.string(),
  usage: z.strictObject({ input: count, output: count, cache_read: count }),
  left_out: z.strictObject({
    cleared_results: count,
    truncated_results: count,
    dropped_items: count,
  }),
  files_restored: count,
  duration_ms: z.number().min(0),
  summarizer_ms: z.number().min(0),
});

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
  }),
  'compaction.requested': z.strictObject({
    compaction_id,
    mode: z.enum(['auto', 'micro', 'full']),
    trigger: z.enum(['auto', 'manual', 'tool']),
    reason: z.string(),
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
    is_above_threshold: z.boolean(),
    duration_ms: z.number().min(0),
  }),
  'compaction.completed': z.strictObject({
    compaction_id,
    mode: z.literal('full'),
    through: count,
    previous: base.nullable(),
    summary_text: z.string(),
    entries: z.array(entry),
    report,
  }),
  'compaction.skipped': z.strictObject({
    compaction_id,
    reason: z.enum(SKIP_REASONS),
    detail: z.string(),
    contributors: z.array(z.strictObject({ what: z.string(), tokens: count })).exactOptional(),
  }),
  'compaction.failed': z.strictObject({
    compaction_id,
    reason: z.enum(FAILURE_REASONS),
    message: z.string(),
    attempt: count,
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
  'breaker.opened': z.strictObject({ failures: count, reset_at_ms: count }),
  'breaker.closed': z.strictObject({ reason: z.enum(['success', 'timeout']) }),
} satisfies { [T in EventType]: z.ZodType<EventData[T]> };

type Uncovered = {
  [T in EventType]: EventData[T] extends z.infer<(typeof eventSchemas)[T]> ? never : T;
}[EventType];
type Nothing<T extends never> = T;
/** The other direction, at compile time: no event may hold what its schema would refuse. */
export type EverythingIsCovered = Nothing<Uncovered>;
